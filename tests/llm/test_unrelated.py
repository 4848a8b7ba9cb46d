from statistics import fmean

from memex_mcp.llm.unrelated import SENTENCES, noise_of
from tests.llm.offline import Noise, Words


def test_every_model_has_a_noise_of_its_own() -> None:
    (wide, spread), (narrow, more) = (noise_of(Noise(dimensions=each)) for each in (256, 16))

    assert -0.1 < wide < 0.1
    assert -0.1 < narrow < 0.1
    assert 0.03 < spread < 0.1 < more < 0.4
    assert sum(noise_of(Words())) < 1.0


def test_the_sentences_are_in_two_languages_and_all_different() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES)
    assert 0.3 < fmean(not sentence.isascii() for sentence in SENTENCES) < 0.7
