"""``memex-mcp profile``: what is known of the models that read memory, and which one applies."""

import argparse
from dataclasses import fields, is_dataclass
from datetime import date

from memex_manuals.clients import CLIENTS
from memex_mcp import settings
from memex_mcp.cli.columns import safe
from memex_mcp.cli.common import add_root, put
from memex_mcp.errors import Invalid
from memex_mcp.profiles.loading import names, profile
from memex_mcp.profiles.profile import Profile
from memex_mcp.profiles.reader import reader, resolved

EXAMPLE = "memex-mcp profile resolve claude-opus-5-5"

_ACTIONS = ("list", "show", "resolve")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``profile``."""
    parser.add_argument(
        "action",
        choices=_ACTIONS,
        metavar="list|show|resolve",
        help="every profile; one as its file has it; the one that applies here to a model",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a profile, or a model to resolve")
    parser.add_argument(
        "--client",
        metavar="CLIENT",
        choices=list(CLIENTS),
        default="generic",
        help="client that runs the model",
    )
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """List profiles, or tell one.

    Raises:
        Invalid: There is no such profile, or none was named.
    """
    if args.action == "list":
        _list(as_json=args.json)
        return 0
    if args.action == "show":
        if not args.name:
            raise Invalid("show needs the name of a profile", "See memex-mcp profile list.")
        if args.name not in names():
            raise Invalid(f"there is no profile {args.name[:60]!r}", "See memex-mcp profile list.")
        told = _told(profile(args.name))
    else:
        chosen = settings.load(args.root)
        found = resolved(chosen, args.client, args.name or "")
        who = reader(chosen, args.client, args.name or "")
        told = {"how": found.how, **_told(who)}
    if args.json:
        put(told)
    else:
        _print(told)
    return 0


def _list(*, as_json: bool) -> None:
    found = [profile(name) for name in names()]
    if as_json:
        put([{"name": one.name, "family": one.family, "title": one.title} for one in found])
        return
    for one in found:
        print(f"{one.name:<18} {one.family:<10} {one.format:<9} {one.title}")


def _told(one: Profile) -> dict[str, object]:
    """A profile with all of its weights, as JSON types."""
    # What searches weighs features; the rest of a profile needs none of it.
    from memex_mcp.profiles.tuned import tuning

    return {**_plain(one), "weights": _plain(tuning(one).weights)}


def _plain(value: object) -> dict[str, object]:
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no plain form")
    return {each.name: _any(getattr(value, each.name)) for each in fields(value)}


def _any(value: object) -> object:
    if is_dataclass(value):
        return _plain(value)
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _print(told: dict[str, object]) -> None:
    for name, value in told.items():
        if isinstance(value, dict):
            inner = [f"{key} {each}" for key, each in value.items() if each not in ("", None)]
            value = ", ".join(inner)
        elif isinstance(value, list):
            value = ", ".join(value) or "none"
        print(safe(f"{name}: {value}"))
