"""Counts and sizes for people: what is here, how full it is, what still waits."""

import sqlite3
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import LEVELS, Scope
from memex_mcp.model.levels import Injected
from memex_mcp.model.status import LevelUse, StoreStatus
from memex_mcp.model.times import now
from memex_mcp.policy import levels as rules
from memex_mcp.policy.access import owners
from memex_mcp.settings import Settings
from memex_mcp.store import browse, files, switches, tombstones, vectors
from memex_mcp.store.database import Database
from memex_mcp.store.fullness import CAPACITY
from memex_mcp.store.home import DATABASE
from memex_mcp.store.migrations import get_meta
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.store.seen import injected
from memex_mcp.store.vectors import Space
from memex_mcp.store.visible import owners_clause
from memex_mcp.text import tokens
from memex_mcp.text.words import ANALYZER_VERSION

_BY_SCOPE = """
SELECT r.scope, count(*) AS records,
  coalesce(sum(r.tokens) FILTER (WHERE r.tier = 'hot'), 0) AS hot,
  coalesce(sum(r.tokens) FILTER (WHERE r.tier = 'cold'), 0) AS cold
FROM record r WHERE {where} GROUP BY r.scope
"""


def gather(
    database: Database, caller: Caller, settings: Settings, space: Space | None = None
) -> StoreStatus:
    """The store as ``caller`` sees it; asking about one that is not there makes none."""
    name = space.name if space else ""
    if _is_unused(database.home):
        return replace(_nothing(caller, settings), embedder=name)
    with database.read() as db:
        status = _counted(db, caller, database.home, settings)
        if space is None:
            return status
        size = vectors.size(db, space)
    return replace(status, embedder=name, vectors=size.vectors, waiting_vectors=size.pending)


def _is_unused(home: Path) -> bool:
    """Whether nothing was ever remembered there; what is in the way of a store is no store."""
    if not home.is_dir():
        return not home.exists()
    return not (home / DATABASE).exists() and next(files.walk(home), None) is None


def _nothing(caller: Caller, settings: Settings) -> StoreStatus:
    return StoreStatus(
        disabled=settings.disabled,
        workspace=caller.workspace.path if caller.workspace else None,
        session_id=caller.session_id,
        injected=Injected() if caller.session_id else None,
        switches=rules.standing(rules.History(), now(), settings),
        by_status={},
        by_origin={},
        levels=tuple(
            LevelUse(
                level=level,
                records=0,
                hot_tokens=0,
                cold_tokens=0,
                capacity_tokens=CAPACITY[scope],
            )
            for scope, level in LEVELS.items()
        ),
        global_records=0,
        tombstones=0,
        token_method=tokens.method(),
        waiting_files=0,
        embedder="",
        vectors=0,
        waiting_vectors=0,
        database_bytes=0,
        version=version("memex-mcp-server"),
        schema_version=len(MIGRATIONS),
        analyzer_version=ANALYZER_VERSION,
    )


def _injected(db: sqlite3.Connection, caller: Caller) -> Injected | None:
    if not caller.session_id:
        return None
    return injected(db, caller.workspace.id if caller.workspace else "", caller.session_id)


def _counted(db: sqlite3.Connection, caller: Caller, home: Path, settings: Settings) -> StoreStatus:
    seen = owners_clause(caller)
    by_status = dict(
        db.execute(
            f"SELECT r.status, count(*) FROM record r WHERE {seen.where} GROUP BY r.status"
            " ORDER BY r.status",
            seen.params,
        ).fetchall()
    )
    by_scope = {
        row["scope"]: row for row in db.execute(_BY_SCOPE.format(where=seen.where), seen.params)
    }
    levels = []
    for scope, level in LEVELS.items():
        row = by_scope.get(scope)
        levels.append(
            LevelUse(
                level=level,
                records=row["records"] if row else 0,
                hot_tokens=row["hot"] if row else 0,
                cold_tokens=row["cold"] if row else 0,
                capacity_tokens=CAPACITY[scope],
            )
        )
    switched = switches.history(db, caller)
    shared = by_scope.get(Scope.GLOBAL)
    standing = [grave for grave in tombstones.listing(db, owners(caller)) if not grave.lifted_at]
    parts = [home / DATABASE, home / f"{DATABASE}-wal"]
    return StoreStatus(
        disabled=settings.disabled,
        workspace=caller.workspace.path if caller.workspace else None,
        session_id=caller.session_id,
        injected=_injected(db, caller),
        switches=rules.standing(switched, switched.present(now()), settings),
        by_status=by_status,
        by_origin=browse.origins(db, seen),
        levels=tuple(levels),
        global_records=shared["records"] if shared else 0,
        tombstones=len(standing),
        token_method=tokens.method(),
        waiting_files=db.execute("SELECT count(*) FROM mirror_queue").fetchone()[0],
        embedder="",
        vectors=0,
        waiting_vectors=0,
        database_bytes=sum(part.stat().st_size for part in parts if part.exists()),
        version=version("memex-mcp-server"),
        schema_version=int(get_meta(db, "schema_version") or 0),
        analyzer_version=get_meta(db, "analyzer_version") or "",
    )
