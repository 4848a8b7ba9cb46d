"""Values behave as the dataclasses do that Python writes at once."""

import dataclasses
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, asdict, field, fields, make_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import memex_mcp
from memex_mcp import values

SHAPES = {
    "frozen": {"frozen": True, "slots": True},
    "frozen, by name": {"frozen": True, "slots": True, "kw_only": True},
    "frozen, without slots": {"frozen": True},
    "open": {"slots": True},
}


def body() -> type:
    class Thing:
        """A thing."""

        name: str
        size: int = 3
        parts: list[str] = field(default_factory=list)
        hidden: str = field(default="", repr=False, compare=False)

        def doubled(self) -> int:
            return 2 * self.size

    return Thing


def pair(options: dict[str, bool]) -> tuple[Any, Any]:
    """A class of ours, and one of Python's."""
    ours: Any = values.dataclass(**options)(body())
    return ours, dataclasses.dataclass(**options)(body())


def told(made: Any) -> list[object]:
    """All that is to be seen of a class that was used for some values."""
    one, same, other = made(name="a"), made(name="a", hidden="x"), made(name="b", size=0)
    hashes = [hash(replace(each, parts=())) for each in (one, same) if made.__hash__ is not None]
    return [
        repr(one),
        repr(replace(other, parts=["p"])),
        one == same,
        one == other,
        one == "a",
        one != other,
        one.parts is same.parts,
        hashes,
        other.doubled(),
        asdict(other),
        [(each.name, each.type, each.kw_only) for each in fields(made)],
        made.__match_args__,
        getattr(made, "__slots__", None),
        made.__hash__ is None,
    ]


def refusal(work: Any, *args: Any, **named: Any) -> tuple[str, str]:
    with pytest.raises((AttributeError, TypeError)) as caught:
        work(*args, **named)
    return type(caught.value).__name__, str(caught.value)


@pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES.keys())
def test_a_value_is_as_python_would_have_made_it(options: dict[str, bool]) -> None:
    ours, theirs = pair(options)

    assert told(ours) == told(theirs)
    # And once more, when everything is written.
    assert told(ours) == told(theirs)


@pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES.keys())
def test_what_does_not_fit_is_refused_in_the_same_words(options: dict[str, bool]) -> None:
    ours, theirs = pair(options)

    for _ in range(2):
        assert refusal(ours) == refusal(theirs)
        assert refusal(ours, name="a", colour="red") == refusal(theirs, name="a", colour="red")
        assert refusal(ours, "a", 1, [], "", 5) == refusal(theirs, "a", 1, [], "", 5)


@pytest.mark.parametrize("name", ["frozen", "frozen, by name", "frozen, without slots"])
def test_nothing_of_a_frozen_value_can_be_changed(name: str) -> None:
    ours, theirs = pair(SHAPES[name])

    for work, *more in ((setattr, "size", 4), (delattr, "size")):
        assert refusal(work, ours(name="a"), *more) == refusal(work, theirs(name="a"), *more)
        assert refusal(work, ours(name="a"), *more)[0] == FrozenInstanceError.__name__


def test_an_open_value_can_be_changed() -> None:
    thing = pair(SHAPES["open"])[0](name="a")

    thing.size = 4

    assert thing.doubled() == 8


def test_what_is_first_asked_of_a_value_writes_that_and_no_more() -> None:
    ours, _ = pair(SHAPES["frozen"])
    before = dict(vars(ours))

    ours("a")

    changed = {name for name, value in vars(ours).items() if before[name] is not value}
    assert changed == {"__init__"}


def kinds() -> Iterator[Any]:
    """Every dataclass of the package."""
    for found in pkgutil.walk_packages(memex_mcp.__path__, "memex_mcp."):
        if found.name != "memex_mcp.__main__":
            module = import_module(found.name)
            for each in vars(module).values():
                if isinstance(each, type) and each.__module__ == found.name:
                    yield from [each] if dataclasses.is_dataclass(each) else []


def parameters(function: Any) -> list[tuple[str, object, bool]]:
    """What it takes, the value itself left out."""
    found = [
        each for each in inspect.signature(function).parameters.values() if each.name != "self"
    ]
    return [(each.name, each.kind, each.default is each.empty) for each in found]


def test_every_value_is_filled_with_the_arguments_that_python_would_take() -> None:
    found = list(kinds())

    assert len(found) > 150
    for kind in found:
        again = [(each.name, each.type, each) for each in fields(kind)]
        theirs: Any = make_dataclass(kind.__name__, again, repr=False, eq=False)
        assert parameters(values._filling(kind)) == parameters(theirs), kind


def test_every_value_says_what_it_is() -> None:
    # Of one that does not, dataclasses writes how it is made, which takes a hook a millisecond.
    assert [kind for kind in kinds() if kind.__doc__.startswith(f"{kind.__name__}(")] == []


def test_no_other_module_of_the_package_has_its_methods_written_at_once() -> None:
    package = Path(memex_mcp.__file__).parent
    told = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    eager = re.compile(r"^ *from dataclasses import .*\bdataclass\b|^ *import dataclasses", re.M)

    assert {path.name for path, text in told.items() if eager.search(text)} == {"values.py"}
