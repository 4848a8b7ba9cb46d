import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memex_mcp.embedding import Embedding
from memex_mcp.errors import Unavailable
from memex_mcp.store import vectors
from memex_mcp.store.database import Database
from memex_mcp.store.home import EMBEDDING_LOCK
from memex_mcp.store.lock import FileLock
from tests.llm.offline import Words
from tests.make import NOON
from tests.retrieval.using import change, put

CROWD = """
import pathlib, sys
from memex_mcp.embedding import Embedding
from memex_mcp.errors import Unavailable
from memex_mcp.store.database import Database
from tests.llm.offline import Words
sys.stdin.readline()
model = Words()
embedding = Embedding(Database(pathlib.Path(sys.argv[1])), model)
while True:
    try:
        if not embedding.embed_pending(3):
            break
    except Unavailable:
        continue
print(len([text for text in model.asked if "Statement" in text]))
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "store")
    yield opened
    opened.close()


def write(database: Database, *bodies: str) -> None:
    with database.write() as db:
        for body in bodies:
            put(db, body)


def all_of(embedding: Embedding, limit: int = 64) -> int:
    """Embed until nothing is left; returns how often the model was asked for."""
    rounds = 0
    while embedding.embed_pending(limit):
        rounds += 1
    return rounds


def size(database: Database, embedding: Embedding) -> tuple[int, int]:
    """Vectors, and chunks that wait for one."""
    with database.read() as db:
        found = vectors.size(db, embedding.space)
    return found.vectors, found.pending


def own(model: Words) -> list[str]:
    """Texts of the store that a model was asked for, without the sentences that gauge it."""
    return [text for text in model.asked if "\n" in text]


def test_everything_gets_a_vector_a_few_at_a_time_and_each_text_once(database: Database) -> None:
    model = Words()
    embedding = Embedding(database, model)
    assert embedding.embed_pending() == 0
    write(database, "One.", "Two.", "Three.")
    with database.write() as db:
        put(db, "One.", workspace_id="w2")

    assert embedding.embed_pending(3) == 3
    assert size(database, embedding) == (3, 1)
    assert all_of(embedding) == 1

    assert size(database, embedding) == (3, 0)
    assert sorted(own(model)) == sorted(set(own(model)))
    assert len(own(model)) == 3
    with database.read() as db:
        assert vectors.noise(db, embedding.space) is not None


def test_the_store_can_be_written_while_the_model_is_asked(database: Database) -> None:
    write(database, "The heron nests by the lake.")
    model = Words()
    embedding = Embedding(database, model)
    embedding.embed_pending(0)

    def meanwhile() -> None:
        model.meanwhile = lambda: None
        with database.write(0.0) as db:
            old = put(db, "Written meanwhile.")
            change(db, old, NOON, body="And changed.")

    model.meanwhile = meanwhile
    assert embedding.embed_pending() == 1

    assert all_of(embedding) == 1
    assert size(database, embedding) == (2, 0)


def test_text_that_is_erased_while_it_is_embedded_leaves_nothing(database: Database) -> None:
    write(database, "Secret plan.")
    model = Words()
    embedding = Embedding(database, model)
    embedding.embed_pending(0)

    def erase() -> None:
        with database.write() as db:
            db.execute("DELETE FROM record")

    model.meanwhile = erase
    embedding.embed_pending()

    assert own(model)
    assert size(database, embedding) == (0, 0)


def test_after_close_nothing_is_written(database: Database) -> None:
    write(database, "One.", "Two.")
    model = Words()
    embedding = Embedding(database, model)
    assert embedding.embed_pending(1) == 1

    model.meanwhile = embedding.close
    assert embedding.embed_pending(1) == 0
    assert embedding.embed_pending(1) == 0

    assert size(database, embedding) == (1, 1)


def test_a_model_that_is_down_is_told_and_tried_again(database: Database) -> None:
    write(database, "One.")
    model = Words()
    model.is_down = True
    embedding = Embedding(database, model)

    with pytest.raises(Unavailable, match="down"):
        embedding.embed_pending()
    model.is_down = False

    assert all_of(embedding) == 1
    model.is_down = True
    assert embedding.embed_pending() == 0


def test_a_text_that_the_model_never_takes_does_not_hold_up_the_others(
    database: Database,
) -> None:
    write(database, "One.", "Poison one.", "Two.", "Poison two.", "Three.")
    model = Words()
    embedding = Embedding(database, model)
    model.refuses = "Poison"

    all_of(embedding, 2)

    assert size(database, embedding) == (3, 2)
    assert embedding.embed_pending() == 0


def test_another_model_embeds_anew_and_the_old_vectors_go(database: Database) -> None:
    write(database, *[f"Statement {n}." for n in range(5)])
    first = Embedding(database, Words("first"))
    all_of(first)
    second = Embedding(database, Words("second"))

    all_of(second, 2)

    assert size(database, second) == (5, 0)
    assert size(database, first) == (0, 5)
    assert first.embed_pending() == 0
    assert size(database, first) == (0, 5)
    again = Embedding(database, Words("first"))
    all_of(again)
    assert (size(database, again), size(database, second)) == ((5, 0), (0, 5))


def test_of_two_threads_one_embeds_and_the_other_is_told(database: Database) -> None:
    write(database, "One.")
    model = Words()
    embedding, other = Embedding(database, model), Embedding(database, Words())
    other.embed_pending(0)
    told: list[str] = []

    def try_too() -> None:
        try:
            other.embed_pending()
        except Unavailable as error:
            told.append(error.code)

    embedding.embed_pending(0)
    model.meanwhile = lambda: _run(try_too)
    assert embedding.embed_pending() == 1

    assert told == ["unavailable"]
    assert other.embed_pending() == 0


def _run(what: Callable[[], None]) -> None:
    thread = threading.Thread(target=what)
    thread.start()
    thread.join()


def test_of_several_processes_each_text_is_embedded_by_one(database: Database) -> None:
    write(database, *[f"Statement {n}." for n in range(20)])
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", CROWD, str(database.home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(3)
    ]
    done = [each.communicate("go\n", timeout=50)[0] for each in crowd]

    assert sum(map(int, done)) == 20
    assert size(database, Embedding(database, Words())) == (20, 0)


def test_the_lock_of_a_dead_process_holds_up_nobody(database: Database) -> None:
    write(database, "One.")
    embedding = Embedding(database, Words())
    with FileLock(database.home / EMBEDDING_LOCK), pytest.raises(Unavailable):
        embedding.embed_pending()

    assert embedding.embed_pending() == 1
    if os.name != "nt":
        assert stat.S_IMODE((database.home / EMBEDDING_LOCK).stat().st_mode) == 0o600
