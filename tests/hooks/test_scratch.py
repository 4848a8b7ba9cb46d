"""What a session notes for itself alone goes some days after its end, and nothing else does."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex_mcp.errors import NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.browse import Grep
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Outcome, Relation, Scope, Surface
from memex_mcp.model.levels import Mode
from memex_mcp.model.query import Page, Query
from memex_mcp.model.record import Draft, Link
from memex_mcp.settings import Settings
from tests.card import card
from tests.hooks.using import Place, session
from tests.using import actions, rows, stored

WORD = "quokkabird"
NOTE = f"Tried the {WORD} flag on the parser; no effect."
KEPT = "The parser reads UTF-8 only."
DAYS = 7


def scratch(text: str = NOTE, **over: object) -> Draft:
    draft = Draft(text=text, scope=Scope.SESSION, tags=("scratch",))
    return replace(draft, **over)  # type: ignore[arg-type]  # fields of it


def passed(memory: Memory, days: int) -> None:
    """Let so many days pass for what ends by itself."""
    with rows(memory) as db:
        db.execute("UPDATE record SET expires_at = expires_at - ?", (days * 86_400_000,))


def ids(memory: Memory, caller: Caller) -> set[str]:
    return {each.id for each in memory.listing(caller, every=True, limit=200).records}


def traces(memory: Memory, record_id: str) -> list[str]:
    """Tables and files that still know a record by its id or its words; the trail aside."""
    with rows(memory) as db:
        known = [
            table
            for table in ("record", "revision", "mirror_file", "mirror_queue")
            if record_id in str([tuple(row) for row in db.execute(f"SELECT * FROM {table}")])
        ]
        known += [
            table
            for table in ("card_index", "body_index")
            if db.execute(f"SELECT 1 FROM {table} WHERE {table} MATCH ?", (WORD,)).fetchone()
        ]
    files = (memory.settings.home / "records").rglob("*")
    return known + [str(path) for path in files if record_id in str(path)]


@card("scratch.ends")
def test_after_the_end_of_its_session_and_some_days_a_scratch_note_is_gone(place: Place) -> None:
    with closing(place.memory()) as memory:
        mine = memory.caller(
            Evidence(
                surface=Surface.TOOL,
                client="claude",
                workspace=place.project,
                session_id=session("claude"),
            )
        )
        other = replace(mine, session_id="s-other")
        gone = memory.write(scratch(), mine).id
        linked = memory.write(Draft(text=KEPT, scope=Scope.SESSION), mine).id
        memory.link(Link(from_id=linked, to_id=gone, relation=Relation.RELATED), mine)
        pinned = memory.write(scratch("The parser hangs on BOMs."), mine).id
        memory.pin(pinned, mine)
        shared_one = memory.write(scratch("Ask Ana about it.", scope=Scope.WORKSPACE), mine).id
        theirs = memory.write(scratch("Look at the tokenizer."), other).id

        place.hook("claude", "session-end")

        spans = {
            each: memory.open(each, mine, Page(events=True))
            for each in ids(memory, mine)
            if memory.open(each, mine).record.kind is Kind.SPAN
        }
        assert len(spans) == 2
        passed(memory, DAYS - 1)
        memory.refresh()
        assert NOTE in memory.open(gone, mine).text
        passed(memory, 1)
        memory.refresh()

        with pytest.raises(NotFound):
            memory.open(gone, mine)
        assert memory.search(Query(text=WORD), mine).hits == ()
        assert memory.grep(Grep(pattern=WORD), mine).lines == ()
        assert traces(memory, gone) == []
        assert {linked, pinned, shared_one, *spans} <= ids(memory, mine)
        assert theirs in ids(memory, other)
        for record_id, before in spans.items():
            after = memory.open(record_id, mine, Page(events=True))
            assert (after.record.body, after.events) == (before.record.body, before.events)
        assert memory.open(linked, mine).links == ()
        assert [each.detail for each in memory.examine() if not each.ok] == []


def test_nobody_refused_it_and_its_trail_stays(memory: Memory, agent: Caller) -> None:
    one = memory.write(scratch(), agent).id
    memory.ended(agent)
    passed(memory, DAYS)
    memory.refresh()

    assert actions(memory) == ["create", "expire", "purge"]
    assert memory.tombstones(agent) == []
    again = memory.write(scratch(), agent)
    assert (again.outcome, again.id == one) == (Outcome.CREATED, False)


def test_a_rebuild_does_not_bring_it_back(memory: Memory, agent: Caller) -> None:
    gone = memory.write(scratch(), agent).id
    kept = memory.write(Draft(text=KEPT, scope=Scope.SESSION), agent).id
    memory.ended(agent)
    passed(memory, DAYS)
    memory.refresh()

    memory.rebuild_from_files()

    assert ids(memory, agent) == {kept}
    assert traces(memory, gone) == []


def test_a_session_that_ends_again_does_not_put_it_off(memory: Memory, agent: Caller) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2)
    sooner = memory.write(scratch("Until tonight.", expires_at=soon), agent).id
    one = memory.write(scratch(), agent).id
    memory.ended(agent)
    first = stored(memory, agent, one)
    memory.ended(agent)

    assert stored(memory, agent, one).times == first.times
    assert stored(memory, agent, sooner).times.expires_at == soon


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.READ_ONLY, Mode.AUTO])
def test_where_nothing_may_be_written_no_session_ends(
    memory: Memory, agent: Caller, mode: Mode
) -> None:
    one = memory.write(scratch(), agent).id
    memory.switches.set_mode(mode, agent)

    memory.ended(agent)

    memory.switches.set_mode(Mode.AUTO, agent)
    assert (stored(memory, agent, one).times.expires_at is None) == (mode is not Mode.AUTO)


def test_how_long_it_stays_is_a_setting(root: Path, project: Path) -> None:
    with closing(Memory(Settings(home=root, scratch_days=30))) as memory:
        mine = memory.caller(
            Evidence(surface=Surface.TOOL, client="a", workspace=project, session_id="s-a")
        )
        one = memory.write(scratch(), mine).id
        memory.ended(mine)

        ends = stored(memory, mine, one).times.expires_at
    assert ends is not None
    assert timedelta(days=29) < ends - datetime.now(UTC) <= timedelta(days=30)


def test_what_is_shared_goes_with_no_session(memory: Memory, agent: Caller) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    kept = memory.write(scratch(scope=Scope.WORKSPACE, expires_at=past), agent).id
    gone = memory.write(scratch(expires_at=past), agent).id

    memory.refresh()

    assert (kept in ids(memory, agent), gone in ids(memory, agent)) == (True, False)


def test_no_tag_makes_an_archive_end(memory: Memory, agent: Caller) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)
    kept = memory.write(scratch(kind=Kind.SPAN, expires_at=past), hook).id
    gone = memory.write(scratch("Something else.", expires_at=past), agent).id

    memory.refresh()

    assert (kept in ids(memory, agent), gone in ids(memory, agent)) == (True, False)
