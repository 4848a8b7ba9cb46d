import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.model.kinds import Status
from memex_mcp.model.record import Record
from memex_mcp.store import index, records, vector_keep, vectors
from memex_mcp.store.migrations import migrate, schema_version
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.store.vector_rows import token
from memex_mcp.store.vectors import Noise, Piece, Size, Space
from tests.make import make_db, make_record

SPACE = Space("model a", 4)
OTHER = Space("model b", 4)
LONG = " ".join(f"paragraph{i} about the deploy queue of the billing service." for i in range(40))


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(make_db()) as db:
        yield db


def put(db: sqlite3.Connection, **over: object) -> Record:
    record = make_record(**over)
    index.add(db, records.insert(db, record), record)
    return record


def number(db: sqlite3.Connection, record: Record) -> int:
    n = records.number(db, record.id)
    assert n is not None
    return n


def revise(db: sqlite3.Connection, old: Record, **over: object) -> Record:
    new = replace(make_record(**over), id=old.id)
    index.remove(db, number(db, old), old)
    index.add(db, records.update(db, new), new)
    return new


def erase(db: sqlite3.Connection, record: Record) -> None:
    n = number(db, record)
    index.remove(db, n, record)
    db.execute("DELETE FROM record WHERE n = ?", (n,))


def vector(piece: Piece) -> list[float]:
    return [1.0, float(piece.content % 97), 2.0, float(piece.content % 89)]


def embed(db: sqlite3.Connection, space: Space = SPACE) -> int:
    pieces = vectors.pending(db, space, 1000)
    return vectors.put(db, space, pieces, {each.content: vector(each) for each in pieces})


def counts(db: sqlite3.Connection) -> tuple[int, int]:
    """Vectors, and chunks that have one."""
    (kept,) = db.execute("SELECT count(*) FROM vector").fetchone()
    (had,) = db.execute("SELECT count(*) FROM chunk_vector").fetchone()
    return kept, had


def test_chunks_wait_with_their_title_the_newest_first_until_they_have_a_vector(
    db: sqlite3.Connection,
) -> None:
    put(db, body="Ports are 5433.", title="Staging")
    put(db, body=LONG, title="Queue")

    texts = [piece.text for piece in vectors.pending(db, SPACE, 100)]

    assert texts[-1] == "Staging\nPorts are 5433."
    assert len(texts) > 3
    assert all(text.startswith("Queue\nparagraph") for text in texts[:-1])
    assert [piece.text for piece in vectors.pending(db, SPACE, 2)] == texts[:2]
    assert embed(db) == len(texts)
    assert vectors.pending(db, SPACE, 100) == []


def test_what_was_withdrawn_is_not_embedded(db: sqlite3.Connection) -> None:
    put(db, body="withdrawn", status=Status.RETRACTED)
    put(db, body="standing", status=Status.SUPERSEDED)

    assert [piece.text[-8:] for piece in vectors.pending(db, SPACE, 10)] == ["standing"]


def test_models_never_share_a_vector_and_the_same_text_shares_one(db: sqlite3.Connection) -> None:
    for workspace in ("w1", "w2"):
        put(db, body="The same words.", workspace_id=workspace)
    assert embed(db) == 2
    assert counts(db) == (1, 2)

    assert [piece.known for piece in vectors.pending(db, OTHER, 10)] == [False, False]
    embed(db, OTHER)
    assert counts(db) == (2, 4)

    put(db, body="The same words.", workspace_id="w3")
    (waiting,) = vectors.pending(db, SPACE, 10)
    assert waiting.known
    assert vectors.put(db, SPACE, [waiting], {}) == 1
    assert counts(db) == (2, 5)


def test_a_vector_goes_with_the_last_text_it_stands_for(db: sqlite3.Connection) -> None:
    first = put(db, body="The same words.", workspace_id="w1")
    second = put(db, body="The same words.", workspace_id="w2")
    third = put(db, body="Other words.")
    embed(db)

    erase(db, first)
    assert counts(db) == (2, 2)
    revise(db, second, body="New words.", workspace_id="w2")
    assert counts(db) == (1, 1)
    db.execute("DELETE FROM record WHERE id = ?", (third.id,))
    assert counts(db) == (0, 0)


