"""Dates in English, and those in figures.

A word that is a date only sometimes has to look like one: ``May`` and ``March`` need a
capital letter beside a day, a preposition or a year.
"""

import re
from collections.abc import Callable
from datetime import date

from memex_mcp.retrieval import stretches
from memex_mcp.retrieval.stretches import Range
from memex_mcp.text import lazily

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Range | None]]

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(re.split(" ", _TO_TWELVE), start=1)}
_NUMBERS |= {"a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a few": 3, "several": 4}
_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>day|week|month|year)s?\b"
# What counts something is no year.
_NO_COUNT = (
    r"(?!\s?(?:%|[kmg]?b\b|m?s\b|px\b|(?:tokens?|files?|lines?|records?|rows?|bytes?|items?|words?"
    r"|char(?:acter)?s?|seconds?|steps?|times|users?|requests?|people|dollars)\b)|[.,:/-]?\d)"
)
# Lower-case words for which a preposition is not enough, unless it is one of time.
_VERBS = {"may", "march"}
_LAST_MONTH = 12
_OF_TIME = {"in", "last", "next", "since", "during", "until"}


def _iso(match: re.Match[str], _today: date) -> Range | None:
    year, month, number = (int(match[name] or 0) for name in ("year", "month", "day"))
    return stretches.day(year, month, number) if number else stretches.month(year, month)


def _in_figures(match: re.Match[str], _today: date) -> Range | None:
    """Day first, as wherever full stops part a date; with slashes only what can be read one way."""
    first, second, year = (int(match[name]) for name in ("first", "second", "year"))
    if match["sign"] == "." or first > _LAST_MONTH:
        return stretches.day(year, second, first)
    return stretches.day(year, first, second) if second > _LAST_MONTH else None


def _day_of_month(match: re.Match[str], today: date) -> Range | None:
    number = int(match["day"])
    if match["year"]:
        return stretches.day(int(match["year"]), _month(match), number)
    if not match["month"][0].isupper():
        return None
    return stretches.latest_day(number, _month(match), today)


def _month_of_year(match: re.Match[str], _today: date) -> Range | None:
    return stretches.month(int(match["year"]), _month(match))


def _named_month(match: re.Match[str], today: date) -> Range | None:
    before, name = match["before"].lower(), match["month"]
    if not name[0].isupper() and (
        (len(name) < 5 and name not in ("may", "june", "july"))
        or (name in _VERBS and before not in _OF_TIME)
    ):
        return None
    number = _month(match)
    if before == "this":
        return stretches.month(today.year, number)
    if before == "next":
        return stretches.month(today.year + (number <= today.month), number)
    return stretches.latest_month(number, today, over=before in ("last", "previous"))


def _bare_month(match: re.Match[str], today: date) -> Range | None:
    return stretches.latest_month(_month(match), today)


def _year(match: re.Match[str], _today: date) -> Range | None:
    return stretches.whole_year(int(match["year"]))


def _days(match: re.Match[str], today: date) -> Range | None:
    said = " ".join(match[0].lower().split())
    back = 2 if "before" in said else 1 if said in ("yesterday", "last night") else 0
    return stretches.ago(back, "day", today)


def _stretch(match: re.Match[str], today: date) -> Range | None:
    after = {"this": 0, "next": 1}.get(match["which"].lower(), -1)
    unit = match["unit"].lower()
    if match["which"].lower() == "past" and unit != "weekend":
        return stretches.recent(1, unit, today)
    if unit == "week":
        return stretches.week(today, after)
    if unit == "weekend":
        return stretches.weekend(today, after)
    if unit == "month":
        return stretches.month_after(today, after)
    return stretches.whole_year(today.year + after)


def _ago(match: re.Match[str], today: date) -> Range | None:
    return stretches.ago(_number(match), match["unit"].lower(), today)


def _recent(match: re.Match[str], today: date) -> Range | None:
    return stretches.recent(_number(match), match["unit"].lower(), today)


def _weekday(match: re.Match[str], today: date) -> Range | None:
    number, before = _WEEKDAYS.index(match["weekday"].lower()), match["before"].lower()
    if before == "next":
        return stretches.weekday(number, today, after=int(number <= today.weekday()))
    return stretches.latest_weekday(number, today, over=before in ("last", "previous", "past"))


def _month(match: re.Match[str]) -> int:
    return _MONTHS.index(match["month"][:3].lower()) + 1


def _number(match: re.Match[str]) -> int:
    said = " ".join(match["number"].lower().split())
    return int(said) if said.isdecimal() else _NUMBERS[said]


def _rule(pattern: str, read: Callable[[re.Match[str], date], Range | None]) -> Rule:
    return lazily.pattern(pattern.replace(" ", r"\s{1,3}"), re.IGNORECASE | re.ASCII), read


RULES: tuple[Rule, ...] = (
    _rule(
        r"(?<![\w./-])(?P<year>(?:19|20|21)\d\d)(?P<sign>[-/])(?P<month>\d{1,2})"
        r"(?:(?P=sign)(?P<day>\d{1,2}))?(?!\d|[-/]\d)",
        _iso,
    ),
    _rule(
        r"(?<![\w./-])(?P<first>\d{1,2})(?P<sign>[./])(?P<second>\d{1,2})(?P=sign)"
        r"(?P<year>(?:19|20)\d\d)(?![\w/-]|\.\d)",
        _in_figures,
    ),
    _rule(rf"\b{_MONTH} {_DAY}(?:,? {_YEAR}|\b(?![.:%]?\d|%))", _day_of_month),
    _rule(rf"(?<![\d.:/-])\b{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?", _day_of_month),
    _rule(rf"\b{_MONTH},? (?:of )?{_YEAR}", _month_of_year),
    _rule(
        r"\b(?P<before>in|last|this|next|by|since|during|until|from|around|of|previous|early|mid"
        rf"|late)[ -](?:early |mid[ -]|late )?{_MONTH}",
        _named_month,
    ),
    _rule(rf"\b(?:in|during|of|throughout|year|early|mid|late) {_YEAR}{_NO_COUNT}", _year),
    _rule(
        r"\bthe day before yesterday\b|\byesterday\b|\blast night\b|\btoday\b|\btonight\b"
        r"|\bthis (?:morning|afternoon|evening)\b",
        _days,
    ),
    _rule(
        r"\b(?P<which>last|previous|past|this|next) (?P<unit>week(?:end)?|month|year)\b(?! of\b)",
        _stretch,
    ),
    _rule(rf"\b(?:last|past|previous) {_NUMBER} {_UNIT}", _recent),
    _rule(rf"\b{_NUMBER}[ -]{_UNIT} (?:ago|back)\b", _ago),
    _rule(
        r"\b(?P<before>last|previous|past|this|next|on|since) "
        rf"(?P<weekday>{'|'.join(_WEEKDAYS)})\b",
        _weekday,
    ),
)
_BARE = lazily.pattern(
    r"\b(?P<month>January|February|July|September|October|November|December)\b", re.ASCII
)
RULES = (*RULES, (_BARE, _bare_month))

IN_EVERY = lazily.pattern(
    rf"\d|day|night|morning|afternoon|evening|week|month|year|{'|'.join(_MONTHS)}",
    re.IGNORECASE | re.ASCII,
)
"""A text without any of these names no date, and need not be read by a dozen rules."""
