"""Hypothesis strategies for the values of the model."""

from datetime import datetime

from hypothesis import strategies as st

from memex_mcp.model.ids import encode
from memex_mcp.model.kinds import (
    Author,
    Kind,
    NoteType,
    Relation,
    Scope,
    Status,
    Surface,
    Tier,
    Trust,
)
from memex_mcp.model.record import Card, Link, Record, Times
from memex_mcp.model.times import from_ms

_AWKWARD = [
    "null",
    "true",
    "3",
    "",
    " ",
    "a: b",
    "---",
    "\r\n",
    "\x00",
    "\ufeff",
    "'",
    '"',
    "重跑gen-itgc后",
    "getUserById in src/a/b.py:42",
    "The caches were running in Zürich",
    "😀",
]


def texts(max_size: int = 40) -> st.SearchStrategy[str]:
    """Any text that a column may hold: every character but lone surrogates."""
    free = st.text(st.characters(exclude_categories=["Cs"]), max_size=max_size)
    return st.sampled_from(_AWKWARD) | free


def bodies(max_size: int = 400) -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates too."""
    free = st.text(st.characters(), max_size=max_size)
    return st.lists(st.sampled_from(_AWKWARD), max_size=12).map(" ".join) | free


def moments() -> st.SearchStrategy[datetime]:
    """Aware times between 1970 and 2100, whole milliseconds."""
    return st.integers(0, 4_102_444_800_000).map(from_ms)


def ids() -> st.SearchStrategy[str]:
    return st.integers(0, 2**128 - 1).map(encode)


def _names(at_least: int = 1) -> st.SearchStrategy[str]:
    return st.text("abcdef0123456789-", min_size=at_least, max_size=16)


def cards() -> st.SearchStrategy[Card]:
    lists = st.lists(texts(), max_size=4).map(tuple)
    return st.builds(
        Card,
        title=texts(),
        summary=texts(),
        use_when=texts(),
        tags=lists,
        aliases=lists,
        questions=lists,
        entities=lists,
    )


def times() -> st.SearchStrategy[Times]:
    maybe = st.none() | moments()
    return st.builds(
        Times,
        recorded_at=moments(),
        updated_at=moments(),
        observed_at=moments(),
        valid_from=maybe,
        valid_to=maybe,
        expires_at=maybe,
    )


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Any record; workspace and session fit its scope, hashes and keys are just text."""
    scope = draw(st.sampled_from(Scope))
    return draw(
        st.builds(
            Record,
            id=ids(),
            kind=st.sampled_from(Kind),
            type=st.sampled_from(NoteType),
            family=st.sampled_from([None, "chat", "work"]),
            scope=st.just(scope),
            workspace_id=st.just("") if scope is Scope.GLOBAL else _names(),
            session_id=_names() if scope is Scope.SESSION else st.just(""),
            card=cards(),
            body=bodies(),
            author=st.sampled_from(Author),
            surface=st.sampled_from(Surface),
            client=texts(),
            trust=st.sampled_from(Trust),
            status=st.sampled_from(Status),
            pinned=st.booleans(),
            salience=st.floats(0, 1),
            confidence=st.floats(0, 1),
            observations=st.integers(1, 10**9),
            opened_count=st.integers(0, 10**9),
            last_opened_at=st.none() | moments(),
            source=texts(),
            source_version=texts(),
            branch=texts(),
            times=times(),
            superseded_by=st.none() | ids(),
            version=st.integers(1, 10**6),
            tokens=st.integers(0, 10**9),
            token_method=st.sampled_from(["", "o200k", "estimate"]),
            tier=st.sampled_from(Tier),
            body_sha256=_names(0),
            value_key=_names(0),
            dedupe_key=st.none() | texts(),
        )
    )


def links() -> st.SearchStrategy[Link]:
    return st.builds(
        Link,
        from_id=ids(),
        to_id=ids(),
        relation=st.sampled_from(Relation).map(str),
        weight=st.floats(0, 1),
    )
