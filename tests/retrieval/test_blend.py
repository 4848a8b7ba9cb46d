import random
from statistics import pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.errors import Unavailable
from memex_mcp.retrieval.blend import SPREAD, WEIGHT, gains, guard, reranked, rule_hits
from memex_mcp.retrieval.dense import Near

SCORES = {1: 2.6, 2: 1.9, 3: 1.2, 4: 0.9, 5: 0.4}
"""What words found, best first."""

rows = st.lists(st.integers(1, 60), unique=True, max_size=60)


def near(**similar: float) -> list[Near]:
    """``n3=0.8`` is row 3 at 0.8; nearest first."""
    found = [Near(int(name[1:]), 0, 9, value) for name, value in similar.items()]
    return sorted(found, key=lambda each: -each.similarity)


def order(scores: dict[int, float], gained: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda n: -(scores[n] + gained.get(n, 0.0)))


def test_the_more_similar_gains_more_and_the_rest_loses_nothing() -> None:
    gained = gains(SCORES, SCORES, near(n3=0.8, n4=0.6, n5=0.2))

    assert gained[3] > gained[4] > 0
    assert gained.keys() == {3, 4}
    assert order(SCORES, gained) == [1, 3, 2, 4, 5]
    assert gains(SCORES, SCORES, []) == {}


def test_gains_are_standard_deviations_of_the_lexical_scores() -> None:
    gained = gains(SCORES, SCORES, near(n1=0.5, n2=0.3))

    deviation = pstdev([0.5, 0.3])
    expected = WEIGHT * pstdev(list(SCORES.values())) * (0.5 - 0.3) / deviation
    assert gained == pytest.approx({1: expected})
    assert gains(SCORES, SCORES, near(n1=0.5, n2=0.3), 2 * WEIGHT)[1] == pytest.approx(2 * expected)


def test_scores_that_happen_to_agree_do_not_silence_the_meaning() -> None:
    scores = {1: 1.2, 2: 1.2}

    gained = gains(scores, scores, near(n2=0.9, n3=0.1, n1=0.1))

    assert gained == pytest.approx({2: WEIGHT * SPREAD * 0.8 / pstdev([0.9, 0.1, 0.1])})


def test_what_words_did_not_find_starts_where_their_last_hit_stands() -> None:
    scores = {**SCORES, 7: 0.1, 8: 0.2}

    gained = gains(scores, SCORES, near(n7=0.9, n8=0.3, n1=0.2))

    assert scores[7] + gained[7] > SCORES[5]
    assert scores[8] + gained[8] > SCORES[5]
    assert scores[7] + gained[7] > scores[8] + gained[8]
    alone = gains({7: 0.1, 8: 0.2}, (), near(n7=0.9, n8=0.3))
    assert alone.keys() == {7}


def test_a_list_of_equals_and_rows_that_nobody_scored_gain_nothing() -> None:
    assert gains(SCORES, SCORES, near(n1=0.5, n2=0.5)) == {}
    assert gains(SCORES, SCORES, near(n99=0.5, n2=0.1)) == {}


@given(st.data())
def test_no_embedder_ever_takes_from_what_words_found(data: st.DataObject) -> None:
    chance = data.draw(st.randoms(use_true_random=False))
    scores = {n: chance.uniform(0, 4) for n in data.draw(rows)}
    lexical = [n for n in scores if chance.random() < 0.7]
    found = [Near(n, 0, 1, chance.uniform(-1, 1)) for n in data.draw(rows)]

    gained = gains(scores, lexical, sorted(found, key=lambda each: -each.similarity))

    assert all(gain > 0 for gain in gained.values())
    assert gained.keys() <= scores.keys()


def test_a_hostile_embedder_leaves_the_rule_hits_in_the_window() -> None:
    chance = random.Random(7)
    lexical = sorted(SCORES, key=lambda n: -SCORES[n])
    scores = SCORES | dict.fromkeys(range(10, 60), 0.0)
    for _ in range(50):
        found = [Near(n, 0, 1, chance.uniform(-1, 1)) for n in scores]
        gained = gains(scores, lexical, sorted(found, key=lambda each: -each.similarity), 100.0)
        blended = order(scores, gained)
        rules = rule_hits(lexical, [5], 5)

        window = guard(blended, rules, 5)[:5]

        assert {1, 5} <= set(window)


def test_a_hostile_reranker_cannot_push_a_rule_hit_out_of_the_window() -> None:
    ordered = list(range(1, 25))
    upside_down = reranked(ordered, [float(n) for n in ordered])
    assert upside_down[:10] == list(range(24, 14, -1))

    rules = rule_hits(ordered, [20, 9], 10)
    window = guard(upside_down, rules, 10)

    assert rules == [9, 20, 1, 2, 3]
    assert set(rules) <= set(window[:10])
    assert window[:10] == [24, 23, 22, 21, 20, 19, 9, 3, 2, 1]
    assert sorted(window) == ordered


def test_an_order_that_needs_no_guard_stays_as_it_is() -> None:
    ordered = [3, 1, 2, 5, 4]

    assert guard(ordered, [1, 2], 3) == ordered
    assert guard(ordered, [], 3) == ordered
    assert guard(ordered, [4], 1) == [4, 3, 1, 2, 5]


def test_what_a_model_left_out_comes_back() -> None:
    assert guard([5, 6, 7], [1, 2], 3) == [5, 1, 2, 6, 7]


@pytest.mark.parametrize(
    ("verbatim", "limit", "expected"),
    [
        pytest.param([], 10, [1, 2, 3, 4, 5], id="half of the window"),
        pytest.param([], 1, [1], id="the best of one place"),
        pytest.param([8], 4, [8, 1], id="word for word counts as one of the half"),
        pytest.param([7, 8, 9], 4, [7, 8, 9], id="word for word beyond the half"),
        pytest.param([6, 7, 8, 9], 3, [6, 7, 8], id="no more than there are places"),
        pytest.param([77], 4, [1, 2], id="no candidate"),
    ],
)
def test_rule_hits(verbatim: list[int], limit: int, expected: list[int]) -> None:
    assert rule_hits(range(1, 10), verbatim, limit) == expected


@given(rows, rows, st.integers(1, 12))
def test_the_guard_loses_nothing_and_keeps_the_order_of_each_part(
    ordered: list[int], rules: list[int], limit: int
) -> None:
    guarded = guard(ordered, rules, limit)

    assert sorted(guarded) == sorted({*ordered, *rules})
    assert set(rules[:limit]) <= set(guarded[:limit])
    places = {n: place for place, n in enumerate([*ordered, *rules]) if n not in ordered[:place]}
    for part in (guarded[:limit], guarded[limit:]):
        known = [n for n in part if n in ordered]
        assert known == sorted(known, key=places.__getitem__)


@pytest.mark.parametrize("scores", [[1.0], [1.0, 2.0, 3.0], [float("nan"), 1.0], [float("inf"), 1]])
def test_a_reranker_that_does_not_score_each_candidate_is_unavailable(scores: list[float]) -> None:
    assert reranked([1, 2], [0.5, 0.5]) == [1, 2]

    with pytest.raises(Unavailable, match="something else"):
        reranked([1, 2], scores)
