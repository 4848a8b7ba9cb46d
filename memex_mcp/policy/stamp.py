"""From a draft to a record: the fields that we set and no caller can."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime

from memex_mcp.model.caller import Caller
from memex_mcp.model.ids import new_id
from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Trust
from memex_mcp.model.record import Card, Draft, Record, Times
from memex_mcp.policy.keys import value_key
from memex_mcp.text import tokens
from memex_mcp.text.card import build

_CONFIDENCE = {Author.HUMAN: 1.0, Author.AGENT: 0.7, Author.FILE: 0.7}


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A draft that passed the checks which need no database.

    Attributes:
        draft: Cleaned and masked.
        owner: Scope owner of a record that is created from it.
        masked: Kinds of the secrets that were replaced.
    """

    draft: Draft
    caller: Caller
    scope: Scope
    owner: str
    masked: tuple[str, ...]


def sha256(body: str) -> str:
    """Hexadecimal digest of a body's UTF-8 bytes."""
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def created(admitted: Admitted, at: datetime, *, proposal: bool) -> Record:
    """A new record, version 1.

    Args:
        admitted: What was asked for, and by whom.
        at: Time to stamp.
        proposal: It stands against something the writer may not replace.
    """
    draft, caller = admitted.draft, admitted.caller
    workspace = caller.workspace if admitted.scope is not Scope.GLOBAL else None
    counted = tokens.count(draft.text)
    return Record(
        id=new_id(),
        kind=draft.kind,
        type=draft.type or (NoteType.FACT if draft.kind is Kind.NOTE else NoteType.EVENT),
        family=draft.family,
        scope=admitted.scope,
        workspace_id=workspace.id if workspace else "",
        session_id=(caller.session_id or "") if admitted.scope is Scope.SESSION else "",
        card=_card(draft),
        body=draft.text,
        author=caller.writes_as,
        surface=caller.surface,
        client=caller.client,
        trust=Trust.VERIFIED if caller.human else Trust.UNTRUSTED,
        status=_first_status(admitted, proposal=proposal),
        salience=0.5 if draft.salience is None else draft.salience,
        confidence=_CONFIDENCE.get(caller.writes_as, 0.5),
        source=draft.source,
        source_version=draft.source_version,
        branch=(workspace.branch or "") if workspace else "",
        times=Times(
            recorded_at=at,
            updated_at=at,
            observed_at=draft.observed_at or at,
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            expires_at=draft.expires_at,
        ),
        tokens=counted.tokens,
        token_method=counted.method,
        body_sha256=sha256(draft.text),
        value_key=value_key(admitted.owner, draft.text),
        dedupe_key=None if proposal else draft.dedupe_key,
    )


def revised(old: Record, admitted: Admitted, at: datetime) -> Record:
    """The next version of ``old``.

    What the draft leaves out stays as it was, except that a new text drops the aliases,
    questions and use_when which described the old one.
    """
    draft, caller = admitted.draft, admitted.caller
    same_text = draft.text == old.body
    counted = tokens.count(draft.text)
    kept = old.card if same_text else Card(title="", tags=old.card.tags)
    times = replace(
        old.times,
        updated_at=at,
        observed_at=draft.observed_at or (old.times.observed_at if same_text else at),
        valid_from=draft.valid_from or old.times.valid_from,
        valid_to=draft.valid_to or old.times.valid_to,
        expires_at=draft.expires_at or old.times.expires_at,
    )
    return replace(
        old,
        type=draft.type or old.type,
        family=draft.family or old.family,
        card=_card(draft, kept),
        body=draft.text,
        author=caller.writes_as,
        surface=caller.surface,
        client=caller.client,
        trust=Trust.VERIFIED if caller.human else Trust.UNTRUSTED,
        salience=old.salience if draft.salience is None else draft.salience,
        confidence=_CONFIDENCE.get(caller.writes_as, 0.5),
        source=draft.source or old.source,
        source_version=draft.source_version or old.source_version,
        times=times,
        version=old.version + 1,
        tokens=counted.tokens,
        token_method=counted.method,
        body_sha256=sha256(draft.text),
        value_key=value_key(old.owner, draft.text),
        dedupe_key=old.dedupe_key or draft.dedupe_key,
    )


def proposed(old: Record, admitted: Admitted, at: datetime) -> Record:
    """A candidate beside ``old``, in the same scope, for a person to accept or refuse."""
    record = created(admitted, at, proposal=True)
    return replace(
        record,
        scope=old.scope,
        workspace_id=old.workspace_id,
        session_id=old.session_id,
        value_key=value_key(old.owner, record.body),
    )


def moved(old: Record, status: Status, at: datetime, *, until: datetime | None = None) -> Record:
    """``old`` under another status; ``until`` closes its validity, never reopens it."""
    valid_to = old.times.valid_to
    if until is not None:
        valid_to = until if valid_to is None else min(valid_to, until)
    times = replace(old.times, updated_at=at, valid_to=valid_to)
    return replace(old, status=status, times=times, version=old.version + 1)


def says_the_same(old: Record, new: Record) -> bool:
    """Whether a revision changes nothing that a reader could see."""
    blank = {"version": 0, "observations": 0, "opened_count": 0, "last_opened_at": None}
    stamps = {"surface": new.surface, "client": new.client, "author": new.author}
    times = replace(new.times, updated_at=old.times.updated_at)
    left = replace(old, **blank, **stamps, confidence=new.confidence)
    return left == replace(new, **blank, times=times)


def _first_status(admitted: Admitted, *, proposal: bool) -> Status:
    derived = admitted.caller.writes_as in (Author.DERIVED, Author.LLM)
    if proposal or (derived and admitted.draft.kind is Kind.NOTE):
        return Status.CANDIDATE
    return Status.ACTIVE


def _card(draft: Draft, kept: Card | None = None) -> Card:
    old = kept or Card(title="")
    return build(
        draft.text,
        title=draft.title or old.title,
        use_when=draft.use_when or old.use_when,
        tags=draft.tags or old.tags,
        aliases=draft.aliases or old.aliases,
        questions=draft.questions or old.questions,
    )
