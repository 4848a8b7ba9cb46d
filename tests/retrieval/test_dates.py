"""Dates said in a question become stretches of time, and words that are none do not."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.retrieval import dates
from memex_mcp.retrieval.dates import Range, closeness
from tests.card import card
from tests.strategies import bodies

TODAY = datetime(2026, 5, 13, 10, 30, tzinfo=UTC)
"""A Wednesday."""


def moments(text: str, now: datetime) -> list[Range]:
    return list(dates.read(text, now).ranges)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def read(text: str) -> list[tuple[str, str]]:
    """First and last day of each stretch."""
    return [
        (f"{each.start:%Y-%m-%d}", f"{each.stop - timedelta(days=1):%Y-%m-%d}")
        for each in moments(text, TODAY)
    ]


@card("time.said")
@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we deploy on 2026-03-05?", "2026-03-05", "2026-03-05"),
        ("log of 2026/3/5", "2026-03-05", "2026-03-05"),
        ("２０２６－０３－０５", "2026-03-05", "2026-03-05"),
        ("at 2026-03-05T10:00Z", "2026-03-05", "2026-03-05"),
        ("the 2026-03 report", "2026-03-01", "2026-03-31"),
        ("March 2026", "2026-03-01", "2026-03-31"),
        ("march 2026", "2026-03-01", "2026-03-31"),
        ("the May of 2025", "2025-05-01", "2025-05-31"),
        ("Dec. 2024", "2024-12-01", "2024-12-31"),
        ("March 5th, 2025", "2025-03-05", "2025-03-05"),
        ("the 5th of March 2025", "2025-03-05", "2025-03-05"),
        ("5 Mar 2025", "2025-03-05", "2025-03-05"),
        ("on 05.03.2026.", "2026-03-05", "2026-03-05"),
        ("on 25/3/2026", "2026-03-25", "2026-03-25"),
        ("on 3/25/2026", "2026-03-25", "2026-03-25"),
        ("on March 5", "2026-03-05", "2026-03-05"),
        ("on December 24", "2025-12-24", "2025-12-24"),
        ("May 13", "2026-05-13", "2026-05-13"),
        ("May 14", "2025-05-14", "2025-05-14"),
        ("last March", "2026-03-01", "2026-03-31"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("last June", "2025-06-01", "2025-06-30"),
        ("this May", "2026-05-01", "2026-05-31"),
        ("next April", "2027-04-01", "2027-04-30"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in may", "2026-05-01", "2026-05-31"),
        ("in late march", "2026-03-01", "2026-03-31"),
        ("by May", "2026-05-01", "2026-05-31"),
        ("since august", "2025-08-01", "2025-08-31"),
        ("the January release", "2026-01-01", "2026-01-31"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("during 2024.", "2024-01-01", "2024-12-31"),
        ("today", "2026-05-13", "2026-05-13"),
        ("this morning", "2026-05-13", "2026-05-13"),
        ("Yesterday we said", "2026-05-12", "2026-05-12"),
        ("last night", "2026-05-12", "2026-05-12"),
        ("the day before yesterday", "2026-05-11", "2026-05-11"),
        ("this week", "2026-05-11", "2026-05-17"),
        ("last week's meeting", "2026-05-04", "2026-05-10"),
        ("last weekend", "2026-05-09", "2026-05-10"),
        ("the past week", "2026-05-06", "2026-05-13"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("3 days ago", "2026-05-10", "2026-05-10"),
        ("a day ago", "2026-05-12", "2026-05-12"),
        ("two weeks ago", "2026-04-26", "2026-05-02"),
        ("a couple of months ago", "2026-03-01", "2026-03-31"),
        ("6 months ago", "2025-11-01", "2025-11-30"),
        ("two years ago", "2024-01-01", "2024-12-31"),
        ("the last 10 days", "2026-05-03", "2026-05-13"),
        ("last Tuesday", "2026-05-12", "2026-05-12"),
        ("last Wednesday", "2026-05-06", "2026-05-06"),
        ("on wednesday", "2026-05-13", "2026-05-13"),
        ("on Friday", "2026-05-08", "2026-05-08"),
        ("next Friday", "2026-05-15", "2026-05-15"),
        ("next Monday", "2026-05-18", "2026-05-18"),
        ("昨天说了什么", "2026-05-12", "2026-05-12"),
        ("昨晚的部署", "2026-05-12", "2026-05-12"),
        ("前天", "2026-05-11", "2026-05-11"),
        ("大前天", "2026-05-10", "2026-05-10"),
        ("今天的会", "2026-05-13", "2026-05-13"),
        ("上周三的会议", "2026-05-06", "2026-05-06"),
        ("上个星期天", "2026-05-10", "2026-05-10"),
        ("上週五", "2026-05-08", "2026-05-08"),
        ("上周", "2026-05-04", "2026-05-10"),
        ("上上周", "2026-04-27", "2026-05-03"),
        ("上周末", "2026-05-09", "2026-05-10"),
        ("本周一", "2026-05-11", "2026-05-11"),
        ("上周三次故障", "2026-05-04", "2026-05-10"),
        ("上个月", "2026-04-01", "2026-04-30"),
        ("上個月5號", "2026-04-05", "2026-04-05"),
        ("这个月", "2026-05-01", "2026-05-31"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("去年十二月", "2025-12-01", "2025-12-31"),
        ("今年3月", "2026-03-01", "2026-03-31"),
        ("今年三月五日", "2026-03-05", "2026-03-05"),
        ("2026年3月5日的决定", "2026-03-05", "2026-03-05"),
        ("2026 年 3 月", "2026-03-01", "2026-03-31"),
        ("二〇二五年十一月二十三日", "2025-11-23", "2025-11-23"),
        ("2024年", "2024-01-01", "2024-12-31"),
        ("3月5号", "2026-03-05", "2026-03-05"),
        ("十月份", "2025-10-01", "2025-10-31"),
        ("三天前", "2026-05-10", "2026-05-10"),
        ("两周前", "2026-04-26", "2026-05-02"),
        ("兩個月前", "2026-03-01", "2026-03-31"),
        ("3个月之前", "2026-02-01", "2026-02-28"),
        ("半年前", "2025-11-01", "2025-11-30"),
        ("十二年前", "2014-01-01", "2014-12-31"),
        ("最近三天", "2026-05-10", "2026-05-13"),
    ],
)
def test_a_date_is_read(text: str, first: str, last: str) -> None:
    assert read(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "it may fail, and this may too",
        "may 5 people come",
        "May I march with the Mayor of Marchetti?",
        "by march",
        "April and June met August",
        "deploy marches on Mondays and Tuesdays",
        "the second Sunday school",
        "decide on the marketing of the novel",
        "the sat solver, the sun, in jan, mon repos",
        "in 2000 ms",
        "in 2048 tokens",
        "CVE-2024-12345",
        "version 2026.3.5 of libmarch-2026",
        "2026-13-40 and 2026-02-30 and 2026-00",
        "port 2026 and 1999 records",
        "once a week, one day",
        "12:30 10/12 3-5",
        "last week of the year",
        "目前天气",
        "马上月底了",
        "早上周围",
        "以前天天如此",
        "一月一次",
        "5年3个月",
        "第三天前",
        "一周三次",
        "周一",
        "附近3天",
        "",
        "\x00",
        "\ud800",
    ],
)
def test_words_that_are_no_date_are_none(text: str) -> None:
    assert read(text) == []
    assert read(f"{text} ; yesterday") == [("2026-05-12", "2026-05-12")]


def test_several_dates_stand_in_the_order_of_the_text_each_once() -> None:
    text = "between March 2026 and 昨天, or march 2026, not 2024-02-29"

    assert read(text) == [
        ("2026-03-01", "2026-03-31"),
        ("2026-05-12", "2026-05-12"),
        ("2024-02-29", "2024-02-29"),
    ]
    assert len(moments(" ".join(f"2026-03-{n:02}" for n in range(1, 29)), TODAY)) == 8


def test_days_are_those_of_utc() -> None:
    late = datetime(2026, 5, 12, 23, tzinfo=timezone(timedelta(hours=-5)))

    assert moments("yesterday", late) == moments("yesterday", TODAY)
    assert moments("yesterday", TODAY.replace(tzinfo=None)) == moments("yesterday", TODAY)


@given(bodies(200))
def test_no_text_breaks_the_reading_of_dates(text: str) -> None:
    assert all(each.start < each.stop for each in moments(text, TODAY))


PIECES = [
    *(
        "last ",
        "past ",
        "in ",
        "on ",
        "a ",
        "999 ",
        "2199",
        "1900",
        "-12",
        "/2",
        "-31",
        "May ",
        "31",
    ),
    *(
        "weeks ",
        "years ",
        "months ",
        "days ",
        "ago ",
        "Sunday ",
        "of ",
        ", ",
        "2100年",
        "十",
        "九",
        "月",
    ),
    *(
        "日",
        "上",
        "周",
        "个",
        "年",
        "前",
        "最近",
        "半",
        "几",
        "〇",
        "二",
        "天",
        "末",
        "²",
        "Ⅻ",
        "٣",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_mixture_of_dates_breaks_the_reading_of_dates(text: str) -> None:
    for now in (TODAY, datetime(2024, 2, 29, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)):
        assert all(each.start < each.stop for each in moments(text, now))


def test_closeness_halves_with_each_length_of_the_stretch() -> None:
    [march] = moments("March 2026", TODAY)

    assert closeness([march], march.start) == 1.0
    assert closeness([march], march.stop - timedelta(milliseconds=1)) == 1.0
    assert closeness([march], march.stop) == 1.0
    assert closeness([march], march.stop + timedelta(days=31)) == pytest.approx(0.5)
    assert closeness([march], march.start - timedelta(days=62)) == pytest.approx(0.25)
    assert closeness([], march.start) == 0.0


def test_the_nearest_stretch_and_either_clock_count() -> None:
    ranges = moments("2026-03-05 or 2026-03-20", TODAY)
    far = day("2020-01-01")

    assert closeness(ranges, day("2026-03-20")) == 1.0
    assert closeness(ranges, far, day("2026-03-05")) == 1.0
    assert closeness(ranges, day("2026-03-05"), far) == 1.0
    assert closeness(ranges, far, far) < 1e-9
    assert closeness([Range(far, far + timedelta(milliseconds=1))], TODAY) == 0.0
