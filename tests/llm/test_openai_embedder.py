import threading
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.errors import Invalid, MemexError, Unavailable
from memex_mcp.llm.openai_embedder import PAUSE, OpenAiEmbedder
from memex_mcp.settings import EmbedderSettings
from tests.llm.endpoint import Endpoint, endpoint, rows

pytest.importorskip("openai", reason="the package openai is not installed")


def sound(texts: list[str]) -> tuple[int, Any]:
    return rows([[3.0, 4.0, float(len(text))] for text in texts])


def embedder(served: Endpoint, **over: Any) -> OpenAiEmbedder:
    given = {"kind": "openai", "model": "m", "base_url": served.base_url, "dimensions": 2}
    clock = over.pop("clock", lambda: 0.0)
    return OpenAiEmbedder(EmbedderSettings(**{**given, "timeout": 20.0, **over}), clock)


def told(served: Endpoint, *, query: bool, **over: Any) -> MemexError:
    with pytest.raises(MemexError) as caught:
        embedder(served, **over).embed(["one"], query=query)
    return caught.value


def test_vectors_come_in_the_order_of_the_texts_cut_and_of_length_one() -> None:
    with endpoint(lambda texts: rows([[3.0, 4.0, 9.0], [0.0, 2.0, 9.0]])) as served:
        made = embedder(served).embed(["a", "b"], query=False)

        assert [list(vector) for vector in made] == [[0.6, 0.8], [0.0, 1.0]]
        ((path, _, body),) = served.asked
        assert (path, body["model"], body["input"]) == ("/v1/embeddings", "m", ["a", "b"])
        assert body["encoding_format"] == "float"
        assert "dimensions" not in body


def test_many_texts_are_asked_for_in_batches_and_a_question_at_once() -> None:
    with endpoint(sound) as served:
        made = embedder(served).embed([str(n) for n in range(130)], query=False)
        assert len(made) == 130
        assert [len(body["input"]) for _, _, body in served.asked] == [64, 64, 2]

        assert len(embedder(served).embed(["what?"], query=True)) == 1


def test_the_key_is_sent_and_shown_nowhere() -> None:
    with endpoint(sound) as served:
        settings = EmbedderSettings(
            kind="openai",
            model="m",
            base_url=served.base_url,
            key_env="MY_KEY",
            key="k-123",
            dimensions=2,
        )
        OpenAiEmbedder(settings).embed(["one"], query=False)

        assert served.asked[0][1] == "Bearer k-123"
        assert "k-123" not in repr(settings)
        assert "k-123" not in OpenAiEmbedder(settings).name


def test_without_a_named_key_none_is_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k-of-something-else")
    with endpoint(sound) as served:
        embedder(served).embed(["one"], query=False)

        assert "something-else" not in served.asked[0][1]


def test_a_named_key_that_is_not_set_is_told_before_anything_is_sent() -> None:
    with endpoint(sound) as served:
        error = told(served, query=True, key_env="MY_KEY")

        assert isinstance(error, Unavailable)
        assert "MY_KEY" in str(error)
        assert served.asked == []
        assert embedder(served, key_env="MY_KEY", key="k").embed(["one"], query=True)


def test_two_endpoints_are_two_models() -> None:
    here = EmbedderSettings(model="m", base_url="http://localhost:1/v1/", dimensions=2)
    there = EmbedderSettings(model="m", base_url="http://localhost:2/v1", dimensions=2)

    assert OpenAiEmbedder(here).name == "m at localhost:1/v1"
    assert OpenAiEmbedder(here).name != OpenAiEmbedder(there).name


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param((200, b"<html>"), "reached or read", id="no JSON"),
        pytest.param((200, {"data": None}), "something else", id="no list"),
        pytest.param((200, {"data": [{"index": 0}]}), "something else", id="no vector"),
        pytest.param((200, {"data": []}), "other texts", id="too few"),
        pytest.param(rows([[1.0, 0.0], [1.0, 0.0]]), "other texts", id="too many"),
        pytest.param(rows([[0.0, 0.0]]), "something else", id="no direction"),
        pytest.param(rows([[1e999, 0.0]]), "something else", id="infinite"),
        pytest.param(rows([[1.0]]), "1 dimensions", id="too short"),
        pytest.param((401, {"error": {"message": "k-123"}}), "status 401", id="no access"),
        pytest.param((500, {}), "status 500", id="broken"),
    ],
)
def test_an_answer_of_no_use_is_unavailable_and_asked_for_once(
    answer: tuple[int, Any], words: str
) -> None:
    with endpoint(lambda _: answer) as served:
        error = told(served, query=True)

        assert isinstance(error, Unavailable)
        assert words in str(error)
        assert len(served.asked) == 1
        served.answer = sound
        assert embedder(served).embed(["one"], query=True)


def test_a_text_that_is_refused_is_invalid_and_no_trouble_of_the_moment() -> None:
    with endpoint(lambda _: (400, {"error": {"message": "too long"}})) as served:
        assert isinstance(told(served, query=False), Invalid)
        assert len(served.asked) == 1


def test_in_the_background_a_busy_endpoint_gets_a_second_chance() -> None:
    answers = iter([(429, {}), rows([[1.0, 0.0]])])
    with endpoint(lambda _: next(answers)) as served:
        assert embedder(served).embed(["one"], query=False)
        assert len(served.asked) == 2


def test_a_question_does_not_wait_beyond_its_deadline_and_the_next_does_not_wait_at_all() -> None:
    now = [0.0]
    with endpoint(sound) as served:
        patient = embedder(served, clock=lambda: now[0], timeout=0.2)
        first = threading.Event()

        def late(texts: list[str]) -> tuple[int, Any]:
            first.set()
            served.go_on.wait(20)
            return sound(texts)

        patient.embed(["warm"], query=False)
        served.answer = late
        with pytest.raises(Unavailable, match="in time"):
            patient.embed(["one"], query=True)
        assert first.wait(20)
        count = len(served.asked)
        with pytest.raises(Unavailable, match="a moment ago"):
            patient.embed(["two"], query=True)
        assert len(served.asked) == count

        now[0] = PAUSE + 1
        with pytest.raises(Unavailable, match="in time"):
            patient.embed(["three"], query=True)
        served.answer = sound
        assert embedder(served, clock=lambda: now[0]).embed(["four"], query=True)


def test_an_endpoint_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with endpoint(sound) as served:
        gone = embedder(served)
    with pytest.raises(Unavailable, match="reached"):
        gone.embed(["one"], query=True)
