"""Dates in Chinese, in either script.

Words are not set apart, so each pattern says what must not stand beside it: ``上月`` is none
in ``马上月底``, ``前天`` none in ``目前天气``, and ``上周三次`` is three times, not Wednesday.
"""

import re
from collections.abc import Callable
from datetime import date

from memex_mcp.retrieval import stretches
from memex_mcp.retrieval.stretches import Range
from memex_mcp.text import lazily

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Range | None]]

_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0, "两": 2, "兩": 2}
_SIGNS = "一二三四五六七八九十"
_MONTH = r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月份?"
_DAY = r"(?P<day>\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号號]"
_NUMBER = rf"(?P<number>\d{{1,3}}|[两兩{_SIGNS}]{{1,3}}|半|[几幾数數])"
_UNIT = r"[个個]?(?P<unit>天|周|週|年|星期|礼拜|禮拜|(?<=[个個])月)"
_WEEK = r"[个個]?(?:周|週|星期|礼拜|禮拜)"
_COUNTED = r"(?![次个個天份条條项項年])"
_NOT_BEFORE = r"(?<![马馬早晚以之])"
_YEARS = {"今": 0, "本": 0, "去": -1, "前": -2, "明": 1}
_DAYS = {"大前天": 3, "前天": 2, "昨": 1, "今": 0}


def _full(match: re.Match[str], _today: date) -> Range | None:
    said = match["year"]
    year = int(said) if said.isdecimal() else int("".join(str(_DIGITS[sign]) for sign in said))
    return _in_year(match, year)


def _relative_year(match: re.Match[str], today: date) -> Range | None:
    return _in_year(match, today.year + _YEARS[match["year"]])


def _in_year(match: re.Match[str], year: int) -> Range | None:
    if not match["month"]:
        return stretches.whole_year(year)
    month = _number(match["month"])
    if not match["day"]:
        return stretches.month(year, month)
    return stretches.day(year, month, _number(match["day"]))


def _relative_month(match: re.Match[str], today: date) -> Range | None:
    month = stretches.month_after(today, _after(match["which"]))
    if month is None or not match["day"]:
        return month
    return stretches.day(month.start.year, month.start.month, _number(match["day"]))


def _relative_week(match: re.Match[str], today: date) -> Range | None:
    after, said = _after(match["which"]), match["weekday"]
    if not said:
        return stretches.week(today, after)
    if said == "末":
        return stretches.weekend(today, after)
    number = min("一二三四五六日天".index(said), 6)
    return stretches.weekday(number, today, after)


def _relative_day(match: re.Match[str], today: date) -> Range | None:
    back = next(count for word, count in _DAYS.items() if match[0].startswith(word))
    return stretches.ago(back, "day", today)


def _ago(match: re.Match[str], today: date) -> Range | None:
    if match["number"] == "半":
        return stretches.month_after(today, -6) if match["unit"] == "年" else None
    return stretches.ago(_number(match["number"]), _unit(match), today)


def _recent(match: re.Match[str], today: date) -> Range | None:
    if match["number"] == "半":
        return stretches.recent(6, "month", today) if match["unit"] == "年" else None
    return stretches.recent(_number(match["number"]), _unit(match), today)


def _day_of_month(match: re.Match[str], today: date) -> Range | None:
    return stretches.latest_day(_number(match["day"]), _number(match["month"]), today)


def _bare_month(match: re.Match[str], today: date) -> Range | None:
    return stretches.latest_month(_number(match["month"]), today)


def _after(which: str) -> int:
    """How many weeks or months after this one."""
    return -2 if which == "上上" else {"上": -1, "下": 1}.get(which, 0)


def _unit(match: re.Match[str]) -> str:
    return {"天": "day", "年": "year", "月": "month"}.get(match["unit"], "week")


def _number(said: str) -> int:
    """A number below 100 in figures or signs; a few are three."""
    if said.isdecimal():
        return int(said)
    if said[0] in "几幾数數":
        return 3
    tens, ten, ones = said.rpartition("十")
    if not ten:
        return _DIGITS[said[0]]
    return 10 * _DIGITS.get(tens[-1:], 1) + _DIGITS.get(ones[:1], 0)


RULES: tuple[Rule, ...] = tuple(
    (lazily.pattern(pattern), read)
    for pattern, read in (
        (
            rf"(?<!\d)(?P<year>(?:19|20|21)\d\d|[一二][〇零一二三四五六七八九]{{3}})\s?年"
            rf"(?:\s?{_MONTH}(?:\s?{_DAY})?)?",
            _full,
        ),
        (rf"(?P<year>[今去前明本])年(?:的)?(?:{_MONTH}(?:{_DAY})?)?", _relative_year),
        (rf"{_NOT_BEFORE}(?P<which>上上|[上这這本下])[个個]?月份?(?:的?{_DAY})?", _relative_month),
        (
            rf"{_NOT_BEFORE}(?P<which>上上|[上这這本下]){_WEEK}"
            rf"(?:(?P<weekday>[一二三四五六日天末]){_COUNTED})?",
            _relative_week,
        ),
        (r"大前天|(?<![目以之此先提从從])前天|昨[天日晚夜]|今[天日早晚晨]", _relative_day),
        (rf"(?<![\d第点點{_SIGNS}]){_NUMBER}{_UNIT}多?[之以]?前", _ago),
        (rf"(?:最近|(?<!附)近|过去|過去|[这這]){_NUMBER}{_UNIT}", _recent),
        (rf"(?<![\d年{_SIGNS}]){_MONTH}\s?{_DAY}", _day_of_month),
        (rf"(?<![\d年{_SIGNS}]){_MONTH}(?![内內后後前以之]|[一两兩三几幾\d]次)", _bare_month),
    )
)
