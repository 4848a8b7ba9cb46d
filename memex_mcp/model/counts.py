"""Reports that count: one for each part of a task, added up to one for all of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Report = TypeVar("_Report", bound="DataclassInstance")


def plus(one: _Report, other: _Report) -> _Report:
    """Two reports of one kind as one.

    Numbers are added, also those by name, which then stand in order; lists follow each other.
    """
    told = {
        field.name: _sum(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
    }
    return replace(one, **told)


def _sum(one: Any, other: Any) -> Any:
    if is_dataclass(one) and not isinstance(one, type):
        return plus(one, other)
    if isinstance(one, Mapping):
        return dict(sorted((Counter(one) + Counter(other)).items()))
    return one + other
