"""A date said in a question raises what lies near it, and hides nothing."""

from datetime import UTC, datetime

import pytest

from tests.retrieval.using import ask, found, put, store


def test_a_date_in_a_question_raises_what_lies_near_it_and_hides_nothing() -> None:
    with store() as db:
        ids = {
            month: put(
                db,
                f"The staging port was moved in round {month}.",
                title=f"Round {month}",
                observed_at=datetime(2025, month, 10, tzinfo=UTC),
            ).id
            for month in (3, 5, 9)
        }

        march = found(db, "staging port moved in March 2025")
        may = found(db, "staging port moved in May 2025")
        september = found(db, "去年9月 staging port moved")
        best = ask(db, "staging port moved in May 2025", explain=True).hits[0]

    assert (march[0], may[0], september[0]) == (ids[3], ids[5], ids[9])
    assert set(march) == set(may) == set(september) == set(ids.values())
    assert best.parts is not None
    assert best.parts["date"] > 0
    assert sum(best.parts.values()) == pytest.approx(best.score, abs=1e-9)
