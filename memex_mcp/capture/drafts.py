"""What is put on record of a turn: its text, part by part, and what was asked and answered.

The text is there to be read and found.  What the client wrote down goes along as it is, as the
events of the part that it belongs to.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from memex_mcp.capture.split import parts
from memex_mcp.model.kinds import Kind, NoteType, Scope
from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Role, Source, Step, Turn
from memex_mcp.text import lazily
from memex_mcp.text.card import SUMMARY, TITLE, clip
from memex_mcp.text.fold import is_blank

IGNORED = "[ignored by .memexignore]"

ASKED, ANSWERED, FILES = 1_200, 2_400, 12
"""Characters of a question and of an answer, and files, that a checkpoint holds."""

CUT = " […]"
"""Stands where words were left out; the span has them."""

_HEADING = lazily.pattern(
    r"(^|[\r\v\f\x1c-\x1e\x85\u2028\u2029])( {0,3})(\\*##(?=\s|$))", re.MULTILINE
)
_SENTENCE = lazily.pattern(r"[.!?](?=\s)|[。！？]|\n")
_SPEAKERS = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.SYSTEM: "system"}
_NAMED_FILES = 5

Withheld = Callable[[str], bool]


def spans(
    turn: Turn, source: Source, family: str | None, *, withheld: Withheld | None = None
) -> list[Draft]:
    """The turn as it was, readable, with the lines that it stands for.

    Args:
        turn: A closed turn.
        source: The conversation that it is from.
        family: ``chat`` or ``work``; None when it is neither.
        withheld: Whether nothing may be kept of what a tool did with a path.

    Returns:
        One draft for each part of the turn, in order; none where nobody said anything.
    """
    turn = _without(turn, withheld)
    bodies = [(part, _body(part)) for part in parts(turn)]
    if all(is_blank(body) for _, body in bodies):
        return []
    title = _title(turn)
    summary = clip(_line(turn.answered or turn.asked), SUMMARY)
    return [
        Draft(
            text=body if body.strip() else "[nothing in words]",
            kind=Kind.SPAN,
            type=NoteType.EVENT,
            family=family,
            scope=Scope.SESSION,
            title=_numbered(title, number, len(bodies)),
            summary=summary,
            tags=_tags(source),
            source=_named(source, turn, number, len(bodies)),
            observed_at=turn.began_at,
            events=tuple(step.envelope for step in part),
        )
        for number, (part, body) in enumerate(bodies, start=1)
    ]


def checkpoint(
    turn: Turn,
    source: Source,
    scope: Scope,
    family: str | None,
    *,
    withheld: Withheld | None = None,
) -> Draft | None:
    """What the user asked, what was answered and which files were touched, in few words.

    Args:
        turn: A closed turn.
        source: The conversation that it is from.
        scope: Where the record goes.
        family: ``chat`` or ``work``; None when it is neither.
        withheld: Whether nothing may be kept of what a tool did with a path.

    Returns:
        None where the user said nothing.
    """
    turn = _without(turn, withheld)
    if is_blank(turn.asked):
        return None
    answer = shortened(turn.answered, ANSWERED) or "(no answer)"
    lines = [f"Asked:\n{shortened(turn.asked, ASKED)}", f"Answered:\n{answer}"]
    if turn.files:
        more = len(turn.files) - FILES
        named = ", ".join(turn.files[:FILES]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"Files: {named}")
    return Draft(
        text="\n\n".join(lines),
        kind=Kind.CHECKPOINT,
        type=NoteType.EVENT,
        family=family,
        scope=scope,
        title=_title(turn),
        summary=clip(_line(turn.answered or turn.asked), SUMMARY),
        tags=_tags(source),
        source=_named(source, turn, 1, 1),
        observed_at=turn.began_at,
    )


def shortened(text: str, most: int) -> str:
    """The beginning of a text, up to the end of a sentence, and a mark that there is more."""
    if len(text) <= most:
        return text
    head = text[: most - len(CUT)]
    ends = [end.end() for end in _SENTENCE.finditer(head, len(head) // 2)]
    kept = head[: ends[-1]] if ends else clip(text, most - len(CUT) + 1).removesuffix("…")
    return kept.rstrip() + CUT


def _body(steps: Sequence[Step]) -> str:
    blocks: list[str] = []
    for step in steps:
        attached = [f"[attached: {each}; not captured]" for each in step.attachments]
        text = "\n".join([*filter(str.strip, [step.text]), *attached])
        if text or (step.calls and step.envelope.role is Role.ASSISTANT):
            # Else what is said could pass for what somebody else said next.
            safe = _HEADING.sub(r"\1\2\\\3", text)
            blocks.append(f"## {_heading(step)}\n\n{safe.strip()}".strip())
    return "\n\n".join(blocks)


def _heading(step: Step) -> str:
    """Who speaks, or which tool is called for which files; always one line."""
    role = step.envelope.role
    tool = clip(_line(step.tool), 100)
    if role is Role.TOOL:
        return f"result {tool}".rstrip()
    if not step.calls:
        return f"{_SPEAKERS[role]} {f'({tool})' if tool else ''}".rstrip()
    named = clip(", ".join(map(_line, step.files[:_NAMED_FILES])), 200)
    return f"tool {tool}{f' ({named})' if named else ''}"


def _without(turn: Turn, withheld: Withheld | None) -> Turn:
    """The turn with nothing left of what tools did with paths that are withheld."""
    if withheld is None:
        return turn
    named = [step for step in turn.steps if any(map(withheld, step.files))]
    if not named:
        return turn
    lines = {step.envelope.start for step in named}
    calls = {call for step in named for call in (*step.calls, *step.results)}
    steps = [
        _masked(step)
        if step.envelope.start in lines or calls.intersection((*step.calls, *step.results))
        else step
        for step in turn.steps
    ]
    return Turn(steps=tuple(steps), closed=turn.closed)


def _masked(step: Step) -> Step:
    envelope = replace(step.envelope, data=IGNORED, masked=True)
    return replace(step, envelope=envelope, text=IGNORED, files=(), attachments=())


def _title(turn: Turn) -> str:
    """The first words of the user, else the first of anybody."""
    asked = [step.text for step in turn.steps if step.prompt and step.text.strip()]
    words = asked or [step.text for step in turn.steps if step.text.strip()]
    lines = (line for text in words for line in text.splitlines())
    first = next((line for line in map(_line, lines) if _is_said(line)), "")
    return clip(first, TITLE) or "A turn without words"


def _is_said(line: str) -> bool:
    return any(character.isalnum() for character in line)


def _numbered(title: str, number: int, count: int) -> str:
    if count == 1:
        return title
    tail = f" ({number}/{count})"
    return clip(title, TITLE - len(tail)) + tail


def _named(source: Source, turn: Turn, number: int, count: int) -> str:
    """Where a record is from; the same however often and from wherever it is read."""
    parts_ = [f"{source.client} session {source.session_id[:8]}"]
    parts_ += [f"agent {source.part[:8]}"] if source.part else []
    parts_.append(f"turn {turn.key[:8]}")
    parts_ += [f"part {number} of {count}"] if count > 1 else []
    return ", ".join(parts_)


def _tags(source: Source) -> tuple[str, ...]:
    return (source.client, "agent") if source.part else (source.client,)


def _line(text: str) -> str:
    return " ".join(text.split())
