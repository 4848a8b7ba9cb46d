"""Masking: every shape gone, nothing else touched, no text too strange or too long."""

import importlib
import itertools
import random
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.text import secret_rules
from memex_mcp.text.secrets import Masked, mask
from tests.text.benign_samples import benign
from tests.text.secret_samples import ALNUM, Sample, key_block, pick, samples

ANY_TEXT = st.text(st.characters(codec=None, categories=None))  # lone surrogates included
SAMPLES = samples(seed=7)
STRANGE = ("\x00", "\ud800", "🔑", "“", "\u3000", "\\n", "\r\n")


def swap(sample: Sample) -> tuple[str, str]:
    masked = mask(sample.text)
    return masked.text, f"{sample.before}[MASKED:{'|'.join(masked.kinds)}]{sample.after}"


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.shape for sample in SAMPLES])
def test_a_secret_of_this_shape_goes_and_its_neighbours_stay(sample: Sample) -> None:
    masked, expected = swap(sample)

    assert masked == expected
    assert sample.secret not in masked
    assert mask(masked) == Masked(masked, ())


@pytest.mark.parametrize("seed", range(3))
def test_other_secrets_of_the_same_shapes_go_too(seed: int) -> None:
    missed = [sample.shape for sample in samples(seed) if len(set(swap(sample))) != 1]

    assert missed == []


def test_a_thousand_lines_without_a_secret_stay_as_they_are() -> None:
    lines = benign(seed=7)
    token = next(sample.secret for sample in SAMPLES if sample.shape == "github classic")

    assert len(lines) == 1000
    assert [line for line in lines if mask(line) != Masked(line, ())] == []
    assert mask("\n".join(lines)).kinds == ()
    assert all(mask(f"{line} {token}").kinds == ("github-token",) for line in lines)


@pytest.mark.parametrize(
    "value",
    [
        "<your-api-key>",
        "${TOKEN}",
        "$TOKEN",
        "{{ token }}",
        "{token}",
        "%(token)s",
        "%s",
        "os.environ['TOKEN']",
        "process.env.API_TOKEN2",
        "settings.api_token2",
        "get_token2()",
        "********",
        "xxxxxxxxxxxx",
        "your-token-goes-here-1",
        "changeme123",
        "sk-...",
        "[MASKED:token]",
        "",
    ],
)
def test_a_stand_in_stays_where_a_value_would_go(value: str) -> None:
    real = "q8" + "Zt4" + "mX1vLp9"

    for form in ("token={}", 'token = "{}"', "token: {}", "密码：{}", "--token {}"):
        assert mask(form.format(value)) == Masked(form.format(value), ())
        assert len(mask(form.format(real)).kinds) == 1


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("api_token", True),
        ("token_count", False),
        ("next_page_token", False),
        ("clientSecret", True),
        ("secretName", False),
        ("private_key", True),
        ("public_key", False),
        ("STRIPE_KEY", True),
        ("CACHE_KEY", False),
        ("DB_PASSWORD", True),
        ("passwordFile", False),
        ("bandpass", False),
        ("auth", True),
        ("author", False),
        ("tokenizer", False),
    ],
)
def test_the_name_decides_whether_a_value_is_a_secret(name: str, is_secret: bool) -> None:
    assert bool(mask(f'{name} = "q8Zt4mX1vLp9Rw2k"').kinds) is is_secret


def test_kinds_come_in_the_order_of_the_text() -> None:
    chosen = [SAMPLES[at] for at in (70, 3, 40, 90, 12)]
    text = "\n\n".join(sample.text for sample in chosen)

    assert mask(text).kinds == tuple(mask(sample.text).kinds[0] for sample in chosen)


def test_a_long_value_is_masked_to_its_end_whatever_stands_where_looking_stops() -> None:
    for length in range(120, 136):
        value = pick(random.Random(length), ALNUM, length) + ".R7" * 60

        assert mask(f"api_token: {value}\nb").text == "api_token: [MASKED:token]\nb"


@pytest.mark.parametrize("odd", STRANGE, ids=ascii)
def test_strange_characters_around_a_secret_neither_hide_nor_break_it(odd: str) -> None:
    token = SAMPLES[3].secret
    text = f"{odd}a{odd} {odd}{token}{odd} b{odd}"

    assert mask(text) == Masked(text.replace(token, "[MASKED:github-token]"), ("github-token",))


