"""Whether a draft may act on the records it names."""

from memex_mcp.errors import Conflict, Denied, Invalid
from memex_mcp.model.kinds import CURRENT, STATED, Author, Status
from memex_mcp.model.record import Draft, Link, Record
from memex_mcp.policy.status import outranked

LIVE = (*CURRENT, Status.CANDIDATE)
"""Statuses of a record that can still be revised or replaced."""


def check_target(draft: Draft, target: Record) -> None:
    """Let the draft revise ``target``, or say why not.

    Raises:
        Invalid: The draft asks for what a revision cannot do.
        Conflict: The record was replaced or withdrawn first.
    """
    if draft.scope is not None and draft.scope is not target.scope:
        raise Invalid("a record never changes its scope", "Leave scope out.")
    if draft.dedupe_key and draft.dedupe_key != target.dedupe_key:
        raise Invalid("a record never changes its dedupe_key", "Leave dedupe_key out.")
    if draft.supersedes is not None:
        raise Invalid("supersedes makes a new record", "Give either supersedes or the old id.")
    if target.kind is not draft.kind:
        raise Invalid(f"the record is a {target.kind}", "Only notes are written by hand.")
    if target.status not in LIVE:
        next_step = "Write a new record."
        if target.superseded_by:
            next_step = f"Revise {target.superseded_by} instead."
        raise Conflict(f"the record is {target.status}", next_step)


def check_replaced(old: Record, owner: str) -> None:
    """Let a new record of ``owner`` supersede ``old``, or say why not.

    Raises:
        Invalid: It lies in another scope.
        Conflict: It is not current any more.
    """
    if old.owner != owner:
        raise Invalid(
            "a record is superseded within its own scope", f"Pass scope {old.scope} as well."
        )
    if old.status is Status.SUPERSEDED:
        raise Conflict("the record was superseded already", f"Supersede {old.superseded_by}.")
    if old.status not in LIVE:
        raise Conflict(f"the record is {old.status}", "Write a new record without supersedes.")


def check_named(to: Status, superseded_by: str | None) -> None:
    """Let a change of status pass that names a successor exactly when it needs one.

    Raises:
        Invalid: It names none, or one too many.
    """
    if (to is Status.SUPERSEDED) != (superseded_by is not None):
        raise Invalid(
            "superseded and superseded_by go together", "Name the record that replaces this one."
        )


def check_successor(old: Record, new: Record) -> None:
    """Let ``new`` take the place of ``old``, or say why not.

    Raises:
        Invalid: It is the same record or lies in another scope.
        Conflict: It is not current itself.
    """
    if new.id == old.id or new.owner != old.owner:
        raise Invalid("the successor is another record of the same scope", "Check superseded_by.")
    if new.status not in CURRENT:
        raise Conflict(f"the successor is {new.status}", "Name a current record.")


def pick_same(found: list[Record], draft: Draft) -> Record | None:
    """Of records with the draft's value, the one it repeats: a live one, else a replaced one.

    Withdrawn ones never count here: their value is refused before.  Archived ones are done
    with, and a draft that supersedes something may state an old value again.
    """
    same = [record for record in found if record.kind is draft.kind]
    live = [record for record in same if record.status in LIVE]
    if live:
        return live[0]
    aside = [record for record in same if record.status is Status.SUPERSEDED]
    return aside[0] if aside and draft.supersedes is None else None


def check_key(same: Record, draft: Draft) -> None:
    """Let the draft repeat ``same``, or say that its dedupe_key comes too late.

    Raises:
        Conflict: The record was written without that key.
    """
    if draft.dedupe_key is not None and draft.dedupe_key != same.dedupe_key:
        raise Conflict(
            f"record {same.id} says this already, without that dedupe_key",
            "Revise it by id; a dedupe_key belongs to the first write.",
        )


def twin(found: list[Record], record: Record) -> Record | None:
    """Of records with the value that ``record`` is about to get, another live one."""
    return next(
        (
            other
            for other in found
            if other.id != record.id and other.kind is record.kind and other.status in LIVE
        ),
        None,
    )


def check_alone(old: Record, same: list[Record], writer: Author) -> None:
    """Let a value be withdrawn, which is so for everybody, or say who stands behind it.

    Raises:
        Denied: Somebody above the writer holds the same value.
    """
    other = twin(same, old)
    if other is not None and outranked(writer, other):
        raise Denied(f"a person stands behind the same statement in {other.id}", "Tell the user.")


def check_linked(link: Link, start: Record, end: Record) -> None:
    """Let a link be stated between two records, or say why not.

    That they are two, and of one scope, is asked of every link where it is kept.

    Raises:
        Invalid: The relation or the weight makes no sense.
        Conflict: One of them was replaced or withdrawn.
    """
    if link.relation not in STATED:
        raise Invalid(
            f"nobody states that a record {link.relation} another",
            f"Known are {', '.join(STATED)}.",
        )
    if not 0 < link.weight <= 1:
        raise Invalid(f"weight is {link.weight}", "It lies above 0 and is at most 1.")
    for each in (start, end):
        if each.status not in LIVE:
            instead = (
                f"Link {each.superseded_by} instead."
                if each.superseded_by
                else "Link a current record."
            )
            raise Conflict(f"record {each.id} is {each.status}", instead)
