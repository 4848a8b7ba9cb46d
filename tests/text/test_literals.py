import json

import pytest

from memex_mcp.text.literals import compact, is_json, rewrite

OTTER = "an otter"


def no_otter(text: str) -> str:
    return text.replace(OTTER, "***")


@pytest.mark.parametrize(
    "value",
    [
        {"text": f"it is {OTTER}", "port": 5433, "none": None},
        {"text": 'a "quoted" line\nand another \\ 水獺', "list": [OTTER, [OTTER]]},
        {OTTER: "a name"},
        {"arguments": json.dumps({"inner": json.dumps([f"{OTTER}\n"])})},
    ],
)
@pytest.mark.parametrize("spelled", [True, False])
def test_every_string_is_rewritten_and_the_rest_keeps_its_spelling(
    value: object, spelled: bool
) -> None:
    text = json.dumps(value, ensure_ascii=spelled, indent=None if spelled else 1)

    done = rewrite(text, no_otter)

    assert OTTER not in done
    assert is_json(done)
    assert json.loads(done) == json.loads(text.replace(OTTER, "***"))
    assert rewrite(text, str) == text


def test_a_literal_that_says_the_same_keeps_its_escapes() -> None:
    text = '{"a":"caf\\u00e9",  "b":"an\\u0020otter", "c":"\\/"}'

    assert rewrite(text, no_otter) == '{"a":"caf\\u00e9",  "b":"***", "c":"\\/"}'
    assert rewrite('{"a": "an otter"}', no_otter, escaped=True) == '{"a": "an otter"}'


@pytest.mark.parametrize(
    "torn", ['{"a": "an otter', 'no "an otter" here" or "', '"\\u12"', '"\\x"']
)
def test_what_is_no_json_is_no_obstacle(torn: str) -> None:
    assert isinstance(rewrite(torn, no_otter), str)
    assert not is_json(torn)


def test_half_characters_are_spelled_out_and_all_others_are_not() -> None:
    assert compact({"a": "水獺 é"}) == '{"a":"水獺 é"}'
    assert compact("\ud800 é") == '"\\ud800 \\u00e9"'


def test_nesting_has_an_end() -> None:
    text = OTTER
    for _ in range(12):
        text = json.dumps([text])

    assert json.loads(rewrite(text, no_otter))
    assert not is_json("[" * 100_000)
