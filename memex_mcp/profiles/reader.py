"""Who reads, and so how it is written: the one place that decides.

A model that is named goes before the one that a client usually runs: the command line's, then
the environment's, then the file's.  What the environment or the file says of a single thing
goes before what a profile says.
"""

from dataclasses import replace
from functools import cache

from memex_manuals.clients import CLIENTS, client_of
from memex_mcp.profiles.loading import profile
from memex_mcp.profiles.profile import Profile
from memex_mcp.profiles.resolving import Resolved, resolve
from memex_mcp.settings import Settings
from memex_mcp.text.fence import Format


def reader(settings: Settings, client: str, model: str = "") -> Profile:
    """The profile of whoever reads, with what the user wants otherwise.

    Args:
        settings: From the environment and the file.
        client: How it calls itself, in the protocol or in hooks.
        model: Given on the command line.
    """
    return _reader(settings, client_of(client), model)


def resolved(settings: Settings, client: str, model: str = "") -> Resolved:
    """The profile before what the user wants otherwise, and what led to it."""
    if name := model or settings.model:
        return resolve(name)
    found = profile(CLIENTS[client_of(client)].family)
    return Resolved(found, "client" if found.name != "default" else "default")


@cache
def _reader(settings: Settings, client: str, model: str) -> Profile:
    found = resolved(settings, client, model).profile
    # What such a client passes on should have no marks that it garbles.
    usual = Format.PLAIN if CLIENTS[client].escapes else found.format
    budgets = found.budgets
    return replace(
        found,
        format=Format(settings.recall_format) if settings.recall_format else usual,
        language=settings.language or found.language,
        budgets=replace(
            budgets,
            start=settings.start_tokens or budgets.start,
            prompt=settings.prompt_tokens or budgets.prompt,
            catalog=settings.catalog_tokens or budgets.catalog,
        ),
    )
