"""Session files of Copilot CLI: events, of which few are conversation."""

from pathlib import Path

from memex_mcp.capture.transcripts import values
from memex_mcp.capture.transcripts.line import (
    Ending,
    Entry,
    Facts,
    Line,
    SoFar,
    items,
    moment,
    string,
    table,
)
from memex_mcp.model.turn import Role
from memex_mcp.text import clean

NAME = "copilot"
ANSWER: tuple[bytes, ...] = (b'"assistant.message"',)
NEVER: tuple[str, ...] = ("system.message", "hook.start", "hook.end", "session.usage_record")

_COMPACTED = "session.compaction_complete"
_NOTICES = frozenset(["session.info", "session.warning", "session.error"])


def facts(entry: Entry, path: Path, known: Facts) -> Facts:
    """What an entry adds to what is known of the session."""
    data = table(entry, "data")
    context = table(data, "context")
    return Facts(
        session_id=known.session_id or string(data.get("sessionId")) or path.parent.name,
        cwd=known.cwd or string(context.get("cwd")),
        branch=known.branch or string(context.get("branch")),
        version=known.version or string(data.get("copilotVersion")),
    )


def named(path: Path) -> Facts:
    """What the name of a file tells where nothing in it does."""
    return Facts(session_id=path.parent.name)


def line(entry: Entry, so_far: SoFar) -> Line:
    """What an entry says."""
    kind = string(entry.get("type")) or "untyped"
    data = table(entry, "data")
    match kind:
        case "user.message":
            return _user(kind, data, entry, so_far)
        case "assistant.message":
            return _assistant(kind, data, entry, so_far)
        case "tool.execution_start":
            return _started(kind, data, entry, so_far)
        case "tool.execution_complete":
            return _result(kind, data, entry, so_far)
        case _:
            return _notice(kind, data, entry)


def _started(kind: str, data: Entry, entry: Entry, so_far: SoFar) -> Line:
    """A call again, in which nothing is new but the time."""
    call = string(data.get("toolCallId"))
    so_far.tools.setdefault(call, string(data.get("toolName")))
    at = moment(entry.get("timestamp"))
    tool = so_far.name_of((call,))
    return Line(type=kind, role=Role.TOOL, at=at, calls=(call,), tool=tool)


def _notice(kind: str, data: Entry, entry: Entry) -> Line:
    if kind == _COMPACTED or kind in _NOTICES:
        told = string(data.get("message")).strip()
        summary = string(data.get("summaryContent"))
        compacted = values.joined(["[Conversation compacted]", clean.spoken(summary)])
        text = compacted if kind == _COMPACTED else told
        at = moment(entry.get("timestamp"))
        return Line(type=kind, role=Role.SYSTEM, at=at, text=text)
    aborted = kind == "abort"
    return Line(type=kind, ends=Ending.YES if aborted else Ending.NO, cuts=aborted)


def _user(kind: str, data: Entry, entry: Entry, so_far: SoFar) -> Line:
    words = clean.said(string(data.get("content")), NAME)
    attached: list[str] = []
    files: list[str] = []
    for each in (table(item) for item in items(data.get("attachments"))):
        where = string(each.get("path")) or string(each.get("displayName"))
        if content := string(each.get("data")):
            attached.append(values.attachment(string(each.get("mimeType")), content, where))
        elif where:
            files.append(where)
    at = moment(entry.get("timestamp"))
    # What another program or an agent put in has a source; what the user typed has none.
    source = data.get("source")
    if not (words or attached) or source not in (None, "", "user") or "agentId" in data:
        return Line(type=kind, role=Role.SYSTEM, at=at, attachments=tuple(attached))
    begins = data.get("delivery") not in ("steering", "immediate")
    if begins:
        so_far.anew()
    return Line(
        type=kind,
        role=Role.USER,
        at=at,
        text=values.without_data(words),
        prompt=True,
        files=tuple(files),
        attachments=tuple(attached),
        begins=begins,
    )


def _assistant(kind: str, data: Entry, entry: Entry, so_far: SoFar) -> Line:
    words = clean.spoken(string(data.get("content")))
    texts = [words]
    calls: list[str] = []
    files: list[str] = []
    for request in (table(item) for item in items(data.get("toolRequests"))):
        name, call = string(request.get("name")), string(request.get("toolCallId"))
        arguments = values.parsed(request.get("arguments"))
        so_far.tools[call] = name
        calls.append(call)
        files += values.files(arguments)
        texts.append(values.called(name, arguments))
    # An agent works for a call of the session and answers that call alone.
    aside = bool(data.get("parentToolCallId"))
    return Line(
        type=kind,
        role=Role.ASSISTANT,
        at=moment(entry.get("timestamp")),
        text=values.without_data(values.joined(texts)),
        calls=tuple(calls),
        tool=so_far.name_of(tuple(calls)) or ("agent" if aside else ""),
        files=tuple(dict.fromkeys(files)),
        ends=Ending.YES if words and not calls and not aside else Ending.NO,
    )


def _result(kind: str, data: Entry, entry: Entry, so_far: SoFar) -> Line:
    call = string(data.get("toolCallId"))
    result = table(data, "result")
    text = string(result.get("content")) or string(table(data, "error").get("message"))
    contents = [table(item) for item in items(result.get("contents"))]
    attached = [
        values.attachment(string(each.get("mimeType")), string(each.get("data")), call)
        for each in contents
        if string(each.get("data"))
    ]
    return Line(
        type=kind,
        role=Role.TOOL,
        at=moment(entry.get("timestamp")),
        text=values.answered(so_far.tools.get(call, ""), text, NAME),
        results=(call,),
        tool=so_far.tools.get(call, ""),
        attachments=tuple(attached),
    )
