"""No secret of a transcript is in any file of the store, however the client spelled it."""

import json

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Page
from tests.archive.using import kept_lines
from tests.card import card
from tests.claude_file import ClaudeFile
from tests.text.benign_samples import benign
from tests.text.secret_samples import samples
from tests.using import rows

SAMPLES = samples(seed=11)


def spellings(secret: str) -> set[bytes]:
    """The lines of a secret that are worth keeping secret, plain and as JSON spells them."""
    found = set()
    for line in secret.replace("\\n", "\n").splitlines():
        if len(line) < 8 or line.startswith(("-----", "Version:")):
            continue
        once = json.dumps(line)[1:-1]
        found |= {line.encode(), once.encode(), json.dumps(once)[1:-1].encode()}
    return found


def everything(memory: Memory, caller: Caller) -> bytes:
    """Every file of the store, and what the database holds compressed."""
    with rows(memory) as db:
        ids = [row[0] for row in db.execute("SELECT id FROM record ORDER BY n")]
    parts: list[str] = []
    for record_id in ids:
        opened = memory.open(record_id, caller, Page(events=True, max_tokens=1_000_000_000))
        parts += [opened.record.body, opened.text]
    memory.close()
    files = [path.read_bytes() for path in memory.settings.home.rglob("*") if path.is_file()]
    return b"\n".join([*files, "\n".join(parts).encode("utf-8", "surrogateescape")])


@card("secrets.masked")
@pytest.mark.usefixtures("on")
def test_every_shape_is_gone_from_every_place_that_a_turn_has(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    for sample in SAMPLES:
        nested = json.dumps({"env": json.dumps({"line": sample.text})})
        talk.asks(f"Take this otter: {sample.text}")
        call = talk.calls("Bash", command=sample.text, arguments=nested, file_path="a.txt")
        talk.gets(call, sample.text)
        talk.answers(sample.text)

    told = memory.archive.capture(talk.path, "claude", hook)

    assert told.new == len(SAMPLES)
    assert told.masked >= 6 * len(SAMPLES)
    assert len(kept_lines(memory)) == 4 * len(SAMPLES)
    kept = everything(memory, hook)
    assert b"otter" in kept
    assert [
        (sample.shape, spelled)
        for sample in SAMPLES
        for spelled in spellings(sample.secret)
        if spelled in kept
    ] == []


@pytest.mark.usefixtures("on")
def test_every_line_stays_json_and_keeps_its_hash(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    for sample in SAMPLES:
        talk.turn(sample.text, json.dumps({"said": sample.text, "password": 1234567890123}))

    ids = memory.archive.capture(talk.path, "claude", hook).ids

    lines = [line for each in ids for line in memory.open(each, hook, Page(events=True)).events]
    assert len(lines) == 2 * len(SAMPLES)
    assert all(json.loads(line.data)["uuid"] for line in lines)


@pytest.mark.usefixtures("on")
def test_nothing_is_masked_where_there_is_no_secret(
    memory: Memory, hook: Caller, talk: ClaudeFile
) -> None:
    lines = benign(seed=11)
    for first in range(0, len(lines), 20):
        text = "\n".join(lines[first : first + 20])
        talk.works(text, "Bash", text, text, command=text, file_path="a.txt")

    told = memory.archive.capture(talk.path, "claude", hook)

    assert (told.new, told.masked) == (len(lines) // 20, 0)
    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM event WHERE masked").fetchone()[0] == 0


def test_samples_are_of_sixty_shapes_at_least() -> None:
    assert len({sample.shape for sample in SAMPLES}) >= 60
