"""Automatic links as the one door makes them, and what they never touch."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Scope, Status, Surface
from memex_mcp.model.record import Draft, Link
from memex_mcp.policy.association import HOLDERS, MOST
from memex_mcp.settings import Settings
from memex_mcp.store import associations, index, records
from memex_mcp.store.migrations import get_meta, migrate
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.text.words import ANALYZER_VERSION
from tests.card import card
from tests.make import make_db, make_record
from tests.using import rows, stored

Edge = tuple[str, str, str, float]


def edges(memory: Memory) -> set[Edge]:
    with rows(memory) as db:
        return read(db)


def read(db: sqlite3.Connection) -> set[Edge]:
    sql = (
        "SELECT a.id, b.id, l.relation, round(l.weight, 6) FROM association AS l"
        " JOIN record AS a ON a.n = l.low_n JOIN record AS b ON b.n = l.high_n"
    )
    return {tuple(row) for row in db.execute(sql)}


def write(memory: Memory, caller: Caller, text: str, **over: object) -> str:
    return memory.write(replace(Draft(text=text), **over), caller).id  # type: ignore[arg-type]  # fields by name


def put(db: sqlite3.Connection, **over: object) -> int:
    record = make_record(**over)
    n = records.insert(db, record)
    associations.follow(db, n, None, record)
    return n


@card("links.automatic")
def test_a_note_is_linked_to_those_that_name_the_same_rare_thing(
    memory: Memory, agent: Caller
) -> None:
    pool = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    order = write(memory, agent, "Restart order stands in src/pool.py and docs/run.md.")
    write(memory, agent, "Queues are drained by `src/queue.py`.")
    tagged = write(memory, agent, "The heron is blue.", tags=("birds",))
    alike = write(memory, agent, "Swifts arrive in May.", tags=("Birds",))

    assert edges(memory) == {
        (pool, order, "same-entity", 0.7),
        (tagged, alike, "related", 0.6),
    }


@card("links.harmless")
def test_a_link_changes_nothing_of_the_record_at_its_other_end(
    memory: Memory, agent: Caller
) -> None:
    first = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    before = stored(memory, agent, first)
    with rows(memory) as db:
        audited = db.execute("SELECT count(*) FROM audit").fetchone()[0]

    second = write(memory, agent, "Restart order stands in src/pool.py.")

    after = stored(memory, agent, first)
    assert edges(memory) == {(first, second, "same-entity", 0.9)}
    assert replace(after, opened_count=0, last_opened_at=None) == replace(
        before, opened_count=0, last_opened_at=None
    )
    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM audit").fetchone()[0] == audited + 1
        assert db.execute("SELECT count(*) FROM mirror_queue").fetchone()[0] == 0


@card("links.scope")
def test_no_automatic_link_crosses_a_scope(root: Path, tmp_path: Path) -> None:
    memory = Memory(Settings(home=root, global_writers=("agent-a",)))
    callers = []
    for name, session in (("a", "s-1"), ("a", "s-2"), ("b", "s-1")):
        (tmp_path / name).mkdir(exist_ok=True)
        evidence = Evidence(
            surface=Surface.TOOL, client="agent-a", workspace=tmp_path / name, session_id=session
        )
        callers.append(memory.caller(evidence))
    text = "Pool {} is kept in `src/pool.py`."
    here = write(memory, callers[0], text.format(1))
    for number, (who, scope) in enumerate(
        (
            (callers[0], Scope.SESSION),
            (callers[1], Scope.SESSION),
            (callers[2], Scope.WORKSPACE),
            (callers[0], Scope.GLOBAL),
        )
    ):
        write(memory, who, text.format(10 + number), scope=scope)

    crossing = edges(memory)
    beside = write(memory, callers[1], text.format(2))

    assert crossing == set()
    assert edges(memory) == {(here, beside, "same-entity", 0.9)}
    memory.close()


def test_a_name_that_many_hold_ties_nobody_any_more(memory: Memory, agent: Caller) -> None:
    pair = [write(memory, agent, f"`README.md` and `src/rare.py`, part {n}.") for n in range(2)]
    text = "Chapter {} of ./README.md is about something else."
    few = [write(memory, agent, text.format(n)) for n in range(HOLDERS - 2)]
    linked = edges(memory)

    last = write(memory, agent, text.format(99))

    ends = {end for edge in linked for end in edge[:2]}
    assert ends == {*pair, *few}
    assert len(linked) == HOLDERS * (HOLDERS - 1) // 2
    # What they share beside it still ties those two.
    assert {edge[:2] for edge in edges(memory)} == {tuple(pair)}
    assert last not in {end for edge in edges(memory) for end in edge[:2]}


def test_a_record_has_no_more_links_than_it_may() -> None:
    db = make_db()
    names = tuple(f"e{n}.py" for n in range(8))
    for name in names:
        for _ in range(4):
            put(db, entities=(name,))

    middle = put(db, entities=names)

    count = "SELECT count(*) FROM association WHERE ? IN (low_n, high_n)"
    assert db.execute(count, (middle,)).fetchone()[0] == MOST
    # Nor does a later one add to it.
    put(db, entities=(names[0],))
    assert db.execute(count, (middle,)).fetchone()[0] == MOST
    db.close()


def test_a_revision_has_the_links_of_what_it_says_now(memory: Memory, agent: Caller) -> None:
    pool = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    queue = write(memory, agent, "The queue in `src/queue.py` holds 7.")
    third = write(memory, agent, "Read src/pool.py first.")
    assert edges(memory) == {(pool, third, "same-entity", 0.9)}

    write(memory, agent, "Read src/queue.py first.", id=third)

    assert edges(memory) == {(queue, third, "same-entity", 0.9)}


@pytest.mark.parametrize("status", [Status.RETRACTED, Status.ARCHIVED])
def test_what_is_put_aside_has_no_links_until_it_is_current_again(
    memory: Memory, agent: Caller, person: Caller, status: Status
) -> None:
    first = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    second = write(memory, agent, "Read src/pool.py first.")
    linked = edges(memory)
    assert len(linked) == 1

    memory.set_status(second, status, agent, reason="wrong")
    aside = edges(memory)
    third = write(memory, agent, "Mind the lock in src/pool.py.")

    assert aside == set()
    assert edges(memory) == {(first, third, "same-entity", 0.9)}
    memory.set_status(second, Status.ACTIVE, person, reason="right after all")
    assert linked < edges(memory)


def test_a_superseded_record_hands_its_links_over(memory: Memory, agent: Caller) -> None:
    other = write(memory, agent, "Read src/pool.py first.")
    old = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    assert {edge[:2] for edge in edges(memory)} == {(other, old)}

    new = write(memory, agent, "The pool in `src/pool.py` holds 80.", supersedes=old)

    assert {edge[:2] for edge in edges(memory)} == {(other, new)}


def test_links_go_with_their_record() -> None:
    db = make_db()
    first, second, third = (put(db, entities=("a.py",)) for _ in range(3))
    assert len(read(db)) == 3

    db.execute("DELETE FROM record WHERE n = ?", (second,))

    assert db.execute("SELECT low_n, high_n FROM association").fetchall()[0][:] == (first, third)
    assert db.execute("SELECT count(*) FROM mention").fetchone()[0] == 2
    db.close()


@card("links.rebuilt")
@pytest.mark.parametrize("way", ["index", "from files", "from files alone"])
def test_automatic_links_are_derived_anew_and_stated_ones_kept(
    root: Path, project: Path, way: str
) -> None:
    memory = Memory(Settings(home=root))
    evidence = Evidence(surface=Surface.TOOL, client="agent-a", workspace=project, session_id="s")
    agent = memory.caller(evidence)
    pool = write(memory, agent, "The pool in `src/pool.py` holds 40.")
    order = write(memory, agent, "Restart order stands in src/pool.py.")
    far = write(memory, agent, "Herons are blue.")
    stated = Link(from_id=far, to_id=pool, relation="depends-on", weight=0.4)
    memory.link(stated, agent)
    before = edges(memory)

    if way == "index":
        with memory._database.write() as db:
            associations.clear(db)
        memory.rebuild_index()
    else:
        memory.close()
        if way == "from files alone":
            for path in root.glob("memex.db*"):
                path.unlink()
        memory.rebuild_from_files()

    assert before == {(pool, order, "same-entity", 0.9)}
    assert edges(memory) == before
    assert memory.open(far, agent).links == (stated,)
    memory.close()


def test_a_store_of_before_is_indexed_anew_to_have_links(tmp_path: Path) -> None:
    db = make_db()
    fresh = get_meta(db, "analyzer_version")
    db.close()
    old = sqlite3.connect(":memory:", isolation_level=None)
    old.row_factory = sqlite3.Row
    migrate(old, tmp_path, MIGRATIONS[:2])
    for _ in range(2):
        records.insert(old, make_record(entities=("a.py",)))

    migrate(old, tmp_path)

    assert fresh == ANALYZER_VERSION
    assert index.stale(old)
    index.rebuild(old)
    assert not index.stale(old)
    assert len(read(old)) == 1
    old.close()