def rebuild(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    index.rebuild(db)
    db.execute("COMMIT")


def said(db: sqlite3.Connection) -> dict[str, list[bytes]]:
    """The vectors of each record by its id, in the order of its chunks."""
    found: dict[str, list[bytes]] = {}
    for record_id, data in db.execute(
        "SELECT r.id, v.data FROM chunk_vector AS k JOIN chunk AS c ON c.n = k.chunk_n"
        " JOIN record AS r ON r.n = c.record_n"
        " JOIN vector AS v ON v.model_id = k.model_id AND v.content = k.content"
        " ORDER BY c.n, k.model_id"
    ):
        found.setdefault(record_id, []).append(data)
    return found


def test_a_rebuilt_index_keeps_each_vector_whatever_numbers_the_chunks_get(
    db: sqlite3.Connection,
) -> None:
    gone = put(db, body="Gone.")
    put(db, body=LONG)
    put(db, body="The same words.", workspace_id="w1")
    put(db, body="The same words.", workspace_id="w2")
    put(db, body="Withdrawn later.")
    embed(db)
    embed(db, OTHER)
    db.execute("UPDATE record SET status = 'retracted' WHERE title = 'Withdrawn later.'")
    erase(db, gone)
    before, seen = said(db), token(db)
    numbers = [row[0] for row in db.execute("SELECT chunk_n FROM chunk_vector ORDER BY 1")]

    rebuild(db)

    assert said(db) == before
    assert [row[0] for row in db.execute("SELECT chunk_n FROM chunk_vector ORDER BY 1")] != numbers
    assert token(db) != seen
    assert vectors.pending(db, SPACE, 100) == []
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_rebuilt_index_keeps_no_vector_of_what_is_not_said_any_more(
    db: sqlite3.Connection,
) -> None:
    changed = put(db, body="Old words.")
    same = put(db, body="Same words.")
    embed(db)
    # As an analyzer would that cuts texts at other places.
    db.execute("UPDATE record SET title = 'Another' WHERE id = ?", (changed.id,))

    rebuild(db)

    assert said(db).keys() == {same.id}
    assert counts(db) == (1, 1)
    assert len(vectors.pending(db, SPACE, 9)) == 1


def test_a_database_made_anew_takes_over_the_vectors_of_the_same_texts(
    db: sqlite3.Connection,
) -> None:
    kept = put(db, body=LONG)
    put(db, body="Only in the old one.")
    vectors.claim(db, SPACE, Noise(0.1, 0.05))
    embed(db)
    with closing(make_db()) as new:
        put(new, body="Only in the new one.")
        index.add(new, records.insert(new, kept), kept)

        assert vector_keep.carry(new, db) == len(said(db)[kept.id])

        assert said(new) == {kept.id: said(db)[kept.id]}
        assert (vectors.claimed(new, SPACE), vectors.noise(new, SPACE)) == (True, Noise(0.1, 0.05))
        assert [piece.text[-8:] for piece in vectors.pending(new, SPACE, 9)] == ["new one."]
        db.execute("UPDATE vector SET data = x'00'")
        with closing(make_db()) as other:
            index.add(other, records.insert(other, kept), kept)
            assert vector_keep.carry(other, db) == 0


def test_a_record_can_be_forgotten_by_itself(db: sqlite3.Connection) -> None:
    one, other = put(db, body="One."), put(db, body="Other.")
    embed(db)

    assert vectors.forget(db, number(db, one)) == 1
    assert vectors.forget(db, number(db, one)) == 0
    assert [piece.text[-4:] for piece in vectors.pending(db, SPACE, 9)] == ["One."]
    assert counts(db) == (1, 1)
    assert vectors.forget(db, number(db, other)) == 1
    assert counts(db) == (0, 0)


def test_what_changed_while_it_was_embedded_gets_no_vector(db: sqlite3.Connection) -> None:
    changed, gone, same = (put(db, body=text) for text in ("Changed.", "Gone.", "Same."))
    pieces = vectors.pending(db, SPACE, 10)
    made = {piece.content: vector(piece) for piece in pieces}
    erase(db, gone)
    # The number of the erased chunk may go to another one.
    revise(db, changed, body="Now it says something else.")

    assert vectors.put(db, SPACE, pieces, made) == 1
    assert vectors.put(db, SPACE, pieces, made) == 0
    assert counts(db) == (1, 1)
    (left,) = vectors.pending(db, SPACE, 10)
    assert left.text.endswith("something else.")
    assert number(db, same)


@pytest.mark.parametrize(
    "wrong", [[1.0, 2.0], [0.0] * 4, [float("nan"), 0, 0, 1], [float("inf"), 0, 0, 1]]
)
def test_what_is_no_vector_of_the_space_is_not_kept(
    db: sqlite3.Connection, wrong: list[float]
) -> None:
    put(db)
    pieces = vectors.pending(db, SPACE, 1)

    with pytest.raises(ValueError, match="no vector"):
        vectors.put(db, SPACE, pieces, {pieces[0].content: wrong})
    assert counts(db) == (0, 0)
    assert vectors.put(db, SPACE, pieces, {pieces[0].content: [0.0, 0, 0, 9]}) == 1


def test_vectors_take_two_bytes_a_number_and_are_counted(db: sqlite3.Connection) -> None:
    put(db, body="One.")
    put(db, body="Two.")
    assert vectors.size(db, SPACE) == Size(vectors=0, pending=2, bytes=0)

    embed(db)
    put(db, body="Three.")

    assert vectors.size(db, SPACE) == Size(vectors=2, pending=1, bytes=2 * 4 * 2)


def test_who_starts_last_decides_about_the_model_and_the_other_vectors_go_bit_by_bit(
    db: sqlite3.Connection,
) -> None:
    for text in ("One.", "Two.", "Three."):
        put(db, body=text)
    vectors.claim(db, SPACE, Noise(0.1, 0.05))
    embed(db)
    assert (vectors.claimed(db, SPACE), vectors.noise(db, SPACE)) == (True, Noise(0.1, 0.05))
    assert not vectors.others(db, SPACE)

    vectors.claim(db, OTHER, Noise(0.5, 0.1))
    embed(db, OTHER)

    assert (vectors.claimed(db, SPACE), vectors.claimed(db, OTHER)) == (False, True)
    assert vectors.others(db, OTHER)
    assert vectors.retire(db, OTHER, 2) is True
    assert counts(db) == (4, 4)
    assert vectors.retire(db, OTHER, 2) is False
    assert counts(db) == (3, 3)
    assert not vectors.others(db, OTHER)
    assert (vectors.noise(db, SPACE), vectors.noise(db, OTHER)) == (None, Noise(0.5, 0.1))


def test_a_store_of_the_first_schema_gets_its_vectors_after_the_upgrade(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        migrate(db, tmp_path, MIGRATIONS[:1])
        for text in ("Written before.", "Written before as well."):
            n = records.insert(db, make_record(body=text))
            db.execute("INSERT INTO chunk VALUES (NULL, ?, 0, ?)", (n, len(text)))

        migrate(db, tmp_path)

        assert schema_version(db) == len(MIGRATIONS)
        assert embed(db) == 2
        assert counts(db) == (2, 2)
        assert len(list((tmp_path / "backups").iterdir())) == 1


def test_every_change_is_told_by_another_token(db: sqlite3.Connection) -> None:
    seen = [token(db)]
    record = put(db)
    assert token(db) == seen[0]

    embed(db)
    seen.append(token(db))
    erase(db, record)
    seen.append(token(db))

    assert len(set(seen)) == 3


def test_text_that_is_no_text_is_embedded_as_the_gate_would_store_it(
    db: sqlite3.Connection,
) -> None:
    put(db, body="lone \ud800 surrogate\0")

    (piece,) = vectors.pending(db, SPACE, 1)

    assert piece.text.encode("utf-8").endswith(b"lone ? surrogate\0")
    assert embed(db) == 1
