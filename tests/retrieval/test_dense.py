import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memex_mcp.embedding import Embedding
from memex_mcp.model.kinds import Scope, Status
from memex_mcp.retrieval import matrix
from memex_mcp.retrieval.dense import Near, nearest, plainly
from memex_mcp.store import records, vectors
from memex_mcp.store.database import Database
from memex_mcp.store.vectors import Space, model_id
from memex_mcp.store.visible import Sight, sight
from tests.llm.offline import Noise, Words
from tests.make import NOON, make_caller, make_db
from tests.retrieval.using import change, put

MODEL = Words()
SPACE = Space(MODEL.name, MODEL.dimensions)
EVERYTHING = Sight("1=1", ())
LONG = "\n\n".join(
    f"Section {n}. " + ("The heron nests by the lake. " if n == 7 else "Queues drain slowly. ") * 12
    for n in range(12)
)

WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from tests.llm.offline import Words
from tests.retrieval.using import store
from memex_mcp.retrieval.dense import nearest
from memex_mcp.store import vectors
from memex_mcp.store.visible import Sight
model = Words()
space = vectors.Space(model.name, model.dimensions)
with store("Queues drain slowly.", "The heron nests by the lake.") as db:
    pieces = vectors.pending(db, space, 9)
    vectors.put(db, space, pieces, {each.content: model.vector(each.text) for each in pieces})
    print([each.n for each in nearest(db, model.vector("a heron nests"), space, Sight("1=1", ()))])
