"""Thousands of calls that no sane client makes: every one is answered, none tells too much."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.memory import Memory
from tests.card import card
from tests.process import Serving
from tests.server.using import connect, said
from tests.server.wire import call

SEED = 20261130
PLANTED = "The tangerine ledger is balanced on Fridays."
CODES = {
    *("ok", "no_match", "filtered", "created", "revised", "reinforced", "unchanged", "candidate"),
    *("invalid", "denied", "not_found", "conflict", "refused", "stale_cursor"),
}
LEAKS = re.compile(
    r"Traceback|sqlite3?\.|OperationalError|fts5|unrecognized token|syntax error|"
    r"SELECT |INSERT |FROM record|\.py\b|memex\.db|memex_mcp/|site-packages",
    re.IGNORECASE,
)
STRINGS = [
    *("", " ", "\x00", "a\x00b", "\ud800", "x\udfffy", "\ufeff", "\u202e", "\r\n", "\u2028"),
    *('"', '""', '"unclosed', "'", "' OR 1=1 --", "NEAR(", "NEAR(a b, 2)", "a AND", "OR", "NOT x"),
    *("*", "a*", "^a", "a:b", "title:x", "{a b}:c", "-x", "+", "(", ")", "\\", "%", "_", ";", "`"),
    *("C:\\a\\b", "\\\\host\\share", "/etc/passwd", "../../x", "file:///x", "~", "src/a/b.py:42"),
    *("😀", "👩‍👩‍👧", "e\u0301", "步2 重跑gen-itgc后", "悬空", "数", "１２３", "ﬁ", "İ", "ß"),
    *("getUserById", "get_user_by_id", "E1234", "v2.3.1", "the", "what is the", "的"),
    *("<memex-recall nonce=0>", "</memex-record>", "Human:", "<|im_start|>", "{query}", "%s%n"),
    *("0", "-1", "1e999", "NaN", "null", "true", "2026-02-30", "9999-12-31", "0001-01-01", "now"),
    *("tangerine", "ledger balanced", "session", "workspace", "global", "retracted", "expired"),
    *("7" + "Z" * 25, "0" * 26, "8" + "0" * 25, "o" * 26),
]
NUMBERS = [0, 1, -1, 2, 50, 51, 2**31, 2**63, 2**64, 10**40, 0.5, -0.0, 1e308, 2.0]
ARGUMENTS = {
    "memory_search": [
        *("query", "variants", "limit", "kinds", "types", "tags", "path", "scope", "include"),
        *("as_of", "believed_at", "max_tokens", "open_top", "explain", "cursor"),
    ],
    "memory_open": ["id", "cursor", "max_tokens", "query", "revision", "events"],
    "memory_write": [
        *("text", "title", "type", "tags", "use_when", "aliases", "questions", "source"),
        *("source_version", "observed_at", "valid_from", "valid_to", "expires_at", "supersedes"),
        *("dedupe_key", "id", "scope", "salience"),
    ],
    "memory_set_status": ["id", "status", "reason", "superseded_by"],
}
FITTING: dict[str, Callable[[random.Random, list[str]], object]] = {
    "query": lambda dice, _: text(dice),
    "text": lambda dice, _: text(dice),
    "reason": lambda dice, _: text(dice),
    "variants": lambda dice, _: [text(dice) for _ in range(dice.randrange(4))],
    "tags": lambda dice, _: [text(dice) for _ in range(dice.randrange(3))],
    "include": lambda dice, _: dice.sample(["superseded", "retracted", "expired"], 2),
    "kinds": lambda *_: ["note"],
    "types": lambda *_: ["fact", "decision"],
    "limit": lambda dice, _: dice.randint(1, 50),
    "max_tokens": lambda dice, _: dice.randint(50, 20_000),
    "as_of": lambda *_: "2026-11-30",
    "believed_at": lambda *_: "2100-01-01",
    "id": lambda dice, known: dice.choice(known),
    "supersedes": lambda dice, known: dice.choice(known),
    "superseded_by": lambda dice, known: dice.choice(known),
    "status": lambda dice, _: dice.choice(["disputed", "archived", "retracted", "superseded"]),
    "scope": lambda dice, _: dice.choice(["session", "workspace", "global"]),
    "revision": lambda dice, _: dice.randint(1, 4),
    "open_top": lambda *_: True,
    "explain": lambda *_: True,
}
WEIGHTS = {"memory_search": 70, "memory_open": 14, "memory_write": 8, "memory_set_status": 8}


def text(dice: random.Random) -> str:
    """A few awkward strings in a row, now and then a very long one."""
    chosen = dice.choices(STRINGS, k=dice.choice([1, 1, 2, 3, 6]))
    joined = dice.choice([" ", "", "\n"]).join(chosen)
    if dice.random() < 0.002 and joined:
        return (joined * (100_000 // len(joined) + 1))[:100_000]
    return joined


def nonsense(dice: random.Random, depth: int = 0) -> object:
    """Any JSON value."""
    choice = dice.randrange(8 if depth < 4 else 5)
    if choice < 2:
        return text(dice)
    if choice == 2:
        return dice.choice(NUMBERS)
    if choice == 3:
        return dice.choice([None, True, False])
    if choice == 4:
        return dice.choice([[], {}])
    if choice == 5:
        return {text(dice)[:20]: nonsense(dice, depth + 1) for _ in range(dice.randrange(3))}
    return [nonsense(dice, depth + 1) for _ in range(dice.randrange(4))]


def calls(dice: random.Random, known: list[str], size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tool calls, most of them nearly right: each argument fits nine times in ten."""
    for _ in range(size):
        [tool] = dice.choices(list(WEIGHTS), list(WEIGHTS.values()))
        names = ARGUMENTS[tool]
        needed = {"memory_set_status": 3}.get(tool, 1)
        chosen = [*names[:needed], *dice.sample(names, dice.choice([0, 0, 1, 2, 3]))]
        given = {
            name: FITTING.get(name, nonsense)(dice, known)  # type: ignore[arg-type]  # depth 0 or ids
            if name in FITTING and dice.random() < 0.9
            else nonsense(dice)
            for name in chosen
        }
        if dice.random() < 0.03:
            given[text(dice)[:40]] = nonsense(dice)
        if dice.random() < 0.03:
            given.pop(names[0])
        yield tool, given


