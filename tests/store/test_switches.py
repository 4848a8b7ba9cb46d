"""Levels, modes and the master switch on disk."""

import sqlite3
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from memex_mcp.model.caller import Caller, Workspace
from memex_mcp.model.kinds import Surface
from memex_mcp.policy.levels import L2, L3, MASTER, MODE, History, Turned
from memex_mcp.store import audit, switches, workspaces
from memex_mcp.store.switches import Switch
from tests.make import NOON, make_db

WORKSPACE = Workspace(id="w1", path="/w1", name="one")
CALLER = Caller(surface=Surface.CLI, client="cli", workspace=WORKSPACE, session_id="s1")
STORE, WHOLE, SESSION = "global", "w:w1", "s:w1:s1"
LATER = NOON + timedelta(minutes=5)


@pytest.fixture
def db() -> Generator[sqlite3.Connection]:
    with closing(make_db()) as made:
        yield made


def put(db: sqlite3.Connection, owner: str, key: str, *values: str) -> None:
    for value in values:
        switches.put(db, CALLER, Switch(owner=owner, key=key), value, NOON, "")


def turned(*values: str) -> tuple[Turned, ...]:
    return tuple(Turned(at=NOON, value=value) for value in values)


def test_every_change_is_kept_in_its_order_for_whom_it_concerns(db: sqlite3.Connection) -> None:
    assert switches.history(db, CALLER) == History()

    put(db, STORE, MASTER, "off", "on")
    put(db, WHOLE, MODE, "work", "off")
    put(db, SESSION, MODE, "chat")
    put(db, WHOLE, L2, "on")
    put(db, SESSION, L2, "on")
    put(db, WHOLE, L3, "on")

    whole = History(
        master=turned("off", "on"), mode=turned("work", "off"), l2=turned("on"), l3=turned("on")
    )
    mine = replace(whole, mode_session=turned("chat"), l2_session=turned("on"))
    elsewhere = replace(CALLER, workspace=replace(WORKSPACE, id="w2"))
    assert switches.history(db, CALLER) == mine
    assert switches.history(db, replace(CALLER, session_id="s2")) == whole
    assert switches.history(db, replace(CALLER, session_id=None)) == whole
    for stranger in (elsewhere, replace(CALLER, workspace=None)):
        assert switches.history(db, stranger) == History(master=whole.master)


@pytest.mark.parametrize("session", ["s", "s1:x", "%", "*", "s1 "])
def test_a_session_is_told_from_one_of_a_similar_name(db: sqlite3.Connection, session: str) -> None:
    put(db, SESSION, MODE, "off")

    assert switches.history(db, replace(CALLER, session_id=session)) == History()
    assert switches.history(db, CALLER).mode_session == turned("off")


BROKEN = [
    pytest.param("UPDATE setting SET value = ?", ("of",), id="setting"),
    pytest.param("UPDATE switch_log SET value = ?", ("of",), id="log"),
    pytest.param("UPDATE setting SET value = ?", ("auto",), id="not what the log says"),
    pytest.param("UPDATE switch_log SET value = ?", ("auto",), id="not what the setting says"),
    pytest.param("UPDATE switch_log SET at = ?", (1 << 62,), id="no time"),
    pytest.param("UPDATE setting SET updated_at = ?", (-1,), id="no time either"),
    pytest.param("UPDATE switch_log SET value = CAST(? AS TEXT)", (b"\xff\xfe",), id="no text"),
    pytest.param("UPDATE setting SET value = CAST(? AS TEXT)", (b"work\x00\xff",), id="no UTF-8"),
]


@pytest.mark.parametrize(("sql", "values"), BROKEN)
def test_what_is_broken_is_told_and_mended_by_putting_it_anew(
    db: sqlite3.Connection, sql: str, values: tuple[object, ...]
) -> None:
    put(db, WHOLE, MODE, "work")
    assert switches.history(db, CALLER).flaw() == ""
    assert list(switches.faults(db)) == []
    db.execute(sql, values)

    told = switches.history(db, CALLER).flaw()
    faults = [fault for fault, _ in switches.faults(db)]

    assert told.startswith("the mode on record ")
    assert faults == ["the mode of workspace w1 cannot be read: memory is off there"]
    assert switches.value(db, Switch(owner=WHOLE, key=MODE)) is None
    put(db, WHOLE, MODE, "work")
    assert switches.history(db, CALLER).flaw() == ""
    assert switches.value(db, Switch(owner=WHOLE, key=MODE)) == "work"
    assert list(switches.faults(db)) == []


