"""Made facts: whatever kind of cue the question holds, only its own record comes first."""

import pytest

from scripts.eval_probes_made import PARAPHRASE, Fact, buried, facts
from tests.retrieval.using import found, put, store

FACTS = facts(seed=4, each=8)
FAMILIES = sorted({fact.family for fact in FACTS})


def of(family: str) -> list[Fact]:
    return [fact for fact in FACTS if fact.family == family]


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != PARAPHRASE])
def test_an_exact_cue_brings_its_own_record_first(family: str) -> None:
    with store() as db:
        ids = {fact.cue: put(db, fact.text).id for fact in FACTS}

        first = {fact.cue: found(db, fact.question)[:1] for fact in of(family)}
        absent = found(db, "what about QQQ-0000?")

    assert first == {fact.cue: [ids[fact.cue]] for fact in of(family)}
    assert absent == []


@pytest.mark.parametrize("depth", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("family", ["identifier", "mixed", "number"])
def test_an_exact_cue_is_found_at_any_depth_of_a_long_text(family: str, depth: float) -> None:
    with store() as db:
        ids = {
            fact.cue: put(db, buried(fact.text, n, words=900, depth=depth), title=f"Log {n}").id
            for n, fact in enumerate(of(family))
        }

        first = {fact.cue: found(db, fact.question)[:1] for fact in of(family)}
        absent = found(db, "where does ZZZ-0001 come from?")

    assert first == {cue: [each] for cue, each in ids.items()}
    assert absent == []


def test_every_cue_stands_in_one_fact_only() -> None:
    texts = [fact.text for fact in FACTS if fact.family != PARAPHRASE]
    cues = [fact.cue for fact in FACTS if fact.family != PARAPHRASE]

    assert [cue for cue in cues if sum(cue in text for text in texts) != 1] == []
    assert len(FAMILIES) == 9
