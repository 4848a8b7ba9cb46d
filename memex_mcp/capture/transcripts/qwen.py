"""Session files of Qwen Code: whole messages, each with where it came from."""

from pathlib import Path

from memex_mcp.capture.transcripts import values
from memex_mcp.capture.transcripts.gemini import response_text
from memex_mcp.capture.transcripts.line import (
    Ending,
    Entry,
    Facts,
    Line,
    SoFar,
    moment,
    string,
    table,
)
from memex_mcp.model.turn import Role
from memex_mcp.text import clean

NAME = "qwen"
ANSWER: tuple[bytes, ...] = (b'"assistant"',)
NEVER: tuple[str, ...] = ()

_COMPRESSED = "chat_compression"
_SEEN = frozenset([_COMPRESSED, "slash_command", "at_command", "notification"])
# Of these a tool is called through another one.
_THROUGH = "tool_call"


def facts(entry: Entry, path: Path, known: Facts) -> Facts:
    """What an entry adds to what is known of the session."""
    return Facts(
        session_id=known.session_id or string(entry.get("sessionId")) or path.stem,
        cwd=known.cwd or string(entry.get("cwd")),
        branch=known.branch or string(entry.get("gitBranch")),
        version=known.version or string(entry.get("version")),
    )


def named(path: Path) -> Facts:
    """What the name of a file tells where nothing in it does."""
    return Facts(session_id=path.stem)


def line(entry: Entry, so_far: SoFar) -> Line:
    """What an entry says."""
    kind = string(entry.get("type"))
    parts = values.parts_of(table(entry, "message").get("parts"))
    if kind == "assistant":
        return _assistant(entry, parts, so_far)
    if kind == "tool_result":
        return _results(entry, parts, so_far)
    if kind == "user":
        return _user(entry, parts, so_far)
    if kind == "system":
        subtype = string(entry.get("subtype"))
        if subtype not in _SEEN:
            return Line(type=f"system/{subtype}")
        text = "[Conversation compacted]" if subtype == _COMPRESSED else ""
        at = moment(entry.get("timestamp"))
        return Line(type=f"system/{subtype}", role=Role.SYSTEM, at=at, text=text)
    return Line(type=kind or "untyped")


def _user(entry: Entry, parts: list[Entry], so_far: SoFar) -> Line:
    at = moment(entry.get("timestamp"))
    reference = string(entry.get("uuid"))
    attached = tuple(filter(None, (values.inline_data(part, reference) for part in parts)))
    shown = table(entry, "systemPayload").get("displayText")
    texts = [shown] if isinstance(shown, str) else [string(part.get("text")) for part in parts]
    words = values.joined(clean.said(text, NAME) for text in texts)
    is_typed = entry.get("provenance") in (None, "real_user")
    if not is_typed or not (words or attached):
        return Line(type="user", role=Role.SYSTEM, at=at, attachments=attached)
    so_far.anew()
    return Line(
        type="user",
        role=Role.USER,
        at=at,
        text=values.without_data(words),
        prompt=True,
        attachments=attached,
        begins=True,
    )


def _assistant(entry: Entry, parts: list[Entry], so_far: SoFar) -> Line:
    texts: list[str] = []
    calls: list[str] = []
    files: list[str] = []
    for part in parts:
        call = table(part, "functionCall")
        if call:
            name, arguments = string(call.get("name")), call.get("args")
            inner = table(arguments).get("name")
            if name == _THROUGH and isinstance(inner, str):
                name, arguments = inner, table(arguments).get("arguments")
            so_far.tools[string(call.get("id"))] = name
            calls.append(string(call.get("id")))
            files += values.files(arguments)
            texts.append(values.called(name, arguments))
        elif part.get("thought") is not True:
            texts.append(clean.spoken(string(part.get("text"))))
    words = values.joined(texts)
    return Line(
        type="assistant",
        role=Role.ASSISTANT,
        at=moment(entry.get("timestamp")),
        text=values.without_data(words),
        calls=tuple(calls),
        tool=so_far.name_of(tuple(calls)),
        files=tuple(dict.fromkeys(files)),
        ends=Ending.YES if words and not calls else Ending.NO,
    )


def _results(entry: Entry, parts: list[Entry], so_far: SoFar) -> Line:
    ids: list[str] = []
    texts: list[str] = []
    attached: list[str] = []
    for part in parts:
        answer = table(part, "functionResponse")
        call = string(answer.get("id"))
        attached += filter(None, [values.inline_data(part, call)])
        if not answer:
            continue
        ids.append(call)
        name = so_far.tools.setdefault(call, string(answer.get("name")))
        texts.append(values.answered(name, response_text(answer), NAME))
        inner = values.parts_of(answer.get("parts") or [])
        attached += filter(None, (values.inline_data(each, call) for each in inner))
    return Line(
        type="tool_result",
        role=Role.TOOL,
        at=moment(entry.get("timestamp")),
        text=values.joined(texts),
        results=tuple(ids),
        tool=so_far.name_of(tuple(ids)),
        attachments=tuple(attached),
    )
