"""Which profile a name of a model means."""

from functools import cache
from typing import Literal

from memex_mcp.profiles.loading import names, profile
from memex_mcp.profiles.profile import DEFAULT, Profile
from memex_mcp.text import lazily
from memex_mcp.values import dataclass

How = Literal["exact", "alias", "family", "client", "default"]

_VENDOR = lazily.pattern(r"^(?:[a-z]+\.)+(?=[a-z])")
_SIGNS = lazily.pattern(r"[._ :@]+")
# A day, or what stands for the newest: the model is the same.
_SNAPSHOT = lazily.pattern(r"-(?:20\d{2}-?\d{2}-?\d{2}|latest)$")
_VERSION_OF_HOST = lazily.pattern(r"-v\d+:\d+$")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A profile, and what led to it."""

    profile: Profile
    how: How


def resolve(name: str) -> Resolved:
    """The profile of a model by its name, in any spelling that hosts and clients use.

    The model's own profile, else that of the family whose names begin so, else the default
    one: no name is an error.
    """
    wanted = _plain(name)
    known = _known()
    if wanted in known:
        found = profile(known[wanted])
        return Resolved(found, "exact" if wanted == _plain(found.name) else "alias")
    begins = [each for each in _prefixes() if wanted.startswith(each)]
    if begins:
        return Resolved(profile(_prefixes()[max(begins, key=len)]), "family")
    return Resolved(profile(DEFAULT), "default")


def _plain(name: str) -> str:
    """A name without its host, its snapshot and its window, as ``claude-opus-5-5``."""
    plain = name.strip().lower().rpartition("/")[2].partition("[")[0]
    plain = _VERSION_OF_HOST.sub("", _VENDOR.sub("", plain))
    plain = _SIGNS.sub("-", plain).strip("-")
    while plain != (shorter := _SNAPSHOT.sub("", plain)):
        plain = shorter
    return plain


@cache
def _known() -> dict[str, str]:
    """Profiles by their names and aliases; a name goes before an alias."""
    found = {_plain(alias): name for name in names() for alias in profile(name).aliases}
    return found | {_plain(name): name for name in names()}


@cache
def _prefixes() -> dict[str, str]:
    return {prefix: name for name in names() for prefix in profile(name).prefixes}
