"""From a draft to a record: the fields that we set and no caller can."""

import hashlib
from collections.abc import Iterable
from dataclasses import field, replace
from datetime import datetime

from memex_mcp.model.caller import Caller, Workspace
from memex_mcp.model.ids import new_id
from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, Status, Surface, Trust
from memex_mcp.model.record import Card, Draft, Record, Times
from memex_mcp.policy import masking
from memex_mcp.policy.keys import value_key
from memex_mcp.policy.masking import Found
from memex_mcp.text import tokens
from memex_mcp.text.card import build
from memex_mcp.values import dataclass

_CONFIDENCE = {Author.HUMAN: 1.0, Author.AGENT: 0.7, Author.FILE: 0.7}


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A draft that passed the checks which need no database.

    Attributes:
        draft: Cleaned and masked.
        owner: Scope owner of a record that is created from it.
        found: The secrets that were replaced.
        policy: What the audit should say about masking; empty when nothing is unusual.
        private: Its lines stay as they are.
    """

    draft: Draft
    caller: Caller
    scope: Scope
    owner: str
    found: Found = field(repr=False)
    policy: str = ""
    private: bool = False

    @property
    def masked(self) -> tuple[str, ...]:
        """Kinds of the secrets that were replaced."""
        return tuple(self.found.kinds)


def screened(admitted: Admitted, others: Iterable[Admitted]) -> Admitted:
    """A draft without the secrets that were found in others which tell of the same."""
    found = Found(list(admitted.found.kinds))
    for other in others:
        found.secrets.update(other.found.secrets)
    draft = masking.screened(admitted.draft, found)
    if admitted.private:
        draft = replace(draft, events=admitted.draft.events)
    return replace(admitted, draft=draft, found=found)


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
        session_id=(caller.session_id or "") if workspace else "",
        card=_card(draft),
        body=draft.text,
        author=caller.writes_as,
        surface=caller.surface,
        client=caller.client,
        trust=Trust.VERIFIED if caller.human else Trust.UNTRUSTED,
        status=_first_status(admitted, proposal=proposal),
        salience=0.5 if draft.salience is None else draft.salience,
        confidence=_confidence(draft, caller),
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

    Unless the draft is whole, what it leaves out stays as it was, except that a new text
    drops the aliases, questions and use_when which described the old one.
    """
    draft, caller = admitted.draft, admitted.caller
    same_text = draft.text == old.body
    counted = tokens.count(draft.text)
    if draft.whole:
        kept = Card(title="")
    else:
        kept = old.card if same_text else Card(title="", tags=old.card.tags)
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
        source=draft.source or ("" if draft.whole else old.source),
        source_version=draft.source_version or ("" if draft.whole else old.source_version),
        times=_revised_times(old, draft, at),
        version=old.version + 1,
        tokens=counted.tokens,
        token_method=counted.method,
        body_sha256=sha256(draft.text),
        value_key=value_key(old.owner, draft.text),
        dedupe_key=old.dedupe_key or draft.dedupe_key,
    )


def _revised_times(old: Record, draft: Draft, at: datetime) -> Times:
    kept = Times(recorded_at=at, updated_at=at, observed_at=at) if draft.whole else old.times
    observed = old.times.observed_at if draft.text == old.body else at
    return Times(
        recorded_at=old.times.recorded_at,
        updated_at=at,
        observed_at=draft.observed_at or observed,
        valid_from=draft.valid_from or kept.valid_from,
        valid_to=draft.valid_to or kept.valid_to,
        expires_at=draft.expires_at or kept.expires_at,
    )


def whole_draft(record: Record) -> Draft:
    """The draft that makes a record say exactly what this version of it says."""
    return Draft(
        id=record.id,
        text=record.body,
        kind=record.kind,
        type=record.type,
        family=record.family,
        title=record.card.title,
        summary=record.card.summary,
        use_when=record.card.use_when,
        tags=record.card.tags,
        aliases=record.card.aliases,
        questions=record.card.questions,
        source=record.source,
        source_version=record.source_version,
        observed_at=record.times.observed_at,
        valid_from=record.times.valid_from,
        valid_to=record.times.valid_to,
        expires_at=record.times.expires_at,
        whole=True,
    )


def file_caller(record: Record) -> Caller:
    """Whoever edited the record's file: somebody who sees what the record's owner sees."""
    workspace = Workspace(id=record.workspace_id, path="", name="")
    return Caller(
        surface=Surface.IMPORT,
        client="file",
        workspace=workspace if record.workspace_id else None,
        session_id=record.session_id or None,
        writes_as=Author.FILE,
        global_writer=True,
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
    return replace(old, status=status, superseded_by=None, times=times, version=old.version + 1)


def pinned(old: Record, at: datetime, *, pinned: bool) -> Record:
    """``old`` among what always counts, or no longer; what it says stays as it is."""
    times = replace(old.times, updated_at=at)
    return replace(old, pinned=pinned, times=times, version=old.version + 1)


def ending(old: Record, at: datetime, until: datetime) -> Record:
    """``old`` with an end, which nobody has to declare any more."""
    times = replace(old.times, updated_at=at, expires_at=until)
    return replace(old, times=times, version=old.version + 1)


def accepted(old: Record, at: datetime, *, valid_to: datetime | None) -> Record:
    """``old`` as a person made it current: verified, replaced by nothing, valid as before."""
    times = replace(old.times, updated_at=at, valid_to=valid_to)
    return replace(
        old,
        status=Status.ACTIVE,
        trust=Trust.VERIFIED,
        superseded_by=None,
        times=times,
        version=old.version + 1,
    )


def said(draft: Draft) -> list[str]:
    """Every statement of a draft by itself: the text, its heading, and each line of the card."""
    heading = draft.title or build(draft.text).title
    lines = (draft.text, heading, draft.summary, draft.use_when)
    lists = (*draft.tags, *draft.aliases, *draft.questions)
    return [text for text in (*lines, *lists) if text]


def says_the_same(old: Record, new: Record) -> bool:
    """Whether a revision changes nothing that a reader could see."""

    def bare(record: Record) -> Record:
        return replace(
            record,
            author=new.author,
            surface=new.surface,
            client=new.client,
            confidence=new.confidence,
            version=0,
            times=replace(record.times, updated_at=new.times.updated_at),
        )

    return bare(old) == bare(new)


def _first_status(admitted: Admitted, *, proposal: bool) -> Status:
    derived = admitted.caller.writes_as in (Author.DERIVED, Author.LLM)
    if proposal or admitted.draft.propose or (derived and admitted.draft.kind is Kind.NOTE):
        return Status.CANDIDATE
    return Status.ACTIVE


def _confidence(draft: Draft, caller: Caller) -> float:
    """How sure a new record is; who writes it says that, and derivation for itself."""
    given = 0.5 if draft.confidence is None else draft.confidence
    return _CONFIDENCE.get(caller.writes_as, given)


def _card(draft: Draft, kept: Card | None = None) -> Card:
    """The card of a draft; where the draft is silent, what is kept of the old one speaks."""
    old = kept or Card(title="")
    card = build(
        draft.text,
        title=draft.title,
        use_when=draft.use_when or old.use_when,
        tags=draft.tags or old.tags,
        aliases=draft.aliases or old.aliases,
        questions=draft.questions or old.questions,
    )
    return replace(
        card,
        title=card.title if draft.title else old.title or card.title,
        summary=draft.summary or old.summary or card.summary,
    )
