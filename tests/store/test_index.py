import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.model.record import Record
from memex_mcp.store import index, records
from memex_mcp.store.migrations import set_meta
from memex_mcp.store.visible import Sight
from memex_mcp.text.words import index_terms, query_terms
from tests.make import make_db, make_record
from tests.strategies import records as any_record

EVERYTHING = Sight("1=1", ())
TABLES = ("card_index", "body_index")
LONG = " ".join(f"paragraph{i} about the deploy queue of the billing service." for i in range(90))


def put(db: sqlite3.Connection, record: Record) -> int:
    n = records.insert(db, record)
    index.add(db, n, record)
    return n


def edit(db: sqlite3.Connection, old: Record, new: Record) -> None:
    n = records.number(db, old.id)
    assert n is not None
    index.remove(db, n, old)
    records.update(db, new)
    index.add(db, n, new)


def erase(db: sqlite3.Connection, record: Record) -> None:
    n = records.number(db, record.id)
    assert n is not None
    index.remove(db, n, record)
    db.execute("DELETE FROM record WHERE n = ?", (n,))


def match(db: sqlite3.Connection, words: str, columns: str = "") -> list[str]:
    """Ids of the records whose card has all the words."""
    phrase = " AND ".join(f'{columns}"{term}"' for term in index_terms(words).split())
    rows = db.execute(
        "SELECT r.id FROM card_index f JOIN record r ON r.n = f.rowid"
        " WHERE card_index MATCH ? ORDER BY r.id",
        (phrase,),
    )
    return [record_id for (record_id,) in rows]


def match_bodies(db: sqlite3.Connection, words: str) -> list[tuple[str, int, int]]:
    """Records and ranges of the chunks that have all the words."""
    rows = db.execute(
        "SELECT r.id, c.start, c.stop FROM body_index f JOIN chunk c ON c.n = f.rowid"
        " JOIN record r ON r.n = c.record_n WHERE body_index MATCH ? ORDER BY r.id, c.start",
        (" AND ".join(f'"{term}"' for term in index_terms(words).split()),),
    )
    return [tuple(row) for row in rows]


def everything_found(db: sqlite3.Connection, words: Sequence[str]) -> dict[str, object]:
    """Every answer of the index that can be compared with that of another."""
    found: dict[str, object] = {}
    for word in words:
        found[f"card {word}"] = match(db, word)
        found[f"body {word}"] = match_bodies(db, word)
        for term in index_terms(word).split():
            found[f"count {term}"] = index.document_frequency(db, term)
    return found


def terms_of(written: Sequence[Record]) -> list[str]:
    texts = [record.body for record in written]
    texts += [" ".join([record.card.title, *record.card.tags]) for record in written]
    return sorted({term for text in texts for term in query_terms(text)})[:40]


@given(st.data())
@settings(max_examples=40)
def test_any_sequence_of_changes_leaves_the_index_a_fresh_one_would_be(data: st.DataObject) -> None:
    fixed = st.lists(any_record(), min_size=2, max_size=6, unique_by=lambda record: record.id)
    pool = [replace(record, dedupe_key=None) for record in data.draw(fixed)]
    living: dict[str, Record] = {}
    ever: list[Record] = []
    with closing(make_db()) as db, closing(make_db()) as fresh:
        for _ in range(data.draw(st.integers(1, 12))):
            record = data.draw(st.sampled_from(pool))
            old = living.get(record.id)
            if old is None:
                put(db, record)
            elif data.draw(st.booleans()):
                erase(db, living.pop(record.id))
                continue
            else:
                other = data.draw(st.sampled_from(pool))
                record = replace(old, card=other.card, body=other.body, times=other.times)
                # The hash is a stand-in; it only has to differ from the one before.
                record = replace(record, body_sha256=f"{old.body_sha256}+")
                edit(db, old, record)
            living[record.id] = record
            ever.append(record)
        for record in living.values():
            put(fresh, record)

        words = terms_of(ever)
        assert everything_found(db, words) == everything_found(fresh, words)
        for table in TABLES:
            db.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
        assert index.check(db) == []


@given(any_record())
@settings(max_examples=40)
def test_what_was_removed_leaves_no_term_behind(record: Record) -> None:
    with closing(make_db()) as db:
        put(db, record)
        held = records.get(db, record.id, EVERYTHING)
        assert held is not None

        erase(db, held)

        assert db.execute("SELECT count(*) FROM card_vocab").fetchone()[0] == 0
        assert db.execute("SELECT count(*) FROM body_vocab").fetchone()[0] == 0
        assert db.execute("SELECT count(*) FROM chunk").fetchone()[0] == 0


