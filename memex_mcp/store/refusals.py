"""What stands against a write: withdrawn values, in whichever field they come back.

Evidence is refused for its whole text alone; of anything else in it that was withdrawn, a
placeholder is kept.
"""

import sqlite3
from collections.abc import Sequence

from memex_mcp.model.caller import Caller
from memex_mcp.model.record import GLOBAL_OWNER, Draft
from memex_mcp.policy import stamp, withdrawn
from memex_mcp.policy.keys import value_key, watched_owners
from memex_mcp.store import tombstones
from memex_mcp.store.tombstones import Tombstone


def _binding(owner: str, caller: Caller) -> tuple[str, ...]:
    """Owners whose refusals bind what this caller writes into ``owner``."""
    owners = watched_owners(owner)
    if owner == GLOBAL_OWNER and caller.workspace is not None:
        # Everywhere includes here: what was withdrawn here does not come back that way.
        return (*owners, f"w:{caller.workspace.id}")
    return owners


def passed(
    db: sqlite3.Connection, owner: str, caller: Caller, draft: Draft
) -> tuple[Draft | None, tuple[Tombstone, ...]]:
    """What of a caller's draft may be written into an owner, and what is refused in it.

    Returns:
        The draft as it may be stored, None when nothing of it may be; and the tombstones that
        it ran into, each once.
    """
    owners = _binding(owner, caller)
    if not tombstones.any_standing(db, owners):
        return draft, ()
    tombstone = against(db, owners, draft)
    if tombstone is not None or draft.kind not in withdrawn.EVIDENCE:
        return (draft, ()) if tombstone is None else (None, (tombstone,))
    kept, left_out = _cleared(db, owners, draft)
    if left_out:
        # What is left may have been withdrawn as it is, the last time that it was captured.
        tombstone = against(db, owners, kept)
    return (kept, left_out) if tombstone is None else (None, (tombstone,))


def against(db: sqlite3.Connection, owners: Sequence[str], draft: Draft) -> Tombstone | None:
    """The oldest tombstone on a draft; on evidence, that on its whole text."""
    texts = [draft.text] if draft.kind in withdrawn.EVIDENCE else stamp.said(draft)
    keys = [value_key(each, text) for each in owners for text in texts]
    return tombstones.standing(db, keys)


def _cleared(
    db: sqlite3.Connection, owners: Sequence[str], draft: Draft
) -> tuple[Draft, tuple[Tombstone, ...]]:
    """Evidence without the statements that were withdrawn, and their tombstones."""
    standing = tombstones.keys(db, owners)
    met: dict[str, None] = {}

    def refuses(text: str) -> bool:
        keys = [key for each in owners if (key := value_key(each, text)) in standing]
        met.update(dict.fromkeys(keys[:1]))
        return bool(keys)

    kept = withdrawn.cleared(draft, refuses)
    found = (tombstones.standing(db, [key]) for key in met)
    return kept, tuple(one for one in found if one is not None)
