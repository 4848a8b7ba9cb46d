"""What a value in a file of settings may be: a test of it, and what is wanted, in words."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

Check = tuple[Callable[[Any], bool], str]


def one_of(*names: str) -> Check:
    """One of some words."""
    return lambda value: value in names, " or ".join(f'"{name}"' for name in names)


def whole(low: int, high: int, *, also: int | None = None) -> Check:
    """A whole number in a range, or the one that stands for no number."""
    told = f"a whole number from {low} to {high}"
    return (
        lambda value: type(value) is int and (low <= value <= high or value == also),
        told if also is None else f"{also} or {told}",
    )


def number(low: float, high: float, what: str = "a number") -> Check:
    """Any number in a range."""
    return lambda value: is_number(value, low, high), f"{what} from {low:g} to {high:g}"


def is_names(value: object) -> bool:
    """Whether it is a list of words."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_number(value: object, low: float, high: float) -> bool:
    """Whether it is a number in a range; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def is_url(value: object) -> bool:
    """Whether it is the address of an endpoint; a key in it would end in names and logs."""
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    named = parts.scheme in ("http", "https") and bool(parts.hostname)
    return named and not (parts.username or parts.password or parts.query or parts.fragment)


SWITCH: Check = (lambda value: isinstance(value, bool), "true or false")
TABLE: Check = (lambda value: isinstance(value, dict), "a table")
TEXT: Check = (lambda value: isinstance(value, str) and bool(value.strip()), "some text")
VARIABLE: Check = (
    lambda value: isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z_]\w{0,63}", value)),
    "the name of an environment variable",
)