def test_what_nobody_could_read_counts_as_off_afterwards_too(db: sqlite3.Connection) -> None:
    put(db, WHOLE, MODE, "work")
    put(db, WHOLE, L2, "on")
    db.execute("UPDATE switch_log SET value = 'x'")

    put(db, WHOLE, MODE, "auto")
    put(db, WHOLE, L2, "on")

    known = switches.history(db, CALLER)
    assert [change.value for change in known.mode] == ["off", "auto"]
    assert known.l2 == turned("on")


def test_a_fault_is_told_with_its_place_but_no_session_is_named(db: sqlite3.Connection) -> None:
    workspaces.note_seen(db, CALLER, NOON)
    put(db, SESSION, MODE, "off")
    put(db, STORE, MASTER, "off")
    db.execute("UPDATE setting SET value = 'x'")

    told = dict(switches.faults(db))

    assert told == {
        "the master switch of the whole store cannot be read: memory is off there": "memex-mcp on",
        "the mode of a session of one cannot be read: memory is off there": (
            "memex-mcp mode auto, there, with --session for a session"
        ),
    }


def test_a_setting_whose_log_is_lost_still_counts(db: sqlite3.Connection) -> None:
    put(db, WHOLE, MODE, "off")
    put(db, WHOLE, L3, "on")
    db.execute("DELETE FROM switch_log")

    assert switches.history(db, CALLER) == History(mode=turned("off"), l3=turned("on"))


def test_a_change_leaves_an_audit_row_that_holds_no_content(db: sqlite3.Connection) -> None:
    put(db, STORE, MASTER, "off")
    put(db, SESSION, MODE, "read-only")
    put(db, WHOLE, L2, "on")
    switches.note_denied(db, CALLER, NOON)

    rows = db.execute("SELECT action, record_id, before_hash, after_hash FROM audit").fetchall()

    actions = ["master:off", "mode:read-only", "l2:on", "deny"]
    assert [tuple(row) for row in rows] == [(action, None, None, None) for action in actions]
    assert audit.verify(db) is None


def settings(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return [tuple(row) for row in db.execute("SELECT owner, key FROM setting ORDER BY 1, 2")]


def test_after_90_days_what_was_put_for_a_session_is_forgotten_but_no_level(
    db: sqlite3.Connection,
) -> None:
    for owner, keys in ((STORE, [MASTER]), (WHOLE, [L2, L3]), (SESSION, [L2])):
        for key in keys:
            put(db, owner, key, "on")
    put(db, WHOLE, MODE, "work")
    put(db, SESSION, MODE, "off")
    db.execute("INSERT INTO setting VALUES (?, 'another', 'x', 0)", (SESSION,))
    before, mine = settings(db), switches.history(db, CALLER)

    assert switches.prune(db, NOON + timedelta(days=89)) == 0
    assert settings(db) == before
    assert switches.prune(db, NOON + timedelta(days=91)) == 2

    gone = [(SESSION, L2), (SESSION, MODE)]
    assert settings(db) == [each for each in before if each not in gone]
    unset = Turned(at=NOON + timedelta(days=91), value="unset")
    assert switches.history(db, CALLER) == replace(mine, mode_session=(*mine.mode_session, unset))
    assert switches.prune(db, NOON + timedelta(days=500)) == 0
    assert list(switches.faults(db)) == []


def test_a_session_that_was_seen_since_keeps_what_was_put_for_it(db: sqlite3.Connection) -> None:
    other = "s:w1:s2"
    for owner in (SESSION, other):
        put(db, owner, MODE, "off")
    workspaces.note_seen(db, CALLER, NOON + timedelta(days=60))

    assert switches.prune(db, NOON + timedelta(days=100)) == 1

    assert settings(db) == [(SESSION, MODE)]
