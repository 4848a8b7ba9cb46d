import sqlite3
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memex_mcp.model.kinds import Kind, NoteType, Scope, Status
from memex_mcp.store import records
from memex_mcp.store.visible import Sight, owners_clause, sight
from tests.make import NOON, make_caller, make_record

LATER = NOON + timedelta(milliseconds=1)


def shown(db: sqlite3.Connection, where: Sight) -> set[str]:
    return {record.card.title for record in records.page(db, where, before_id=None, limit=99)}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param("src/a", {"source", "entity", "tag", "windows", "inside"}, id="folder"),
        pytest.param("src/a/", {"source", "entity", "tag", "windows", "inside"}, id="slash"),
        pytest.param("./src/a", {"source", "entity", "tag", "windows", "inside"}, id="dot"),
        pytest.param("src\\a", {"source", "entity", "tag", "windows", "inside"}, id="backslash"),
        pytest.param(
            "/repo/w1/src/a", {"source", "entity", "tag", "windows", "inside"}, id="absolute"
        ),
        pytest.param(
            "file:///repo/w1/src/a", {"source", "entity", "tag", "windows", "inside"}, id="url"
        ),
        pytest.param("src/a/b.py", {"source", "entity", "inside"}, id="file"),
        pytest.param("src/ab", {"neighbour"}, id="same prefix, other name"),
        pytest.param("/elsewhere/src", {"outside"}, id="another folder"),
        pytest.param("a/b.py", set(), id="not from the start"),
        pytest.param("src/%", set(), id="a wildcard is a character"),
        pytest.param("src/a' OR '1'='1", set(), id="a quote is a character"),
        pytest.param("\ud800", set(), id="lone surrogate"),
    ],
)
def test_a_path_finds_what_names_it_or_something_below(
    db: sqlite3.Connection, asked: str, expected: set[str]
) -> None:
    named = {
        "source": make_record(source="src/a/b.py:42"),
        "entity": make_record(entities=("other.py", "./src/a/b.py#L42")),
        "tag": make_record(tags=("ci", "src/a")),
        "windows": make_record(source="src\\a\\c.py"),
        "inside": make_record(source="/repo/w1/src/a/b.py"),
        "neighbour": make_record(source="src/ab", entities=("src/ab.py",)),
        "outside": make_record(source="/elsewhere/src/a/b.py"),
        "nameless": make_record(),
    }
    for title, record in named.items():
        records.insert(db, replace(record, card=replace(record.card, title=title)))

    assert shown(db, sight(make_caller(), at=NOON, path=asked)) == expected
    for nothing in ("", " ", "."):
        assert shown(db, sight(make_caller(), at=NOON, path=nothing)) == named.keys()


@pytest.mark.parametrize(
    ("fits", "misses", "asked"),
    [
        ({"kind": Kind.SPAN}, {"kind": Kind.NOTE}, {"kinds": [Kind.SPAN, Kind.DIGEST]}),
        ({"type": NoteType.TASK}, {"type": NoteType.FACT}, {"types": [NoteType.TASK]}),
        ({"family": "work"}, {"family": None}, {"family": "work"}),
        ({"scope": Scope.SESSION}, {"scope": Scope.WORKSPACE}, {"scope": Scope.SESSION}),
        ({"recorded_at": NOON}, {"recorded_at": LATER}, {"believed_at": NOON}),
        ({"valid_from": NOON}, {"valid_from": LATER}, {"as_of": NOON}),
        ({"valid_to": LATER}, {"valid_to": NOON}, {"as_of": NOON}),
        ({"status": Status.CANDIDATE}, {}, {"statuses": [Status.CANDIDATE]}),
    ],
)
def test_each_filter_narrows(
    db: sqlite3.Connection, fits: dict[str, Any], misses: dict[str, Any], asked: dict[str, Any]
) -> None:
    records.insert(db, make_record(title="fits", **fits))
    records.insert(db, make_record(title="misses", **misses))

    assert shown(db, sight(make_caller(), at=NOON, **asked)) == {"fits"}
    everything = sight(make_caller(), at=NOON, statuses=tuple(Status), include_expired=True)
    assert shown(db, everything) == {"fits", "misses"}


def test_tags_are_asked_for_in_any_case(db: sqlite3.Connection) -> None:
    records.insert(db, make_record(title="both", tags=("ci", "release")))
    records.insert(db, make_record(title="one", tags=("ci",)))

    assert shown(db, sight(make_caller(), at=NOON, tags=[" CI "])) == {"both", "one"}
    assert shown(db, sight(make_caller(), at=NOON, tags=["ci", "Release"])) == {"both"}


HOSTILE = ["x') OR 1=1 --", "w1' OR '1'='1", "*", "%", "../w1", "w:w1", "s1\x00", "\ud800", "?"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_value_widens_what_a_caller_sees(db: sqlite3.Connection, hostile: str) -> None:
    for scope in (Scope.SESSION, Scope.WORKSPACE):
        records.insert(db, make_record(title=scope.value, scope=scope))
    at = NOON

    for caller in (make_caller(hostile, "s1"), make_caller("w2", hostile)):
        assert shown(db, owners_clause(caller)) == set()
        assert shown(db, sight(caller, at=at, statuses=tuple(Status))) == set()
    for where in (
        sight(make_caller("w2"), at=at, tags=[hostile]),
        sight(make_caller("w2"), at=at, family=hostile),
        sight(make_caller("w2"), at=at, path=hostile),
    ):
        assert shown(db, where) == set()
    assert shown(db, sight(make_caller(), at=at)) == {"session", "workspace"}


def test_values_are_bound_never_written_into_the_statement() -> None:
    secret = "zq'zq"
    where = sight(make_caller(secret, secret), at=NOON, tags=[secret], family=secret, path=secret)

    assert "zq" not in where.where
    assert where.where.count("?") == len(where.params)
