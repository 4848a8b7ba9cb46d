"""What the tests of recall have in common: a store in memory that is filled and asked."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.model.record import Record
from memex_mcp.retrieval.recall import recall
from memex_mcp.store import index, records, revisions
from memex_mcp.text.card import build
from tests.make import NOON, make_caller, make_db, make_record


@contextmanager
def store(*bodies: str) -> Generator[sqlite3.Connection]:
    """A store in memory with one note for each body."""
    with closing(make_db()) as db:
        for body in bodies:
            put(db, body)
        yield db


def put(db: sqlite3.Connection, body: str, **over: Any) -> Record:
    """Store and index a record with the card that its text gives, unless fields say otherwise."""
    card = {"title": over.pop("title", ""), "questions": over.pop("questions", ())}
    card |= {"aliases": over.pop("aliases", ()), "tags": over.pop("tags", ())}
    over.setdefault("card", build(body, **card))
    record = make_record(body=body, **over)
    index.add(db, records.insert(db, record), record)
    return record


def change(db: sqlite3.Connection, old: Record, at: datetime, **over: Any) -> Record:
    """Replace a record by a new version of it, as the gate does."""
    new = replace(old, version=old.version + 1, times=replace(old.times, updated_at=at), **over)
    if "body" in over:
        new = replace(
            make_record(body=over["body"]), id=old.id, version=new.version, times=new.times
        )
        new = replace(new, card=build(new.body))
    revisions.keep(db, old, at)
    n = records.number(db, old.id)
    assert n is not None
    index.remove(db, n, old)
    index.add(db, records.update(db, new), new)
    return new


def ask(
    db: sqlite3.Connection, text: str, caller: Caller | None = None, **over: Any
) -> SearchAnswer:
    """Search at noon as an agent of workspace ``w1``."""
    at = over.pop("at", NOON)
    return recall(db, replace(Query(text=text), **over), caller or make_caller(), at)


def found(db: sqlite3.Connection, text: str, **over: Any) -> list[str]:
    """Ids of the hits, best first."""
    return [hit.id for hit in ask(db, text, **over).hits]