def test_each_part_of_a_card_is_in_its_column(db: sqlite3.Connection) -> None:
    record = make_record(
        title="Queue",
        tags=("deploy",),
        summary="Billing waits",
        use_when="The worker hangs",
        entities=("src/queue.py",),
        aliases=("backlog",),
        questions=("Why is 后台 slow?",),
    )
    put(db, record)
    put(db, make_record(title="Neighbour"))

    for words in ("deploy", "billing", "worker", "src/queue.py"):
        assert match(db, words, "card : ") == [record.id]
        assert match(db, words, "{title asked} : ") == []
    assert match(db, "queue", "title : ") == [record.id]
    assert match(db, "backlog", "asked : ") == match(db, "后台", "asked : ") == [record.id]
    assert match(db, "neighbour", "title : ") != [record.id]


def test_a_chunk_knows_where_its_words_are(db: sqlite3.Connection) -> None:
    record = make_record(body=LONG)
    put(db, record)

    found = match_bodies(db, "paragraph77")
    assert found
    for record_id, start, stop in found:
        assert record_id == record.id
        assert "paragraph77 " in LONG[start:stop]
        assert stop - start < len(LONG) / 2


def test_every_chunk_answers_to_the_month_it_was_observed_in(db: sqlite3.Connection) -> None:
    late_here = datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=3)))
    record = make_record(body=LONG, observed_at=late_here)
    n = put(db, record)
    put(db, make_record(body="Another note.", observed_at=datetime(2025, 2, 2, tzinfo=UTC)))
    (chunks,) = db.execute("SELECT count(*) FROM chunk WHERE record_n = ?", (n,)).fetchone()

    assert chunks > 1
    assert [record_id for record_id, _, _ in match_bodies(db, "February 2026")] == (
        [record.id] * chunks
    )
    assert match_bodies(db, "March 2026") == []


def test_a_rebuilt_index_answers_as_before(db: sqlite3.Connection) -> None:
    written = [make_record(title=f"Note {i}", body=f"{LONG} word{i}") for i in range(5)]
    for record in written:
        put(db, record)
    words = [*terms_of(written), "November 2026"]
    before = everything_found(db, words)
    set_meta(db, "analyzer_version", "0")
    assert index.stale(db)

    assert index.rebuild(db) == 5

    assert not index.stale(db)
    assert everything_found(db, words) == before
    assert index.check(db) == []
    edit(db, written[0], make_record(id=written[0].id, body="Nothing of it."))
    assert index.check(db) == []
    assert match_bodies(db, "word0") == []
    assert match_bodies(db, "word1") != []


def test_a_new_store_is_not_stale(db: sqlite3.Connection) -> None:
    assert not index.stale(db)


def test_a_term_is_counted_where_it_is_more_common(db: sqlite3.Connection) -> None:
    put(db, make_record(title="queue", body="queue"))
    put(db, make_record(title="queue", body="worker"))
    put(db, make_record(title="other", body="worker"))
    put(db, make_record(title="other", body="worker"))

    assert index.document_frequency(db, "queue") == 2
    assert index.document_frequency(db, "worker") == 3
    assert index.document_frequency(db, "absent") == 0


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("INSERT INTO card_index(card_index) VALUES ('delete-all')", "1 records are not in card"),
        ("INSERT INTO body_index(body_index) VALUES ('delete-all')", "chunks are not in body"),
        ("DELETE FROM chunk", "1 records have no chunk"),
        ("DELETE FROM chunk", "rows of body_index have no chunk"),
        ("DELETE FROM record", "1 rows of card_index have no record"),
        ("UPDATE body_index_data SET block = x'0102030405' WHERE id > 10", "body_index is damaged"),
    ],
)
def test_damage_is_told_in_words(db: sqlite3.Connection, damage: str, told: str) -> None:
    put(db, make_record(body=LONG))
    assert index.check(db) == []

    db.execute(damage)

    assert told in "\n".join(index.check(db))


def test_a_reader_checks_what_it_can(db: sqlite3.Connection) -> None:
    put(db, make_record())
    db.execute("PRAGMA query_only = ON")
    assert index.check(db) == []

    db.execute("PRAGMA query_only = OFF")
    db.execute("DELETE FROM chunk")
    db.execute("PRAGMA query_only = ON")

    assert index.check(db) == ["1 records have no chunk", "1 rows of body_index have no chunk"]
