"""Stretches of time by the calendar: days of UTC, weeks that begin on Monday."""

from datetime import UTC, date, datetime, time, timedelta

from memex_mcp.values import dataclass

_FIRST_YEAR, _LAST_YEAR = 1900, 2199


@dataclass(frozen=True, slots=True)
class Range:
    """From ``start`` until ``stop``, which is no longer in it; never empty."""

    start: datetime
    stop: datetime


def days(first: date, count: int) -> Range:
    """So many whole days from the first on."""
    start = datetime.combine(first, time(), UTC)
    return Range(start, start + timedelta(days=count))


def day(year: int, month: int, number: int) -> Range | None:
    """One day; None when the calendar has none such between 1900 and 2199."""
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return None
    try:
        return days(date(year, month, number), 1)
    except ValueError:
        return None


def month(year: int, number: int) -> Range | None:
    """One month; None when there is none such."""
    first = day(year, number, 1)
    if first is None:
        return None
    following = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)
    return Range(first.start, following)


def whole_year(year: int) -> Range | None:
    """One year; None when it is not between 1900 and 2199."""
    first = day(year, 1, 1)
    return first and Range(first.start, datetime(year + 1, 1, 1, tzinfo=UTC))


def month_after(today: date, count: int) -> Range | None:
    """The month so many months after this one; before it when negative."""
    number = today.year * 12 + today.month - 1 + count
    return month(number // 12, number % 12 + 1)


def latest_month(number: int, today: date, *, over: bool = False) -> Range | None:
    """The latest month of that number that has begun, or is over."""
    begun = number < today.month if over else number <= today.month
    return month(today.year if begun else today.year - 1, number)


def latest_day(number: int, of_month: int, today: date) -> Range | None:
    """The latest day of that date that has begun."""
    this_year = day(today.year, of_month, number)
    if this_year is not None and this_year.start.date() <= today:
        return this_year
    return day(today.year - 1, of_month, number)


def week(today: date, after: int = 0) -> Range:
    """This week, or the one so many weeks later."""
    return days(_monday(today) + timedelta(weeks=after), 7)


def weekend(today: date, after: int = 0) -> Range:
    """Saturday and Sunday of this week, or of the one so many weeks later."""
    return days(_monday(today) + timedelta(weeks=after, days=5), 2)


def weekday(number: int, today: date, after: int = 0) -> Range:
    """A day of this week, 0 for Monday, or of the one so many weeks later."""
    return days(_monday(today) + timedelta(weeks=after, days=number), 1)


def latest_weekday(number: int, today: date, *, over: bool = False) -> Range:
    """The latest such day of a week that has begun, or is over; 0 for Monday."""
    back = (today.weekday() - number) % 7
    return days(today - timedelta(days=back or (7 if over else 0)), 1)


def ago(count: int, unit: str, today: date) -> Range | None:
    """The day, month or year that lies so far back; of weeks the seven days around."""
    if unit == "day":
        return days(today - timedelta(days=count), 1)
    if unit == "week":
        return days(today - timedelta(weeks=count, days=3), 7)
    if unit == "month":
        return month_after(today, -count)
    return whole_year(today.year - count)


def recent(count: int, unit: str, today: date) -> Range | None:
    """Since so long ago until today's end."""
    length = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * count
    return days(today - timedelta(days=length), length + 1) if length < 36_500 else None


def _monday(today: date) -> date:
    return today - timedelta(days=today.weekday())
