"""Profiles from their files: every key is known and every value fits, or loading fails."""

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from memex_mcp.checks import SWITCH, TABLE, TEXT, Check, is_names, number, one_of, whole
from memex_mcp.errors import Invalid
from memex_mcp.profiles.profile import UNKNOWN, Budgets, Limits, Profile, Tokenizer
from memex_mcp.text.fence import Format

_SUFFIX = ".toml"
_MEND = "Mend the file of the profile."

_NAMES: Check = (lambda value: is_names(value) and all(value), "a list of names")
_DATE: Check = (lambda value: type(value) is date, "a date such as 2026-11-30")
_FIGURE: Check = (
    lambda value: value == UNKNOWN or (type(value) is int and 0 < value <= 100_000_000),
    f'a number of tokens or "{UNKNOWN}"',
)
_WEIGHT = number(0, 9)

_KEYS: Mapping[str, Check] = {
    "base": TEXT,
    "title": TEXT,
    "aliases": _NAMES,
    "prefixes": _NAMES,
    "format": one_of(*Format),
    "language": one_of("en", "zh"),
    "bilingual": SWITCH,
    "digest": one_of("tags", "headings", "sentences"),
    "budgets": TABLE,
    "tokenizer": TABLE,
    "limits": TABLE,
    "weights": TABLE,
}
_TABLES: Mapping[str, Mapping[str, Check]] = {
    "budgets": {
        "start": whole(100, 1_500),
        "prompt": whole(100, 800),
        "catalog": whole(100, 4_000),
    },
    "tokenizer": {"chars_per_token": number(1, 9), "source": TEXT, "checked_on": _DATE},
    "limits": {
        "context_window": _FIGURE,
        "max_output": _FIGURE,
        "source": TEXT,
        "checked_on": _DATE,
    },
}


def bundled() -> Path:
    """The folder of the profiles that come with the program."""
    return Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """The names of all profiles that come with the program, sorted."""
    found = (each.name for each in bundled().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


@cache
def profile(name: str) -> Profile:
    """One of the profiles that come with the program."""
    return load(bundled(), name)


def load(folder: Path, name: str) -> Profile:
    """Read a profile with all that it goes back to.

    Raises:
        Invalid: There is none of that name, one of its files is no profile, something is
            missing in all of them, or they go back to each other in a circle.
    """
    line, given = [name], [_read(folder, name)]
    while base := given[-1].get("base"):
        if base in line:
            raise Invalid(f"profile {name} goes back to itself by way of {base}", _MEND)
        line.append(base)
        given.append(_read(folder, base))
    values: dict[str, Any] = {}
    for each in reversed(given):
        values = _over(values, each)
    values |= {key: given[0].get(key, []) for key in ("aliases", "prefixes")}
    family = line[-2] if len(line) > 1 else name
    return _made(name, family, values)


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        text = (folder / (name + _SUFFIX)).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Invalid(f"there is no profile {name!r}", "See memex-mcp profile list.") from None
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"profile {name} is not TOML: {error}", _MEND) from error
    _check(name, values, _KEYS, "")
    for table, known in _TABLES.items():
        _check(name, values.get(table, {}), known, f"{table}.")
    if "weights" in values:
        _check_weights(name, values["weights"])
    return values


def _check(name: str, values: Mapping[str, Any], known: Mapping[str, Check], at: str) -> None:
    for key, value in values.items():
        if key not in known:
            told = f"profile {name} has an unknown key {at + key!r}"
            raise Invalid(told, f"Known are: {', '.join(known)}.")
        fits, wanted = known[key]
        if not fits(value):
            raise Invalid(f"profile {name}: {at}{key} must be {wanted}", _MEND)


def _check_weights(name: str, values: Mapping[str, Any]) -> None:
    # Searching is more than most readers of a profile need.
    from dataclasses import fields

    from memex_mcp.retrieval.rerank import Weights

    _check(name, values, {field.name: _WEIGHT for field in fields(Weights)}, "weights.")


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """What a profile says over what it goes back to; a table is one key at a time."""
    joined = {**below, **above}
    for key in ("budgets", "weights"):
        if key in below and key in above:
            joined[key] = {**below[key], **above[key]}
    return joined


def _made(name: str, family: str, values: dict[str, Any]) -> Profile:
    limits = values.get("limits", {})
    figures = ("context_window", "max_output")
    known = [each for each in figures if limits.get(each, UNKNOWN) != UNKNOWN]
    if known and not {"source", "checked_on"} <= limits.keys():
        raise Invalid(f"profile {name}: limits.{known[0]} needs a source and checked_on", _MEND)
    values.pop("base", None)
    try:
        return Profile(
            **values
            | {
                "name": name,
                "family": family,
                "aliases": tuple(values["aliases"]),
                "prefixes": tuple(values["prefixes"]),
                "format": Format(values["format"]),
                "budgets": Budgets(**values["budgets"]),
                "tokenizer": Tokenizer(**values["tokenizer"]),
                "limits": Limits(**limits),
            }
        )
    except (KeyError, TypeError) as error:
        raise Invalid(f"profile {name} lacks something: {error}", _MEND) from error
