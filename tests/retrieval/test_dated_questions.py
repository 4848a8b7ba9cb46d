"""A date said in a question raises what lies near it, and hides nothing."""

from datetime import UTC, datetime

import pytest

from memex_mcp.retrieval.dates import read
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


@pytest.mark.parametrize(
    "date", ["2026-01-31", "last week", "last January", "上周三", "2026年1月31日", "上个月"]
)
def test_a_date_beside_a_single_word_hides_nothing(date: str) -> None:
    with store("Kafka consumer lag alerts fire at 10k messages.", "Standup is at ten.") as db:
        alone = found(db, "kafka")
        dated = found(db, f"kafka {date}")
        absent = found(db, f"giraffe {date}")

    assert dated == alone
    assert len(alone) == 1
    assert absent == []


@pytest.mark.parametrize("year", [1, 9999])
def test_a_week_beyond_the_calendar_is_no_date(year: int) -> None:
    moment = datetime(year, 1, 1, tzinfo=UTC) if year == 1 else datetime(9999, 12, 31, tzinfo=UTC)
    for text in ("last week", "next week", "上周三", "下周", "最近3天", "3 days ago", "weekend"):
        read(text, moment)
    assert read("last week", datetime(2026, 11, 30, tzinfo=UTC)).ranges