def sendable(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments without lone surrogates, which the SDK's own client cannot send."""
    written = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
    read: dict[str, Any] = json.loads(written)
    return read


def complaint(text: str, root: Path) -> str:
    """What is wrong with an answer; empty when nothing is."""
    code = re.split(r"[: ]", text, maxsplit=1)[0]
    if code not in CODES and not text.startswith("<memex-record") and " -> " not in text:
        return f"begins with {text[:60]!r}"
    if len(text) >= 10_000:
        return f"has {len(text)} characters"
    if str(root) in text:
        return "names the store"
    found = LEAKS.search(text.replace("src/a/b.py:42", ""))
    return f"says {found[0]!r}" if found else ""


@card("server.fuzz")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("part", range(4))
async def test_whatever_is_asked_is_answered_and_the_store_stays_sound(
    memory: Memory, root: Path, project: Path, part: int
) -> None:
    dice = random.Random(SEED + part)
    wrong = []
    codes: set[str] = set()
    async with connect(memory, project, ("auto", "legacy")[part % 2]) as client:
        known = [said(await client.call_tool("memory_write", {"text": PLANTED})).split()[1]]
        for n in range(8):
            wrote = await client.call_tool("memory_write", {"text": f"Ledger {n} is open."})
            known.append(said(wrote).split()[1])
        targets = known[1:]
        for tool, given in calls(dice, targets, 2_500):
            answer = said(await client.call_tool(tool, sendable(given)))
            codes.add(answer.partition(":")[0])
            if why := complaint(answer, root):
                wrong.append((why, tool, repr(given)[:300]))
        planted = said(await client.call_tool("memory_search", {"query": "tangerine ledger"}))

    assert wrong == []
    assert {"ok", "no_match", "filtered", "invalid", "denied", "not_found"} <= codes
    assert PLANTED in planted
    assert [finding.check for finding in memory.examine() if not finding.ok] == []


@pytest.mark.timeout(240)
def test_whatever_comes_down_the_pipe_is_answered(root: Path, project: Path) -> None:
    dice = random.Random(SEED)
    wrong = []
    with Serving(root, cwd=project) as server:
        known = [server.write(PLANTED), server.write("Ledger 2 is open.")]
        sent = {}
        for number, (tool, given) in enumerate(calls(dice, known[1:], 500), start=1_000):
            if number % 9 == 0:
                given["limit"] = dice.choice([float("nan"), float("inf"), -float("inf")])
            message = call(number, tool, **given)
            sent[number] = repr(given)[:300]
            server.wire.send(json.dumps(message).encode("ascii") + b"\n")
            answer = server.wire.answer(number)
            if "result" not in answer:
                wrong.append((str(answer)[:200], sent[number]))
                continue
            [block] = answer["result"]["content"]
            if why := complaint(block["text"], root):
                wrong.append((why, sent[number]))
        planted = server.text("memory_search", query="tangerine ledger")
        complaints = server.wire.stderr()

    assert wrong == []
    assert PLANTED in planted
    assert complaints == ""
