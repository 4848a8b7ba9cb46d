"""A server with a model: it embeds on a thread of its own, and nobody waits for that."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.embedding import Embedding
from memex_mcp.llm.ports import Vector
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.record import Draft
from memex_mcp.server import embedder
from memex_mcp.server.embedder import Embedder
from memex_mcp.settings import EmbedderSettings, Settings
from tests.card import card
from tests.llm.endpoint import Endpoint, endpoint, rows
from tests.llm.offline import Concepts
from tests.process import COMMAND
from tests.server.using import connect
from tests.server.wire import DEADLINE, Wire, call, request, told
from tests.using import found

MODEL = Concepts()
HERON = "The heron nests by the lake."


def vectors(texts: list[str]) -> tuple[int, object]:
    return rows([list(MODEL.vector(text)) for text in texts])


class Watched(Embedding):
    """Tells each time when nothing is left to embed, and when the model could not be used."""

    def __init__(self, memory: Memory, model: Concepts) -> None:
        super().__init__(memory._database, model)
        self.done = threading.Event()

    def embed_pending(self, limit: int = 64) -> int:
        some = super().embed_pending(limit)
        if not some:
            self.done.set()
        return some


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder, "CALM", 0.0)
    monkeypatch.setattr(embedder, "RETRY", 0.01)


@pytest.fixture
def watched(memory: Memory) -> Watched:
    memory.embedding = watched = Watched(memory, Concepts())
    return watched


@pytest.fixture
def started(memory: Memory, watched: Watched, agent: Caller) -> Iterator[Embedder]:
    """A server's embedder over a store with one record."""
    memory.write(Draft(text=HERON), agent)
    running = Embedder(memory, readonly=False)
    yield running
    running.stop()


@card("meaning.background")
def test_what_is_there_and_what_comes_is_embedded_without_being_asked(
    memory: Memory, agent: Caller, watched: Watched, started: Embedder
) -> None:
    started.start()
    assert watched.done.wait(DEADLINE)
    first = found(memory, agent, "wading bird")
    watched.done.clear()

    later = memory.write(Draft(text="We deploy on Fridays."), agent)
    assert watched.done.wait(DEADLINE)

    assert len(first) == 1
    assert found(memory, agent, "ship to customers") == [later.id]


def test_a_model_that_is_down_is_asked_again(
    memory: Memory, agent: Caller, watched: Watched, started: Embedder
) -> None:
    model = Concepts()
    asked = threading.Event()

    class Wakes(Concepts):
        def embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
            asked.set()
            return model.embed(texts, query=query)

    model.is_down = True
    watched._embedder = Wakes()
    started.start()
    assert asked.wait(DEADLINE)
    assert watched.size().vectors == 0

    model.is_down = False

    assert watched.done.wait(DEADLINE)
    assert watched.size().pending == 0


def test_a_server_that_only_reads_embeds_nothing(
    memory: Memory, agent: Caller, watched: Watched
) -> None:
    memory.write(Draft(text=HERON), agent)
    warm = threading.Event()
    model = Concepts()
    model.meanwhile = warm.set
    watched._embedder = model
    reader = Embedder(memory, readonly=True)

    reader.start()
    assert warm.wait(DEADLINE)
    reader.stop()
    reader._thread.join(DEADLINE)

    assert watched.size() == replace(watched.size(), vectors=0, pending=1)
    assert all("\n" not in text for text in model.asked)


def test_without_a_model_or_a_store_nothing_begins(memory: Memory, agent: Caller) -> None:
    idle = Embedder(memory, readonly=False)
    idle.start()
    idle.stop()
    assert not idle._thread.is_alive()

    memory.embedding = Watched(memory, Concepts())
    running = Embedder(memory, readonly=False)
    running.start()
    running.note(None)  # type: ignore[arg-type]  # what changed does not matter
    running.stop()
    running._thread.join(DEADLINE)
    assert not running._thread.is_alive()
    assert not memory.settings.home.exists()


def config(root: Path, served: Endpoint) -> None:
    root.mkdir(mode=0o700, exist_ok=True)
    (root / "config.toml").write_text(
        f'[embedder]\nkind = "openai"\nmodel = "m"\nbase_url = "{served.base_url}"\n'
        f"dimensions = {MODEL.dimensions}\ntimeout = 0.2\n",
        encoding="utf-8",
    )


def serve(root: Path, project: Path) -> Wire:
    return Wire([*COMMAND, "serve", "--root", str(root), "--workspace", str(project)])


def test_a_model_that_hangs_holds_up_no_request_and_not_the_end(root: Path, project: Path) -> None:
    with endpoint(vectors) as served:
        config(root, served)
        served.answer = lambda texts: (served.go_on.wait(DEADLINE), vectors(texts))[1]
        with serve(root, project) as wire:
            wire.shake_hands()
            wire.send(call(2, "memory_write", text=HERON))
            assert "created" in told(wire.answer(2))
            wire.send(call(3, "memory_search", query="where the heron nests"))
            said = told(wire.answer(3))
            wire.close_input()
            assert wire.wait() == 0

    assert HERON in said
    assert "skipped: meaning leg" in said


def test_a_server_embeds_and_finds_by_meaning(root: Path, project: Path) -> None:
    embedded = threading.Event()

    def answer(texts: list[str]) -> tuple[int, object]:
        if any(text.endswith(HERON) for text in texts):
            embedded.set()
        return vectors(texts)

    with endpoint(answer) as served:
        config(root, served)
        with serve(root, project) as wire:
            wire.shake_hands()
            wire.send(call(2, "memory_write", text=HERON))
            wire.answer(2)
            assert embedded.wait(DEADLINE)
            said = ""
            for number in range(3, 300):
                # What the model answered is on disk a moment later.
                wire.send(call(number, "memory_search", query="tall wading bird"))
                said = told(wire.answer(number))
                if HERON in said:
                    break
            wire.send(request(300, "tools/list"))
            assert "error" not in wire.answer(300)

    assert "found by meaning" in said


async def test_the_tools_are_the_same_with_and_without_a_model(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project) as client:
        without = await client.list_tools()
    named = EmbedderSettings(kind="local")
    with_model = Memory(Settings(home=memory.settings.home, embedder=named))
    async with connect(with_model, project) as client:
        assert (await client.list_tools()) == without
    with_model.close()
