"""Who may move a record from one status to another, or pin it."""

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import CURRENT, Author, Status, Trust
from memex_mcp.model.record import Record

_AGENT_MOVES = {
    Status.ACTIVE: {Status.DISPUTED, Status.SUPERSEDED, Status.RETRACTED, Status.ARCHIVED},
    Status.DISPUTED: {Status.SUPERSEDED, Status.RETRACTED, Status.ARCHIVED},
    Status.CANDIDATE: {Status.RETRACTED, Status.ARCHIVED},
    Status.SUPERSEDED: {Status.RETRACTED},
    Status.ARCHIVED: {Status.RETRACTED},
    Status.RETRACTED: set[Status](),
}

_RANK = {Author.HUMAN: 4, Author.AGENT: 3, Author.FILE: 3, Author.DERIVED: 2, Author.LLM: 1}


def outranked(writer: Author, record: Record) -> bool:
    """Whether ``writer`` stands below whoever is behind ``record``.

    Human stands above agent, then derived rules, then a language model.  A hand-edited
    file ranks with the agent: any program that runs as the user can write one.
    """
    behind = Author.HUMAN if record.trust is Trust.VERIFIED else record.author
    return _RANK[writer] < _RANK[behind]


def check_move(record: Record, to: Status, caller: Caller) -> None:
    """Let the status change pass, or say why not.

    Raises:
        Invalid: The record already has that status, or nobody can ask for it.
        Denied: Only a person may make this move.
    """
    if record.status is to:
        raise Invalid(f"the record is already {to}", "Nothing needs to be done.")
    if to is Status.CANDIDATE:
        raise Invalid(
            "no record is moved to candidate", "Write the proposal as a new record instead."
        )
    if caller.human:
        if record.status is Status.RETRACTED and to is not Status.ACTIVE:
            raise Invalid("what was retracted is only made active again", "Make it active first.")
        return
    if outranked(caller.writes_as, record):
        raise Denied(
            "a person stands behind this record",
            "Tell the user, or propose a change with memory_write and supersedes.",
        )
    if to not in _AGENT_MOVES[record.status]:
        raise Denied(
            f"only a person moves a record from {record.status} to {to}",
            f"The user can run: memex-mcp set-status {record.id} {to} --reason '...'",
        )


def check_pin(record: Record, caller: Caller, *, pinned: bool) -> None:
    """Let a record be pinned or unpinned, or say why not.

    Raises:
        Denied: A person stands behind it, and decides what of theirs always counts.
        Invalid: What is not current cannot always count.
    """
    if outranked(caller.writes_as, record):
        raise Denied("a person stands behind this record", "Ask the user to pin it.")
    if pinned and record.status not in CURRENT:
        raise Invalid(f"the record is {record.status}", "Only a current record is pinned.")
