"""Search by meaning through the one door, with an endpoint on loopback that is scripted."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.embedding import Embedding
from memex_mcp.errors import Unavailable
from memex_mcp.llm.openai_embedder import OpenAiEmbedder
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import State, Status, Surface
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.retrieval.tuning import DEFAULT as TUNING
from memex_mcp.settings import EmbedderSettings, Settings
from tests.card import card
from tests.llm.endpoint import Endpoint, endpoint, rows
from tests.llm.offline import Concepts
from tests.llm.test_use_embedder import needs_model
from tests.using import edit, found, search

MODEL = Concepts()
HERON = "The heron nests by the lake."
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
from pathlib import Path
from memex_mcp.embedding import Embedding
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.llm.offline import Concepts
memory = Memory(Settings(home=Path(sys.argv[1])))
memory.embedding = Embedding(memory._database, Concepts())
caller = memory.caller(Evidence(surface=Surface.TOOL, client="a", workspace=Path(sys.argv[2])))
memory.write(Draft(text="The heron nests by the lake."), caller)
while memory.embedding.embed_pending():
    pass
answer = memory.search(Query(text="wading bird"), caller)
print(answer.state, answer.skipped, [hit.snippet for hit in answer.hits])
"""


def vectors(texts: list[str]) -> tuple[int, object]:
    return rows([list(MODEL.vector(text)) for text in texts])


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with endpoint(vectors) as served:
        yield served


@pytest.fixture
def settings(root: Path, served: Endpoint) -> Settings:
    named = EmbedderSettings(
        kind="openai", model="m", base_url=served.base_url, dimensions=MODEL.dimensions, timeout=30
    )
    return Settings(home=root, embedder=named)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    opened = Memory(settings)
    yield opened
    opened.close()


def asked(served: Endpoint) -> list[str]:
    """Every text that reached the endpoint, in order."""
    return [text for _, _, body in served.asked for text in body["input"]]


def embed(memory: Memory) -> int:
    assert memory.embedding is not None
    done = 0
    while some := memory.embedding.embed_pending():
        done += some
    return done