def test_a_key_block_is_masked_even_when_quoted_or_cut() -> None:
    block = key_block(random.Random(5), "RSA ")
    quoted = "\n".join(f"> {line}" for line in block.splitlines())
    cut = block[: len(block) // 2]

    assert mask(f"a\n{quoted}\nb") == Masked("a\n> [MASKED:private-key]\nb", ("private-key",))
    assert mask(f"a\n{cut}") == Masked("a\n[MASKED:private-key]", ("private-key",))
    assert mask(block.splitlines()[0] + "\nand prose follows") == Masked(
        block.splitlines()[0] + "\nand prose follows", ()
    )


@given(ANY_TEXT)
def test_any_text_can_be_masked_and_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)

    assert mask(once.text) == Masked(once.text, ())


FRAGMENTS = st.sampled_from(
    [
        *(sample.text for sample in SAMPLES),
        *(
            "password",
            "token",
            "secret",
            "api_key",
            "密码",
            "Bearer ",
            "basic ",
            "curl -u ",
            "machine a ",
        ),
        *("=", ": ", "：", "'", '"', '\\"', "://", "@", "<", ">", "[MASKED:", "]", "-----BEGIN "),
        *(
            "value",
            " is ",
            "--",
            "\n",
            "\\n",
            "a1b2c3d4e5",
            "user:",
            "{",
            "}",
            "(",
            "\x00",
            "\udc80",
        ),
    ]
)


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_masking_twice_is_masking_once_when_secrets_and_syntax_mix(text: str) -> None:
    once = mask(text)

    assert mask(once.text) == Masked(once.text, ())


@given(st.sampled_from(SAMPLES), st.text(st.characters(codec=None, categories=["Lo", "So", "Zs"])))
def test_no_other_script_around_a_secret_hides_it(sample: Sample, around: str) -> None:
    text = f"{around}\n{sample.text}\n{around}"

    assert sample.secret not in mask(text).text


ADVERSARIES = (
    *("password=", "token='", 'token="x', "密码：", "password is ", "a_secret=q1w2e3r4"),
    *("://a:", "://a:b@", "bearer ", "bearer+", "sig=", "sig=example-", "-u a:", "1//0a", "basic "),
    *(
        "eyJ.",
        "sk-",
        "AKIA",
        "MTk.",
        "a" * 31 + "-us1",
        "hooks.slack.com/services/",
        "\\",
        "=",
        "x",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----\n",
        "login a password ",
        'password="\\"',
        "key-",
        "\ud800",
        "中",
    ),
)


def calls(text: str) -> int:
    """Count every call, into Python or C, that masking the text makes."""
    made = itertools.count()

    def count(*_event: object) -> None:
        next(made)

    sys.setprofile(count)
    try:
        mask(text)
    finally:
        sys.setprofile(None)
    return next(made)


@pytest.mark.parametrize("unit", ADVERSARIES, ids=ascii)
def test_twice_the_text_takes_at_most_twice_the_steps(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (12_800, 25_600))
    mask(short)  # compiles the rules

    assert calls(long) <= 2.1 * calls(short) + 100


@pytest.mark.parametrize("unit", ADVERSARIES, ids=ascii)
def test_a_hundred_kilobytes_of_bait_are_masked_like_any_text(unit: str) -> None:
    once = mask(unit * (102_400 // len(unit)) + "\n" + SAMPLES[3].text)

    assert SAMPLES[3].secret not in once.text


def repeats(parsed: Any) -> list[tuple[int, int, Any]]:
    """List the lower bound, the upper bound and the body of each repeat of a parsed pattern."""
    found = []
    for operator, argument in parsed:
        if str(operator).endswith("REPEAT"):
            found.append(argument)
        parts = argument if isinstance(argument, list | tuple) else [argument]
        for part in parts:
            for inner in part if isinstance(part, list) else [part]:
                if hasattr(inner, "getwidth"):
                    found += repeats(inner)
    return found


def test_no_rule_repeats_a_repeat_without_bound() -> None:
    parser = importlib.import_module("re._parser")
    rules = [pattern for _, _, pattern in secret_rules.TOKENS]
    rules += [rule.pattern for rule in secret_rules.MARKED]

    def nested(pattern: str) -> bool:
        endless = [body for _, top, body in repeats(parser.parse(pattern)) if top > 10_000]
        return any(repeats(body) for body in endless)

    assert [pattern for pattern in rules if nested(pattern)] == []
    assert nested("(?:a+b?)+")


def test_every_kind_is_a_word_that_fits_its_placeholder() -> None:
    kinds = {kind for kind, _, _ in secret_rules.TOKENS}
    kinds |= {rule.kind for rule in secret_rules.MARKED}

    assert "github-token" in kinds
    assert [k for k in kinds if not re.fullmatch("[a-z0-9-]+", k)] == []


def test_importing_the_module_loads_nothing_foreign() -> None:
    code = (
        "import sys, dataclasses, re, typing; before = set(sys.modules); "
        "import memex_mcp.text.secrets; "
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('memex_mcp')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.split() in ([], ["binascii"])