print("memex_mcp.retrieval.matrix" in sys.modules)
"""


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(make_db()) as db:
        yield db


def embed(db: sqlite3.Connection, model: Words = MODEL) -> None:
    space = Space(model.name, model.dimensions)
    pieces = vectors.pending(db, space, 10_000)
    vectors.put(db, space, pieces, {each.content: model.vector(each.text) for each in pieces})


def near(
    db: sqlite3.Connection, text: str, seen: Sight = EVERYTHING, depth: int = 50
) -> list[Near]:
    return nearest(db, MODEL.vector(text), SPACE, seen, depth)


def bodies(db: sqlite3.Connection, text: str, seen: Sight = EVERYTHING) -> list[str]:
    return [records.by_number(db, each.n).body for each in near(db, text, seen)]


def test_without_vectors_nothing_is_found(db: sqlite3.Connection) -> None:
    put(db, "The heron nests by the lake.")
    assert near(db, "heron") == []

    embed(db)

    assert bodies(db, "heron") == ["The heron nests by the lake."]


def test_a_record_is_found_by_its_best_chunk_and_once(db: sqlite3.Connection) -> None:
    long = put(db, LONG, title="Queues")
    put(db, "Queues drain slowly.")
    embed(db)

    first = near(db, "where the heron nests")[0]

    assert first.n == records.number(db, long.id)
    assert "heron" in LONG[first.start : first.stop]
    assert len(near(db, "where the heron nests")) == 2
    assert len(near(db, "where the heron nests", depth=1)) == 1


def test_only_what_the_sight_admits_takes_a_place(db: sqlite3.Connection) -> None:
    for n in range(60):
        put(db, f"The heron nests by lake {n}.", workspace_id="w2")
        put(db, f"The heron nests by pond {n}.", status=Status.RETRACTED)
    seen = [put(db, "A heron."), put(db, "Queues drain."), put(db, "Old heron.", expires_at=NOON)]
    vectors_of_all = vectors.pending(db, SPACE, 10_000)
    assert len(vectors_of_all) == 63
    embed(db)
    mine = sight(make_caller("w1"), at=NOON)

    found = [each.n for each in near(db, "the heron nests by lake", mine, depth=50)]

    assert found == [records.number(db, each.id) for each in seen[:2]]
    theirs = sight(make_caller("w2"), at=NOON)
    assert len(near(db, "the heron nests by lake", theirs)) == 50
    assert near(db, "heron", Sight("1=0", ())) == []


def test_what_is_retracted_after_it_was_embedded_is_not_found(db: sqlite3.Connection) -> None:
    record = put(db, "The heron nests by the lake.")
    embed(db)
    mine = sight(make_caller("w1"), at=NOON)
    assert bodies(db, "heron", mine) == [record.body]

    db.execute("UPDATE record SET status = 'retracted' WHERE id = ?", (record.id,))

    assert bodies(db, "heron", mine) == []


def crowded(db: sqlite3.Connection) -> list[Sight]:
    """Records of some owners with random vectors, one owner with few; and what each sees."""
    for n in range(700):
        scope = Scope.GLOBAL if n % 50 == 0 else Scope.WORKSPACE
        place = "" if scope is Scope.GLOBAL else ("w1", "w2", "w2", "w3")[n % 4]
        status = Status.SUPERSEDED if n % 9 == 0 else Status.ACTIVE
        put(db, f"Record {n}.", scope=scope, workspace_id=place, status=status)
    return [sight(make_caller(each), at=NOON) for each in ("w1", "w2", "w3", "w4")]


@pytest.mark.parametrize("most", [matrix.MOST_BYTES, 0], ids=["kept", "too much to keep"])
def test_every_way_of_comparing_finds_the_same_as_comparing_all(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(matrix, "MOST_BYTES", most)
    monkeypatch.setattr(matrix, "_FIRST_LOOK", 60)
    monkeypatch.setattr(matrix, "_LONGEST_LOOK", 200)
    model = Noise("noise", 16)
    space = Space(model.name, model.dimensions)
    sights = crowded(db)
    embed(db, model)

    for seen in [*sights, EVERYTHING]:
        for depth in (1, 10, 50, 1000):
            asked = model.vector(f"question {depth}")
            found = nearest(db, asked, space, seen, depth)
            expected = plainly(db, asked, model_id(db, space), seen, depth)
            assert [each.n for each in found] == [each.n for each in expected]
            assert [each.similarity for each in found] == pytest.approx(
                [each.similarity for each in expected], abs=1e-5
            )
    assert len(nearest(db, model.vector("q"), space, sights[0], 1000)) > 100


def test_every_change_is_seen_at_once(db: sqlite3.Connection) -> None:
    old = put(db, "The heron nests by the lake.")
    embed(db)
    assert bodies(db, "heron") == [old.body]

    put(db, "Another heron.")
    embed(db)
    assert bodies(db, "another heron")[0] == "Another heron."
    change(db, old, NOON, body="Queues drain slowly.")
    assert bodies(db, "heron") == ["Another heron."]
    embed(db)
    assert bodies(db, "heron")[-1] == "Queues drain slowly."
    db.execute("DELETE FROM record")
    assert near(db, "heron") == []


def test_what_was_rolled_back_is_not_remembered(db: sqlite3.Connection) -> None:
    put(db, "Queues drain slowly.")
    embed(db)
    db.execute("BEGIN")
    put(db, "The heron nests by the lake.")
    embed(db)
    assert len(near(db, "heron")) == 2
    db.execute("ROLLBACK")

    assert bodies(db, "heron") == ["Queues drain slowly."]
    put(db, "Herons eat frogs.")
    embed(db)
    assert bodies(db, "what herons eat")[0] == "Herons eat frogs."


def test_vectors_of_two_stores_and_two_models_do_not_mix(db: sqlite3.Connection) -> None:
    put(db, "The heron nests by the lake.")
    embed(db)
    other = Words("other words")
    with closing(make_db()) as second:
        put(second, "A heron in the second store.")
        embed(second)
        embed(second, other)
        for _ in range(2):
            assert bodies(db, "heron") == ["The heron nests by the lake."]
            assert bodies(second, "heron") == ["A heron in the second store."]
            space = Space(other.name, other.dimensions)
            assert len(nearest(second, other.vector("heron"), space, EVERYTHING)) == 1
            assert nearest(db, other.vector("heron"), space, EVERYTHING) == []


def test_each_snapshot_finds_its_own_records_while_others_write(tmp_path: Path) -> None:
    database, other = Database(tmp_path / "store"), Database(tmp_path / "store")
    with database.write() as db:
        first = put(db, "The heron nests by the lake.")
        embed(db)
    with database.read() as before:
        assert len(near(before, "heron")) == 1
        with other.write() as db:
            put(db, "Another heron.")
            embed(db)
            db.execute("DELETE FROM record WHERE id = ?", (first.id,))
        with other.read() as after:
            assert bodies(after, "heron") == ["Another heron."]
        assert bodies(before, "heron") == ["The heron nests by the lake."]
    other.close()
    database.close()


def test_many_threads_find_the_same_while_one_embeds(tmp_path: Path) -> None:
    database = Database(tmp_path / "store")
    texts = [f"Heron number {n} nests by lake {n % 7}." for n in range(120)]
    with database.write() as db:
        for text in texts:
            put(db, text)
    embedding = Embedding(database, MODEL)
    wrong: list[tuple[int, int]] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            with database.read() as db:
                found = near(db, "heron nests", depth=1000)
                kept = vectors.size(db, SPACE).vectors
            if len(found) != kept:
                wrong.append((len(found), kept))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    while embedding.embed_pending(7):
        pass
    done.set()
    for thread in threads:
        thread.join()

    assert wrong == []
    with database.read() as db:
        assert len(near(db, "heron nests", depth=1000)) == len(texts)
    database.close()


def test_it_works_without_numpy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.splitlines() == ["[2, 1]", "False"]
