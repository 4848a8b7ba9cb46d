"""The statements that the tests of the one door make, and short looks at what became of them."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.query import Query, SearchAnswer
from memex_mcp.model.record import Draft, Record

PORT = Draft(text="The staging database listens on port 5433.")
NEW_PORT = Draft(text="The staging database listens on port 6543.")
OTHER = Draft(text="The release branch is cut on Thursdays.")

HERON = replace(PORT, aliases=("blue heron",))
"""The first once more, under a name that its text does not know."""

QUESTION = "staging database port"
"""What the first answers."""


def stored(memory: Memory, caller: Caller, record_id: str) -> Record:
    return memory.open(record_id, caller).record


def found(memory: Memory, caller: Caller, text: str) -> list[str]:
    """Ids of the hits, best first."""
    return [hit.id for hit in search(memory, caller, text).hits]


def search(memory: Memory, caller: Caller, text: str = QUESTION, **over: Any) -> SearchAnswer:
    return memory.search(replace(Query(text=text), **over), caller)


def many(memory: Memory, caller: Caller, count: int = 6) -> list[str]:
    """Write statements that all answer the question; returns their ids."""
    places = ("Oslo", "Lima", "Cairo", "Quito", "Hanoi", "Tunis", "Sofia", "Minsk")
    texts = [
        f"The staging database in {place} listens on port {5000 + n}."
        for n, place in enumerate(places[:count])
    ]
    return [memory.write(Draft(text=text), caller).id for text in texts]


@contextmanager
def rows(memory: Memory) -> Generator[sqlite3.Connection]:
    """The database as it lies there, beside whoever has it open."""
    with closing(sqlite3.connect(memory.settings.home / "memex.db", isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        yield db


def audited(memory: Memory) -> list[tuple[str, str]]:
    """Every action on record with its reason, oldest first."""
    with rows(memory) as db:
        return [tuple(row) for row in db.execute("SELECT action, reason FROM audit ORDER BY seq")]


def actions(memory: Memory) -> list[str]:
    return [action for action, _ in audited(memory)]


def links(memory: Memory, caller: Caller, record_id: str) -> set[tuple[str, str, str]]:
    """Both ends of every link of a record, and between them the relation."""
    told = memory.open(record_id, caller).links
    return {(link.from_id, link.relation, link.to_id) for link in told}


def file_of(memory: Memory, record_id: str) -> Path:
    (path,) = (memory.settings.home / "records").rglob(f"{record_id}.md")
    return path


def edit(memory: Memory, record_id: str, old: str, new: str) -> None:
    """Edit the file of a record by hand."""
    path = file_of(memory, record_id)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    # Two writes within one tick of the clock would leave the file as old as it was.
    os.utime(path, (1, 1))
