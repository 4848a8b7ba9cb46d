"""What a record file is worth when no database stands behind it: its words, not its marks.

Any program that runs as the user can write such a file, and nothing in it can prove who did.
"""

import sqlite3
from dataclasses import replace

from memex_mcp.model.kinds import Author, Surface, Trust
from memex_mcp.model.record import Draft, Record
from memex_mcp.policy import stamp
from memex_mcp.policy.keys import value_key, watched_owners
from memex_mcp.policy.masking import masked
from memex_mcp.store import refusals, sheet, tombstones
from memex_mcp.store.tombstones import Tombstone
from memex_mcp.text import card, tokens
from memex_mcp.text.secrets import mask


def claims_person(record: Record) -> bool:
    """Whether the record says that a person stands behind it."""
    return record.trust is Trust.VERIFIED or record.author is Author.HUMAN


def taken(page: sheet.Sheet, *, mask_secrets: bool) -> sheet.Sheet:
    """The sheet of a file, with what follows from its text made true.

    No person stands behind it, and if its text is not the one that it was written with,
    nobody does.
    """
    record = page.record
    changed = sheet.body_digest(record.body) != record.body_sha256
    if changed or claims_person(record):
        record = replace(record, author=Author.FILE, trust=Trust.UNTRUSTED)
    body = record.body
    if mask_secrets:
        record = _without_secrets(record)
        page = replace(
            page,
            workspace_name=mask(page.workspace_name).text,
            workspace_path=mask(page.workspace_path).text,
            links=tuple(replace(link, relation=mask(link.relation).text) for link in page.links),
        )
    if changed or record.body != body:
        counted = tokens.count(record.body)
        record = replace(
            record,
            body_sha256=sheet.body_digest(record.body),
            tokens=counted.tokens,
            token_method=counted.method,
        )
    return replace(page, record=replace(record, value_key=value_key(record.owner, record.body)))


def past(page: sheet.Sheet, current: Record, version: int, *, mask_secrets: bool) -> Record:
    """An earlier version of ``current``, in its place whatever the file says of that."""
    record = replace(
        page.record,
        version=version,
        scope=current.scope,
        workspace_id=current.workspace_id,
        session_id=current.session_id,
    )
    return taken(replace(page, record=record), mask_secrets=mask_secrets).record


def content(base: Record, said: Record) -> Record:
    """The next version of ``base``, whose text is lost, with what a file says instead."""
    times = replace(
        base.times,
        valid_from=said.times.valid_from,
        valid_to=said.times.valid_to,
        expires_at=said.times.expires_at,
    )
    return replace(
        base,
        card=said.card,
        body=said.body,
        body_sha256=said.body_sha256,
        source=said.source,
        source_version=said.source_version,
        times=times,
        author=Author.FILE,
        surface=Surface.IMPORT,
        client="file",
        trust=Trust.UNTRUSTED,
        version=base.version + 1,
    )


def refused(db: sqlite3.Connection, owner: str, draft: Draft) -> Tombstone | None:
    """What stands against a draft in this owner, in whichever field a withdrawn value is."""
    binding = watched_owners(owner)
    if not tombstones.any_standing(db, binding):
        return None
    return refusals.against(db, binding, draft)


def withdrawn(db: sqlite3.Connection, record: Record) -> bool:
    """Whether a record says something that was withdrawn.

    A summary made from the text by rule is no statement of its own.
    """
    draft = stamp.whole_draft(record)
    made = (card.build(record.body), card.build(record.body, title=record.card.title))
    if draft.summary in [each.summary for each in made]:
        draft = replace(draft, summary="")
    return refused(db, record.owner, draft) is not None


def bury(db: sqlite3.Connection, record: Record) -> None:
    """Refuse the value of a record that its file calls retracted, unless that is known."""
    known = db.execute(
        "SELECT 1 FROM tombstone WHERE value_key = ?", (record.value_key,)
    ).fetchone()
    if known is None:
        tombstone = Tombstone(
            value_key=record.value_key,
            owner=record.owner,
            record_id=record.id,
            reason="",
            surface=Surface.CLI,
            client="memex-mcp",
            at=record.times.updated_at,
        )
        tombstones.bury(db, tombstone)


def _without_secrets(record: Record) -> Record:
    draft, _ = masked(replace(stamp.whole_draft(record), dedupe_key=record.dedupe_key))
    return replace(
        record,
        body=draft.text,
        card=replace(
            record.card,
            title=draft.title,
            summary=draft.summary,
            use_when=draft.use_when,
            tags=draft.tags,
            aliases=draft.aliases,
            questions=draft.questions,
            entities=tuple(mask(entity).text for entity in record.card.entities),
        ),
        source=draft.source,
        source_version=draft.source_version,
        dedupe_key=draft.dedupe_key,
        family=_masked(record.family),
        superseded_by=_masked(record.superseded_by),
        client=mask(record.client).text,
        branch=mask(record.branch).text,
        token_method=mask(record.token_method).text,
    )


def _masked(text: str | None) -> str | None:
    return None if text is None else mask(text).text
