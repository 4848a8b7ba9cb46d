"""The user's choice ``private``: secrets stay in the lines of a session's archive, nowhere else."""

import json
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.errors import NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind
from memex_mcp.model.levels import Level
from memex_mcp.model.query import Page
from memex_mcp.model.record import Draft
from memex_mcp.settings import Secrets, Settings
from tests.archive.test_secrets import SAMPLES, spellings
from tests.archive.using import hashes, kept_lines, kinds
from tests.card import card
from tests.claude_file import ClaudeFile
from tests.using import audited, found, rows

KEY = "ghp_" + "a1B2" * 9
LINES = ".events.jsonl"

Opens = Callable[..., Memory]


@pytest.fixture
def opens(root: Path) -> Generator[Opens]:
    memories: list[Memory] = []

    def made(secrets: Secrets = "private", home: Path = root) -> Memory:
        memories.append(Memory(Settings(home=home, secrets=secrets)))
        return memories[-1]

    yield made
    for memory in memories:
        memory.close()


def turn_on(memory: Memory, person: Caller, *levels: Level) -> None:
    for level in levels:
        memory.switches.turn_on(level, person)


def outside_lines(memory: Memory, callers: list[Caller]) -> bytes:
    """Every file of the store but those of lines, and what the records of callers say."""
    records = [record for each in callers for record in memory.listing(each, limit=200).records]
    said = [str(memory.open(each.id, caller).record) for each in records for caller in callers[:1]]
    memory.close()
    files = [path for path in memory.settings.home.rglob("*") if path.is_file()]
    parts = [path.read_bytes() for path in files if not path.name.endswith(LINES)]
    return b"\n".join([*parts, "\n".join(said).encode("utf-8", "surrogateescape")])


@card("secrets.private")
def test_a_secret_stays_in_the_lines_of_its_session_and_is_masked_everywhere_else(
    opens: Opens, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory = opens()
    turn_on(memory, person, *Level)
    for sample in SAMPLES:
        nested = json.dumps({"env": json.dumps({"line": sample.text})})
        talk.asks(f"Take this otter: {sample.text}")
        talk.gets(talk.calls("Bash", command=sample.text, arguments=nested), sample.text)
        talk.answers(sample.text)

    told = memory.archive.capture(talk.path, "claude", hook)

    assert (told.new, told.skipped) == (len(SAMPLES), {})
    assert told.masked >= len(SAMPLES)
    assert kept_lines(memory) == hashes(talk.path)
    lines = [line for each in told.ids for line in _lines(memory, hook, each)]
    # Turns that say the same but for their secrets are one record, which has the lines of both.
    assert sorted(lines) == sorted(talk.path.read_text(encoding="utf-8").splitlines())
    kept = outside_lines(memory, [hook])
    assert b"otter" in kept
    assert [
        (sample.shape, spelled)
        for sample in SAMPLES
        for spelled in spellings(sample.secret)
        if spelled in kept
    ] == []


def _lines(memory: Memory, caller: Caller, record_id: str) -> list[str]:
    opened = memory.open(record_id, caller, Page(events=True, max_tokens=1_000_000))
    return [line.data for line in opened.events] if opened.record.kind is Kind.SPAN else []


def test_what_only_a_line_gives_away_is_masked_in_what_is_shared(
    opens: Opens, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory = opens()
    turn_on(memory, person, *Level)
    word = "otterly-1234-hidden"
    talk._add("user", "Log in.", password=word)
    talk.answers(f"I used {word} for the otter.")

    span, checkpoint = memory.archive.capture(talk.path, "claude", hook).ids

    sibling = replace(hook, session_id="another")
    shared = memory.open(checkpoint, sibling).text
    assert "for the otter" in shared and word not in shared
    assert word not in memory.open(span, hook).text
    assert word in "".join(_lines(memory, hook, span))
    assert word.encode() not in outside_lines(memory, [hook])
    with pytest.raises(NotFound):
        opens().open(span, sibling, Page(events=True))


def test_a_password_that_is_a_word_is_masked_where_it_is_one(
    opens: Opens, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory = opens()
    turn_on(memory, person, *Level)
    talk.turn("The otter is at postgres://ann:swordfishes@db/x.", "It likes swordfishes.")

    span, _ = memory.archive.capture(talk.path, "claude", hook).ids

    told = memory.open(span, hook).text
    assert "ann:[MASKED:" in told and "likes swordfishes" in told
    assert "ann:swordfishes@" in "".join(_lines(memory, hook, span))
    assert b"ann:swordfishes@" not in outside_lines(memory, [hook])


@card("secrets.private")
def test_where_only_the_shared_archive_is_on_such_a_turn_is_left_out_and_counted(
    opens: Opens, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory = opens()
    turn_on(memory, person, Level.L3)
    talk.turn(f"Deploy the otter with {KEY}.", "Done.")
    talk.turn("Where does the otter sleep?", "In the river.")

    told = memory.archive.capture(talk.path, "claude", hook)
    again = memory.archive.capture(talk.path, "claude", hook)

    assert (told.new, told.skipped, told.masked) == (1, {"secrets": 1}, 0)
    assert (again.new, again.records) == (0, 0)
    # Another choice later on brings nothing back by itself.
    copy = talk.path.with_name(f"copy-{talk.path.name}")
    copy.write_bytes(talk.path.read_bytes())
    assert opens("mask").archive.capture(copy, "claude", hook).new == 0
    assert kinds(memory) == [("checkpoint", "workspace")]
    assert found(memory, hook, "where does the otter sleep")
    asked = memory.archive.capture(talk.path, "claude", hook, explicit=True)
    assert (asked.new, asked.known, asked.skipped) == (1, 1, {})
    assert kinds(memory)[1:] == [("span", "session"), ("checkpoint", "workspace")]
    assert KEY in "".join(_lines(memory, hook, asked.ids[0]))


def test_that_secrets_are_kept_is_on_record(
    opens: Opens, hook: Caller, talk: ClaudeFile, person: Caller
) -> None:
    memory = opens()
    turn_on(memory, person, Level.L2)
    talk.turn(f"Deploy with {KEY}.", "Done.")
    talk.turn("Deploy without.", "Done, too.")

    memory.archive.capture(talk.path, "claude", hook)

    reasons = [reason for action, reason in audited(memory) if action == "create"]
    assert reasons == ["secrets are kept in private lines", "", "", ""]


def test_a_note_is_masked_and_no_agent_makes_it_a_span(opens: Opens, agent: Caller) -> None:
    memory = opens()

    written = memory.write(Draft(text=f"The otter deploys with {KEY}."), agent)

    assert written.masked == ("github-token",)
    assert "[MASKED:github-token]" in memory.open(written.id, agent).text


@pytest.mark.parametrize(("later", "stays"), [("private", True), ("mask", False)])
def test_files_alone_give_the_lines_back_as_the_user_wants_them_now(
    opens: Opens,
    hook: Caller,
    talk: ClaudeFile,
    person: Caller,
    later: Secrets,
    *,
    stays: bool,
) -> None:
    memory = opens()
    turn_on(memory, person, Level.L2)
    talk.turn(f"Deploy the otter with {KEY}.", "Done.")
    span, _ = memory.archive.capture(talk.path, "claude", hook).ids
    memory.close()
    for path in memory.settings.home.glob("memex.db*"):
        path.unlink()

    rebuilt = opens(later)
    rebuilt.rebuild_from_files()

    told = "".join(_lines(rebuilt, hook, span))
    assert "otter" in told
    assert (KEY in told) is stays
    with rows(rebuilt) as db:
        assert db.execute("SELECT count(*) FROM event").fetchone()[0] == 2
