"""What each read shows of the same store to two callers, one of whom owns nothing of it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex_mcp.errors import Invalid, NotFound, StaleCursor
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import NoteType, Scope, State, Status, Surface
from memex_mcp.model.query import Page, Query
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.settings import Settings
from tests.using import HERON, NEW_PORT, OTHER, QUESTION

ASKED = Query(text=QUESTION)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Two:
    """One caller with a private and a shared record, and one in another workspace."""

    owner: Caller
    stranger: Caller
    private: str
    shared: str


@pytest.fixture
def two(memory: Memory, agent: Caller, tmp_path: Path) -> Two:
    (tmp_path / "elsewhere").mkdir()
    stranger = memory.caller(
        Evidence(
            surface=Surface.TOOL,
            client="agent-a",
            workspace=tmp_path / "elsewhere",
            session_id="s-a",
        )
    )
    private = memory.write(replace(HERON, scope=Scope.SESSION), agent)
    shared = memory.write(replace(OTHER, text="The staging gateway runs on port 8080."), agent)
    return Two(agent, stranger, private.id, shared.id)


def tick() -> datetime:
    """A moment after everything before it and before everything after it."""
    at = now()
    while now() == at:
        pass  # The clock counts milliseconds.
    at = now()
    while now() == at:
        pass
    return at


def ids(memory: Memory, query: Query, caller: Caller) -> list[str]:
    return [hit.id for hit in memory.search(query, caller).hits]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("staging database port", id="words"),
        pytest.param("blue heron", id="card only"),
        pytest.param('"staging database"', id="verbatim"),
        pytest.param('"blue heron"', id="verbatim on the card"),
        pytest.param("5433", id="a number"),
    ],
)
def test_a_search_finds_and_counts_what_its_caller_owns(
    memory: Memory, two: Two, text: str
) -> None:
    every = Query(text=text, include=(*Status, "expired"))

    mine = memory.search(every, two.owner)
    assert two.private in [hit.id for hit in mine.hits]
    assert mine.searched == {"hot": 2, "cold": 0}
    theirs = memory.search(every, two.stranger)
    assert (theirs.state, theirs.hits) == (State.EMPTY_ARCHIVE, ())
    assert theirs.searched == {"hot": 0, "cold": 0}
    sibling = memory.search(every, replace(two.owner, session_id="s-b"))
    assert two.private not in [hit.id for hit in sibling.hits]
    assert sibling.searched == {"hot": 1, "cold": 0}


def test_list_catalog_and_status_show_what_their_caller_owns(memory: Memory, two: Two) -> None:
    sibling = replace(two.owner, session_id="s-b")
    seen = {"owner": (two.owner, {two.private, two.shared}), "sibling": (sibling, {two.shared})}
    seen["stranger"] = (two.stranger, set())

    for caller, expected in seen.values():
        listed = memory.listing(caller, every=True).records
        assert {record.id for record in listed} == expected
        catalog = memory.catalog(caller)
        assert {each for each in (two.private, two.shared) if each in catalog} == expected
        status = memory.status(caller)
        assert sum(status.by_status.values()) == len(expected)
        assert sum(level.records for level in status.levels) == len(expected)


def test_tombstones_are_told_to_those_they_bind(memory: Memory, two: Two) -> None:
    memory.set_status(two.private, Status.RETRACTED, two.owner, reason="never true")

    for caller, count in ((two.owner, 1), (two.stranger, 0)):
        assert len(memory.tombstones(caller)) == count
        assert memory.status(caller).tombstones == count
    assert memory.tombstones(replace(two.owner, session_id="s-b")) == []


def test_an_expired_record_is_in_no_list_until_all_are_asked_for(
    memory: Memory, agent: Caller
) -> None:
    gone = memory.write(replace(HERON, expires_at=LONG_AGO), agent)
    here = memory.write(OTHER, agent)

    assert [record.id for record in memory.listing(agent).records] == [here.id]
    assert gone.id not in memory.catalog(agent)
    assert {record.id for record in memory.listing(agent, every=True).records} == {gone.id, here.id}


def test_what_stands_close_is_told_within_one_scope_and_while_it_is_current(
    memory: Memory, two: Two
) -> None:
    sibling = replace(two.owner, session_id="s-b")
    others = [
        memory.write(replace(NEW_PORT, scope=Scope.SESSION), sibling),
        memory.write(NEW_PORT, two.owner),
        memory.write(NEW_PORT, two.stranger),
    ]
    assert [(one.similar, one.conflicts) for one in others] == [((), ())] * 3

    against = memory.write(replace(NEW_PORT, scope=Scope.SESSION), two.owner)
    assert [one.id for one in against.conflicts] == [two.private]
    memory.set_status(against.id, Status.ARCHIVED, two.owner, reason="tidy")
    third = Draft(text="The staging database listens on port 7777.", scope=Scope.SESSION)
    assert [one.id for one in memory.write(third, two.owner).conflicts] == [two.private]


def test_a_revision_does_not_stand_against_itself(memory: Memory, agent: Caller) -> None:
    old = memory.write(replace(HERON, title="Staging"), agent)
    memory.write(replace(NEW_PORT, title="Other"), agent)

    again = memory.write(replace(HERON, id=old.id, tags=("ops",)), agent)

    assert old.id not in {one.id for one in (*again.similar, *again.conflicts)}
    assert again.conflicts


def test_what_was_believed_then_is_told_to_its_owner_in_the_words_of_then(
    memory: Memory, two: Two
) -> None:
    before = tick()
    memory.write(Draft(text="The staging database moved to a socket.", id=two.private), two.owner)

    then = replace(ASKED, believed_at=before, text="database 5433")
    [hit] = memory.search(then, two.owner).hits
    assert hit.id == two.private
    assert "5433" in hit.snippet
    assert ids(memory, replace(then, text="database socket 5433"), two.stranger) == []
    assert ids(memory, then, replace(two.owner, session_id="s-b")) == []
    # What was written since is not what was believed then.
    assert "socket" not in repr(memory.search(replace(then, text="database socket"), two.owner))
    assert ids(memory, replace(then, believed_at=LONG_AGO), two.owner) == []


@pytest.mark.parametrize(
    "narrower",
    [
        pytest.param({"kinds": ("span",)}, id="kind"),
        pytest.param({"types": (NoteType.TASK,)}, id="type"),
        pytest.param({"tags": ("elsewhere",)}, id="tag"),
        pytest.param({"family": "chat"}, id="family"),
        pytest.param({"scope": Scope.SESSION}, id="scope"),
        pytest.param({"path": "src/elsewhere"}, id="path"),
        pytest.param({"as_of": LONG_AGO - timedelta(days=1)}, id="not true yet"),
        pytest.param({"as_of": datetime(2100, 1, 1, tzinfo=UTC)}, id="true no more"),
    ],
)
def test_every_filter_applies_to_the_versions_of_then(
    memory: Memory, agent: Caller, narrower: dict[str, object]
) -> None:
    draft = replace(
        HERON,
        tags=("ops",),
        source="src/ops.md:1",
        valid_from=LONG_AGO,
        valid_to=datetime(2099, 1, 1, tzinfo=UTC),
    )
    written = memory.write(draft, agent)
    before = tick()
    memory.write(replace(OTHER, id=written.id), agent)
    then = replace(ASKED, believed_at=before)

    assert ids(memory, replace(then, tags=("ops",), path="src"), agent) == [written.id]
    assert ids(memory, replace(then, **narrower), agent) == []  # type: ignore[arg-type]  # filters by name


def test_what_was_withdrawn_or_expired_by_then_was_not_believed(
    memory: Memory, agent: Caller, person: Caller
) -> None:
    wrong = memory.write(HERON, agent)
    gone = memory.write(replace(NEW_PORT, expires_at=LONG_AGO), agent)
    here = memory.write(Draft(text="The staging database has a standby port."), agent)
    memory.set_status(wrong.id, Status.ARCHIVED, agent, reason="tidy")
    then = replace(ASKED, believed_at=tick())

    assert ids(memory, then, agent) == [here.id]
    every = replace(then, include=("archived", "expired"))
    assert set(ids(memory, every, agent)) == {wrong.id, gone.id, here.id}
    # What becomes of them later changes nothing about then.
    memory.set_status(wrong.id, Status.ACTIVE, person, reason="after all")
    memory.write(replace(NEW_PORT, id=gone.id, text="The staging database moved."), agent)
    assert ids(memory, then, agent) == [here.id]
    assert set(ids(memory, every, agent)) == {wrong.id, gone.id, here.id}


def test_a_page_costs_what_was_asked_and_its_cursor_serves_one_text_of_one_record(
    memory: Memory, agent: Caller
) -> None:
    long = Draft(text="\n\n".join(f"Step {n}: restart gateway number {n}." for n in range(150)))
    first, second = memory.write(long, agent), memory.write(OTHER, agent)

    page = memory.open(first.id, agent, Page(max_tokens=60))
    assert 0 < len(page.text) < 400
    assert page.next_cursor is not None
    following = Page(cursor=page.next_cursor, max_tokens=60)
    assert memory.open(first.id, agent, following).offset == len(page.text)
    with pytest.raises(Invalid):
        memory.open(second.id, agent, following)
    memory.write(replace(NEW_PORT, id=first.id), agent)
    with pytest.raises(StaleCursor):
        memory.open(first.id, agent, following)
    assert memory.open(first.id, agent, Page(revision=1)).record.body == long.text
    with pytest.raises(NotFound):
        memory.open(first.id, agent, Page(revision=3))


def test_a_caller_is_what_its_evidence_and_the_settings_say(root: Path, project: Path) -> None:
    memory = Memory(Settings(home=root, global_writers=("listed",), session_id="s-env"))
    shown = Evidence(surface=Surface.TOOL, client="agent-a", workspace=project)

    plain = memory.caller(shown)
    assert (plain.readonly, plain.human, plain.writes_as, plain.global_writer) == (
        False,
        False,
        "agent",
        False,
    )
    assert plain.session_id == "s-env"
    assert memory.caller(replace(shown, session_id="s-a")).session_id == "s-a"
    for none in ("s\na", " ", "s" * 201):
        assert memory.caller(replace(shown, session_id=none)).session_id is None
    assert memory.caller(replace(shown, readonly=True)).readonly
    assert memory.caller(replace(shown, human=True)).writes_as == "human"
    assert memory.caller(replace(shown, client="listed")).global_writer


@pytest.mark.parametrize("missing", ["project", "root"])
def test_a_place_that_cannot_be_made_out_is_not_guessed(
    root: Path, project: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.chdir(project)
    nowhere = str(project / "missing")
    memory = Memory(Settings(home=root, project=nowhere if missing == "project" else None))
    evidence = Evidence(surface=Surface.TOOL, client="agent-a")
    roots = (nowhere,) if missing == "root" else ()

    assert memory.caller(replace(evidence, roots=roots)).workspace is None
    assert Memory(Settings(home=root)).caller(evidence).workspace is not None
