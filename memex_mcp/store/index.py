"""Full text: what of a record can be found by which word.

The FTS5 tables keep no text.  A row leaves them only when the very terms it came with are
given again, so removal recomputes the terms from the record, and after a change of the
analyzer the index is built anew before anything is removed from it.
"""

import sqlite3
from collections.abc import Iterator
from datetime import datetime

from memex_mcp.model.record import Record
from memex_mcp.model.times import from_ms, to_ms
from memex_mcp.store import associations, records, vector_keep
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.text.chunks import chunks
from memex_mcp.text.words import ANALYZER_VERSION, index_terms

_ANALYZER = "analyzer_version"
_COUNTED = 2_000
_ADD_CARD = "INSERT INTO card_index(rowid, title, card, asked) VALUES (?, ?, ?, ?)"
_REMOVE_CARD = (
    "INSERT INTO card_index(card_index, rowid, title, card, asked) VALUES ('delete', ?, ?, ?, ?)"
)
_ADD_BODY = "INSERT INTO body_index(rowid, terms) VALUES (?, ?)"
_REMOVE_BODY = "INSERT INTO body_index(body_index, rowid, terms) VALUES ('delete', ?, ?)"
# Not from the calendar module: its names follow the user's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def add(db: sqlite3.Connection, n: int, record: Record) -> None:
    """Index a record, body included, under its row number.

    A body is indexed in chunks; each also answers to the month and year of ``observed_at``.
    """
    db.execute(_ADD_CARD, (n, *_card_terms(record)))
    (last,) = db.execute("SELECT coalesce(max(n), 0) FROM chunk").fetchone()
    spans = [(chunk.start, chunk.end) for chunk in chunks(record.body)]
    numbered = [(last + i, n, start, stop) for i, (start, stop) in enumerate(spans, start=1)]
    db.executemany("INSERT INTO chunk(n, record_n, start, stop) VALUES (?, ?, ?, ?)", numbered)
    db.executemany(
        _ADD_BODY, _body_terms(record, [(row, start, stop) for row, _, start, stop in numbered])
    )


def remove(db: sqlite3.Connection, n: int, record: Record) -> None:
    """Take a record out of the index, before its row or its text changes.

    The record is what :func:`add` was given: same card, body and ``observed_at``.
    """
    db.execute(_REMOVE_CARD, (n, *_card_terms(record)))
    spans = db.execute("SELECT n, start, stop FROM chunk WHERE record_n = ?", (n,)).fetchall()
    db.executemany(_REMOVE_BODY, _body_terms(record, spans))
    db.execute("DELETE FROM chunk WHERE record_n = ?", (n,))


def rebuild(db: sqlite3.Connection) -> int:
    """Empty the index and fill it from the records; returns how many there are.

    What ties records together is derived anew as well.  Vectors are kept where a chunk says
    the same: they can cost money.
    """
    vector_keep.set_aside(db)
    db.execute("INSERT INTO card_index(card_index) VALUES ('delete-all')")
    db.execute("INSERT INTO body_index(body_index) VALUES ('delete-all')")
    db.execute("DELETE FROM chunk")
    associations.clear(db)
    done = 0
    for n in [row[0] for row in db.execute("SELECT n FROM record ORDER BY n")]:
        record = records.by_number(db, n)
        add(db, n, record)
        associations.follow(db, n, None, record)
        done += 1
    vector_keep.rejoin(db)
    set_meta(db, _ANALYZER, ANALYZER_VERSION)
    return done


def stale(db: sqlite3.Connection) -> bool:
    """Whether the index was built by another version of the analyzer."""
    return get_meta(db, _ANALYZER) != ANALYZER_VERSION


def size(db: sqlite3.Connection) -> int:
    """About how many chunks there are; what was taken out counts too."""
    return int(db.execute("SELECT coalesce(max(n), 0) FROM chunk").fetchone()[0])


def document_frequency(db: sqlite3.Connection, term: str) -> int:
    """In how many cards, or in how many chunks, a term occurs; the greater of the two."""
    return max(_frequency(db, "card_index", term), body_frequency(db, term))


def body_frequency(db: sqlite3.Connection, term: str) -> int:
    """In about how many chunks a term occurs; exact up to 2,000."""
    return _frequency(db, "body_index", term)


def _frequency(db: sqlite3.Connection, table: str, term: str) -> int:
    # The vocabulary table reads the whole list of a term, which of a common one grows with the
    # store; the first rows tell how dense it is.
    counted, last = db.execute(
        f"SELECT count(*), max(rowid) FROM (SELECT rowid FROM {table} WHERE {table} MATCH ?"
        f" LIMIT {_COUNTED})",
        (f'"{term}"',),
    ).fetchone()
    if counted < _COUNTED:
        return int(counted)
    (rows,) = db.execute(f"SELECT max(id) FROM {table}_docsize").fetchone()
    return int(counted * rows / last)


def check(db: sqlite3.Connection) -> list[str]:
    """What is wrong with the index, in words; nothing when it is whole.

    FTS5 looks into its own pages only on a connection that may write; the rows are
    compared on any.
    """
    return [*_check_pages(db), *_check_rows(db)]


def unmatched(db: sqlite3.Connection) -> list[str]:
    """Which rows of records and index lack their counterpart, in words, without a look inside."""
    return list(_check_rows(db))


def _check_pages(db: sqlite3.Connection) -> Iterator[str]:
    for table in ("card_index", "body_index"):
        try:
            db.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            name = error.sqlite_errorname
            if name.startswith("SQLITE_CORRUPT"):
                yield f"{table} is damaged"
            elif name != "SQLITE_READONLY":
                raise


def _check_rows(db: sqlite3.Connection) -> Iterator[str]:
    questions = {
        "records are not in card_index": (
            "SELECT count(*) FROM record WHERE n NOT IN (SELECT id FROM card_index_docsize)"
        ),
        "rows of card_index have no record": (
            "SELECT count(*) FROM card_index_docsize WHERE id NOT IN (SELECT n FROM record)"
        ),
        "records have no chunk": (
            "SELECT count(*) FROM record WHERE n NOT IN (SELECT record_n FROM chunk)"
        ),
        "chunks are not in body_index": (
            "SELECT count(*) FROM chunk WHERE n NOT IN (SELECT id FROM body_index_docsize)"
        ),
        "rows of body_index have no chunk": (
            "SELECT count(*) FROM body_index_docsize WHERE id NOT IN (SELECT n FROM chunk)"
        ),
    }
    for problem, question in questions.items():
        (found,) = db.execute(question).fetchone()
        if found:
            yield f"{found} {problem}"


def _card_terms(record: Record) -> tuple[str, str, str]:
    card = record.card
    about = "\n".join((*card.tags, card.summary, card.use_when, *card.entities))
    asked = "\n".join((*card.aliases, *card.questions))
    return index_terms(card.title), index_terms(about), index_terms(asked)


def _body_terms(record: Record, spans: list[tuple[int, int, int]]) -> Iterator[tuple[int, str]]:
    month, body = index_terms(_month(record.times.observed_at)), record.body
    for n, start, stop in spans:
        yield n, f"{index_terms(body[start:stop])} {month}"


def _month(moment: datetime) -> str:
    # As it will be read back: in UTC, so that removal gives the same words.
    stored = from_ms(to_ms(moment))
    return f"{_MONTHS[stored.month - 1]} {stored.year}"
