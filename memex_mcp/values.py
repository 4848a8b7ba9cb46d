"""Dataclasses whose methods are written when they are first called.

``dataclasses`` writes half a dozen methods for each class as soon as it is defined, and most of
the time in which our modules load would go into compiling them.  A hook has a tenth of a second,
loads a hundred classes, fills half of them and compares next to none.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError
from typing import TYPE_CHECKING, Any, NoReturn


def _lazily(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type], type]:
    """What ``dataclasses.dataclass`` does: the fields now, the methods later."""
    methods: dict[str, Any] = {"__init__": _init, "__repr__": _repr, "__eq__": _eq}
    if frozen:
        methods |= {"__hash__": _hash, "__setattr__": _no_change, "__delattr__": _no_removal}
    else:
        methods["__hash__"] = None

    def made(cls: type) -> type:
        bare = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
        kind: type = bare(cls)
        for name, method in methods.items():
            setattr(kind, name, method)
        return kind

    return made


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _lazily


def _init(self: Any, *given: Any, **named: Any) -> None:
    kind: Any = type(self)
    kind.__init__ = _filling(kind)
    kind.__init__(self, *given, **named)


def _repr(self: Any) -> str:
    kind: Any = type(self)
    kind.__repr__ = _alike(kind, repr=True).__repr__
    return repr(self)


def _eq(self: Any, other: object) -> Any:
    kind: Any = type(self)
    kind.__eq__ = _alike(kind, eq=True).__eq__
    return kind.__eq__(self, other)


def _hash(self: Any) -> int:
    kind: Any = type(self)
    kind.__hash__ = _alike(kind, eq=True, frozen=True).__hash__
    return hash(self)


def _no_change(_self: Any, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_removal(_self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _alike(kind: Any, *, repr: bool = False, eq: bool = False, frozen: bool = False) -> Any:  # noqa: A002 - as there
    """A class of the same fields for which ``dataclasses`` wrote the methods that are wanted."""
    told = [(each.name, each.type, each) for each in dataclasses.fields(kind)]
    # For a class that does not say what it is, it would take a look at how it is made.
    about = {"__doc__": kind.__doc__}
    return dataclasses.make_dataclass(
        kind.__name__, told, namespace=about, init=False, repr=repr, eq=eq, frozen=frozen
    )


def _filling(kind: Any) -> Any:
    """The method that fills the fields of a new value with what is given, else their defaults.

    Ours, because ``dataclasses`` writes none for a frozen class without two more beside it.
    """
    known: dict[str, Any] = {"__put": object.__setattr__, "__absent": MISSING}
    placed, named, lines = ["self"], ["*"], []
    for each in dataclasses.fields(kind):
        name, default, head, value = each.name, f"__{each.name}", each.name, each.name
        if each.default is not MISSING:
            known[default] = each.default
            head = f"{name}={default}"
        elif each.default_factory is not MISSING:
            known[default] = each.default_factory
            head, value = f"{name}=__absent", f"{default}() if {name} is __absent else {name}"
        (named if each.kw_only else placed).append(head)
        lines.append(f"    __put(self, {name!r}, {value})")
    head = ", ".join(placed + (named if len(named) > 1 else []))
    exec("\n".join([f"def __init__({head}):", *lines]), known)  # noqa: S102 - names of fields only
    filling = known["__init__"]
    filling.__qualname__ = f"{kind.__qualname__}.__init__"
    return filling
