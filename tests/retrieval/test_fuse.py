"""Which of many records are looked at closely."""

from memex_mcp.retrieval.fuse import FIRSTS, Ranking, fuse, pool
from memex_mcp.store.search import Found


def ranking(*rows: int) -> Ranking:
    return Ranking([Found(row, score=1.0) for row in rows], 1.0, "body")


def test_what_stands_beside_a_good_match_is_looked_at_before_what_stands_alone() -> None:
    firsts = range(100, 100 + 10 * FIRSTS, 10)
    alone, beside, far = 501, 101, 701
    rankings = [ranking(*firsts, alone, beside, far)]
    fused = fuse(rankings)

    chosen = pool(rankings, fused, FIRSTS + 1)

    assert fused[alone] > fused[beside]
    assert chosen == [*firsts, beside]
    assert pool(rankings, fused, FIRSTS + 2) == [*firsts, beside, alone]


def test_all_are_looked_at_where_there_are_few() -> None:
    rankings = [ranking(7, 3), ranking(5)]

    assert sorted(pool(rankings, fuse(rankings), 3)) == [3, 5, 7]