def test_what_is_written_is_found_by_its_meaning_once_it_is_embedded(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(Draft(text=HERON), agent)
    memory.write(Draft(text="Queues drain slowly on Mondays."), agent)
    assert found(memory, agent, "wading bird") == []

    assert embed(memory) == 2

    assert found(memory, agent, "wading bird") == [written.id]
    assert found(memory, agent, "苍鹭") == [written.id]
    assert written.id in memory.window("wading bird", 600, agent).text
    assert found(memory, agent, "trombone choir") == []


def test_a_model_is_asked_the_question_alone_without_filters_and_secrets(
    memory: Memory, agent: Caller, served: Endpoint
) -> None:
    memory.write(Draft(text=HERON, tags=("lake",)), agent)
    embed(memory)
    served.asked.clear()

    search(memory, agent, "tag:lake type:fact wading bird", variants=("grey bird", "鸟"))
    search(memory, agent, f"what is {SECRET} for")
    search(memory, agent, "tag:lake")
    search(memory, agent, "x" * 9_000)
    search(memory, agent, "lone \ud800 surrogate")

    bird, secret, long, odd = asked(served)
    assert bird == "wading bird"
    assert SECRET not in secret
    assert secret.startswith("what is [MASKED:")
    assert long == "x" * 2_000
    assert odd == "lone ? surrogate"


def test_a_hook_asks_no_model(memory: Memory, agent: Caller, served: Endpoint) -> None:
    memory.write(Draft(text=HERON), agent)
    embed(memory)
    served.asked.clear()
    hook = replace(agent, surface=Surface.HOOK)

    assert search(memory, hook, "wading bird").hits == ()
    assert served.asked == []
    assert len(search(memory, agent, "wading bird").hits) == 1
    assert len(served.asked) == 1


def test_a_memory_that_is_off_asks_no_model(settings: Settings, served: Endpoint) -> None:
    off = Memory(replace(settings, disabled="the user said so"))
    caller = off.caller(Evidence(surface=Surface.TOOL, client="a", workspace=None))

    assert off.search(Query(text="wading bird"), caller).state is State.DISABLED
    assert off.window("wading bird", 600, caller).state is State.DISABLED
    assert served.asked == []


Broken = Callable[[list[str]], tuple[int, object]]
BROKEN: list[tuple[str, Broken]] = [
    ("refuses", lambda texts: (500, {"error": "down"})),
    ("never takes it", lambda texts: (400, {"error": "no"})),
    ("nonsense", lambda texts: (200, b"not json")),
    ("fewer", lambda texts: rows([])),
    ("short", lambda texts: rows([[1.0]] * len(texts))),
    ("no direction", lambda texts: rows([[0.0] * MODEL.dimensions] * len(texts))),
    ("not a number", lambda texts: rows([[float("nan")] * MODEL.dimensions] * len(texts))),
]


@card("meaning.down")
@pytest.mark.parametrize("broken", [each for _, each in BROKEN], ids=[name for name, _ in BROKEN])
def test_a_model_that_fails_costs_its_part_alone_and_the_answer_names_it(
    memory: Memory, agent: Caller, served: Endpoint, broken: Broken
) -> None:
    written = memory.write(Draft(text=HERON), agent)
    embed(memory)
    served.answer = broken

    answer = search(memory, agent, "where the heron nests")
    nothing = search(memory, agent, "wading bird")

    assert [hit.id for hit in answer.hits] == [written.id]
    assert (answer.state, answer.skipped) == (State.DEGRADED, ("meaning leg",))
    assert (nothing.state, nothing.skipped) == (State.DEGRADED, ("meaning leg",))
    assert "skipped: meaning leg" in memory.window("where the heron nests", 600, agent).text
    served.answer = vectors
    assert search(memory, agent, "wading bird").state is State.OK


def test_a_text_that_a_hostile_model_answers_badly_for_keeps_waiting(
    memory: Memory, agent: Caller, served: Endpoint
) -> None:
    memory.write(Draft(text=HERON), agent)
    assert memory.embedding is not None
    embed(memory)
    memory.write(Draft(text="Herons eat frogs."), agent)
    served.answer = lambda texts: rows([[float("inf")] * MODEL.dimensions] * len(texts))

    with pytest.raises(Unavailable):
        memory.embedding.embed_pending()
    assert memory.embedding.size().pending == 1

    served.answer = vectors
    assert embed(memory) == 1


@card("meaning.kept")
def test_a_rebuild_asks_for_no_text_a_second_time(
    memory: Memory, agent: Caller, served: Endpoint
) -> None:
    for n in range(4):
        memory.write(Draft(text=f"Heron {n} nests by lake {n}."), agent)
    memory.refresh()
    embed(memory)
    before = found(memory, agent, "wading bird")
    served.asked.clear()

    memory.rebuild_index()
    assert memory.rebuild_from_files().records == 4

    assert found(memory, agent, "wading bird") == before
    assert len(before) == 4
    assert embed(memory) == 0
    assert asked(served) == ["wading bird"]
    assert [each for each in memory.examine() if not each.ok] == []
    memory.write(Draft(text="A new heron."), agent)
    assert embed(memory) == 1


def test_what_is_edited_or_withdrawn_is_found_by_what_it_says_now(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(Draft(text=HERON), agent)
    wrong = memory.write(Draft(text="A heron is a fish."), agent)
    embed(memory)
    assert set(found(memory, agent, "wading bird")) == {written.id, wrong.id}

    memory.set_status(wrong.id, Status.RETRACTED, agent, reason="it is none")
    edit(memory, written.id, "The heron nests", "Nobody nests")
    memory.refresh()
    embed(memory)

    assert found(memory, agent, "wading bird") == []
    assert found(memory, agent, "who nests by the lake") == [written.id]


def test_status_and_doctor_say_what_waits(memory: Memory, agent: Caller) -> None:
    memory.write(Draft(text=HERON), agent)
    embed(memory)
    memory.write(Draft(text="Queues drain slowly."), agent)

    status = memory.status(agent)
    (finding,) = (each for each in memory.examine() if each.check == "meaning")

    assert status.embedder.startswith("m at 127.0.0.1")
    assert (status.vectors, status.waiting_vectors) == (1, 1)
    assert finding.ok
    assert "1 vectors, 1 chunks" in finding.detail


def test_without_a_model_nothing_is_said_of_it(root: Path, project: Path) -> None:
    memory = Memory(Settings(home=root))
    caller = memory.caller(Evidence(surface=Surface.TOOL, client="a", workspace=project))
    memory.write(Draft(text=HERON), caller)

    answer = memory.search(Query(text="wading bird"), caller)

    assert memory.embedding is None
    assert (answer.state, answer.skipped) == (State.NO_MATCH, ())
    assert memory.status(caller).embedder == ""
    assert "meaning" not in {each.check for each in memory.examine()}
    memory.close()


def test_after_close_nothing_more_is_embedded(memory: Memory, agent: Caller) -> None:
    memory.write(Draft(text=HERON), agent)
    assert memory.embedding is not None
    memory.close()

    assert memory.embedding.is_closed
    assert embed(memory) == 0


def test_a_question_is_answered_while_the_embedder_is_slow_to_load(
    memory: Memory, agent: Caller, served: Endpoint, settings: Settings
) -> None:
    memory.write(Draft(text=HERON), agent)
    embed(memory)
    impatient = replace(settings.embedder, timeout=0.1)
    memory.embedding = Embedding(memory._database, OpenAiEmbedder(impatient))

    def stuck(texts: list[str]) -> tuple[int, object]:
        served.go_on.wait(30)
        return vectors(texts)

    served.answer = stuck
    answer = search(memory, agent, "where the heron nests")

    assert answer.skipped == ("meaning leg",)
    assert len(answer.hits) == 1


def test_without_numpy_it_finds_the_same_and_says_nothing_of_it(root: Path, project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMPY, str(root), str(project)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert done.stdout.splitlines() == [f"ok () ['{HERON}']"]


@needs_model
def test_the_local_model_finds_an_answer_in_another_language(root: Path, project: Path) -> None:
    memory = Memory(Settings(home=root, embedder=EmbedderSettings(kind="local")))
    caller = memory.caller(Evidence(surface=Surface.TOOL, client="a", workspace=project))
    cut = memory.write(Draft(text="The release branch is cut on the first Thursday."), caller)
    for other in ("The cat does not like the fish.", "The invoices are due in the first week."):
        memory.write(Draft(text=other), caller)
    embed(memory)

    hits = memory.search(Query(text="发布分支是在哪一天创建的？"), caller).hits

    assert [(hit.id, hit.via) for hit in hits[:1]] == [(cut.id, "meaning")]
    off = replace(TUNING, legs=TUNING.legs - {"dense"})
    assert memory.search(Query(text="发布分支是在哪一天创建的？"), caller, tuning=off).hits == ()
    memory.close()
