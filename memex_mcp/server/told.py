"""What a change answers, in two or three lines of text."""

from memex_mcp.model.query import Moved, Similar, Written
from memex_mcp.text.fence import fenced


def written(answer: Written, *, nonce: str) -> str:
    """A write: what happened, under which id, and what stands close to it."""
    marks = (answer.status, answer.trust, answer.scope, f"version {answer.version}")
    lines = [f"{answer.outcome} {answer.id} ({', '.join(marks)})"]
    if answer.masked:
        lines.append(f"masked before storing: {', '.join(answer.masked)}")
    if answer.hint:
        lines.append(answer.hint)
    if answer.conflicts:
        lines.append("These say otherwise; if one is outdated, supersede or retract it:")
        lines.append(_titles(answer.conflicts, nonce))
    if answer.similar:
        lines.append("These say something close:")
        lines.append(_titles(answer.similar, nonce))
    return "\n".join(lines)


def moved(answer: Moved) -> str:
    """A status change."""
    after = f", replaced by {answer.superseded_by}" if answer.superseded_by else ""
    return f"{answer.id}: {answer.from_status} -> {answer.to_status}{after}"


def _titles(similar: tuple[Similar, ...], nonce: str) -> str:
    body = "\n".join(f"- {one.id} {one.title}" for one in similar)
    return fenced(body, label="titles", nonce=nonce)
