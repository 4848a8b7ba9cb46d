"""Nothing that a file holds makes reading it fail."""

import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.capture import drafts, reading
from memex_mcp.capture.split import parts
from memex_mcp.model.kinds import Scope
from tests.capture import made
from tests.capture.made import CLIENTS
from tests.capture.made_lines import Call, Exchange
from tests.capture.reader import written

SESSION = "01234567-89ab-4cde-8f01-23456789abcd"
_WORDS = ["user", "assistant", "gemini", "tool_result", "text", "image", "image/png", "system", ""]


def _samples(client: str) -> list[object]:
    turn = Exchange(
        prompt="p", answer="a", calls=(Call(name="Read", path="a"),), compacted=True, image=b"x"
    )
    return [json.loads(line) for line in made.session_lines(client, SESSION, [turn])]


def _junk(chance: random.Random, depth: int = 0) -> object:
    leaves = [None, True, -1, 1.5, 10**30, "\ud800", "\0", "9" * 40, *_WORDS]
    if depth < 3 and chance.random() < 0.4:
        count = chance.randrange(3)
        if chance.random() < 0.5:
            return [_junk(chance, depth + 1) for _ in range(count)]
        keys = chance.sample(["type", "text", "id", "content"], count)
        return {key: _junk(chance, depth + 1) for key in keys}
    return chance.choice(leaves)


def _broken(value: object, chance: random.Random) -> object:
    """A real entry in which anything may be something else, or missing."""
    if chance.random() < 0.05:
        return _junk(chance)
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if chance.random() < 0.95}
        return {key: _broken(inner, chance) for key, inner in kept.items()}
    if isinstance(value, list):
        return [_broken(inner, chance) for inner in value]
    return value


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("seed", range(4))
def test_entries_with_anything_in_them_are_read(tmp_path: Path, client: str, seed: int) -> None:
    chance = random.Random(f"{client}{seed}")
    samples = _samples(client)

    read = [
        _is_read(tmp_path, client, [_broken(each, chance) for each in samples]) for _ in range(100)
    ]

    # What is broken is passed over, and what is not is still found.
    assert 0 < sum(read) < 100 * _is_read(tmp_path, client, samples)


def _is_read(folder: Path, client: str, entries: list[object]) -> int:
    """Lines that are conversation, once all that may be done with them was done."""
    path = written(folder, [json.dumps(entry) for entry in entries])

    read = reading.read(path, client)
    reading.last_answer(path, client)

    steps = [step for turn in read.turns for step in turn.steps]
    assert len(steps) + sum(read.skipped.values()) == len(entries)
    for turn in read.turns:
        assert [step for part in parts(turn, 5) for step in part] == list(turn.steps)
        told = drafts.spans(turn, read.source, None)
        kept = drafts.checkpoint(turn, read.source, Scope.SESSION, None)
        for draft in [*told, *([kept] if kept else [])]:
            assert draft.title
            (draft.text + draft.title + draft.source).encode()
    return len(steps)


@pytest.mark.parametrize("client", CLIENTS)
@settings(max_examples=40)
@given(content=st.binary(max_size=300))
def test_bytes_that_are_anything_are_read(client: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(content)

        read = reading.read(path, client)

        assert reading.last_answer(path, client) == ""
    assert read.turns == ()
    assert read.stop == content.rfind(b"\n") + 1
