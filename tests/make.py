"""One way to make each value; say only what a test is about."""

import hashlib
import sqlite3
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memex_mcp.model.caller import Caller, Workspace
from memex_mcp.model.ids import new_id
from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Surface, Trust
from memex_mcp.model.record import Card, Draft, Record, Times
from memex_mcp.policy.keys import value_key
from memex_mcp.store.migrations import migrate

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""The moment at which made records were written."""

_CARD = {field.name for field in fields(Card)}
_TIMES = {field.name for field in fields(Times)}


def make_record(**over: Any) -> Record:
    """An active workspace note of agent ``codex`` in ``w1``, written at noon.

    Takes every field of Record, Card and Times by its name.  Id, hash, value key and the
    ids that the scope leaves empty follow from the rest unless they are given.
    """
    card = {name: over.pop(name) for name in _CARD & over.keys()}
    times = {name: over.pop(name) for name in _TIMES & over.keys()}
    body = over.setdefault("body", "The release branch is cut on Thursdays.")
    scope = over.setdefault("scope", Scope.WORKSPACE)
    over.setdefault("workspace_id", "" if scope is Scope.GLOBAL else "w1")
    over.setdefault("session_id", "s1" if scope is Scope.SESSION else "")
    over.setdefault("card", Card(title="When the release branch is cut"))
    over.setdefault("times", Times(recorded_at=NOON, updated_at=NOON, observed_at=NOON))
    over["card"] = replace(over["card"], **card)
    over["times"] = replace(over["times"], **times)
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    made = replace(_plain(), **over)
    return replace(
        made,
        id=over.get("id") or new_id(),
        body_sha256=over.get("body_sha256", digest),
        value_key=over.get("value_key", value_key(made.owner, body)),
    )


def make_caller(workspace: str | None = "w1", session: str | None = "s1", **over: Any) -> Caller:
    """An agent on the tool surface; ``workspace`` is an id, its folder is ``/repo/<id>``."""
    place = None
    if workspace is not None:
        place = Workspace(id=workspace, path=f"/repo/{workspace}", name=workspace)
    caller = Caller(surface=Surface.TOOL, client="codex", workspace=place, session_id=session)
    return replace(caller, **over)


def make_draft(text: str = "The release branch is cut on Thursdays.", **over: Any) -> Draft:
    """A note for the workspace that says nothing but its text."""
    return replace(Draft(text=text), **over)


def make_db() -> sqlite3.Connection:
    """An empty store in memory, in autocommit mode; the caller closes it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    # An empty store is not backed up, so the folder is never touched.
    migrate(db, Path("nowhere"))
    return db


def _plain() -> Record:
    return Record(
        id="",
        kind=Kind.NOTE,
        type=NoteType.FACT,
        scope=Scope.WORKSPACE,
        workspace_id="",
        session_id="",
        card=Card(title=""),
        body="",
        author=Author.AGENT,
        surface=Surface.TOOL,
        client="codex",
        trust=Trust.UNTRUSTED,
        status=Status.ACTIVE,
        times=Times(recorded_at=NOON, updated_at=NOON, observed_at=NOON),
    )
