"""Session files of Claude Code: one JSON object a line, most of them no conversation."""

from pathlib import Path

from memex_mcp.capture.transcripts import values
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

NAME = "claude"
ANSWER: tuple[bytes, ...] = (b'"assistant"',)
"""What a line that holds an answer has in it."""

NEVER: tuple[str, ...] = ("api-request", "api-request-blob", "api-request-shape")
"""Types that are told by the beginning of a line, long as it may be, and are never needed."""

_SEEN = frozenset(
    ["compact_boundary", "microcompact_boundary", "informational", "api_error", "model_fallback"]
)
_LAST = frozenset(["end_turn", "stop_sequence", "max_tokens", "refusal"])
_RESULTS = frozenset(
    ["tool_result", "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result"]
)
_AGENTS = "agent-"


def facts(entry: Entry, path: Path, known: Facts) -> Facts:
    """What an entry adds to what is known of the session."""
    agent = path.stem.removeprefix(_AGENTS) if path.stem.startswith(_AGENTS) else ""
    branch = string(entry.get("gitBranch"))
    return Facts(
        session_id=known.session_id or string(entry.get("sessionId")),
        part=agent,
        cwd=known.cwd or string(entry.get("cwd")),
        branch=known.branch or ("" if branch == "HEAD" else branch),
        version=known.version or string(entry.get("version")),
    )


def named(path: Path) -> Facts:
    """What the name of a file tells where nothing in it does."""
    if path.stem.startswith(_AGENTS):
        parent = path.parent.parent.name if path.parent.name == "subagents" else ""
        return Facts(session_id=parent, part=path.stem.removeprefix(_AGENTS))
    return Facts(session_id=path.stem)


def line(entry: Entry, so_far: SoFar) -> Line:
    """What an entry says."""
    match entry.get("type"):
        case "assistant":
            return _assistant(entry, so_far)
        case "user":
            return _user(entry, so_far)
        case "system":
            return _system(entry)
        case "attachment":
            return _attached(entry, so_far)
        case kind:
            return Line(type=string(kind) or "untyped")


def _assistant(entry: Entry, so_far: SoFar) -> Line:
    message = table(entry, "message")
    texts: list[str] = []
    calls: list[str] = []
    files: list[str] = []
    for part in values.parts_of(message.get("content")):
        if part.get("type") == "text":
            texts.append(clean.spoken(string(part.get("text"))))
        elif part.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use"):
            name, call = string(part.get("name")), string(part.get("id"))
            so_far.tools[call] = name
            calls.append(call)
            files += values.files(part.get("input"))
            texts.append(values.called(name, part.get("input")))
    aside = _is_aside(entry, so_far)
    words = values.joined(texts)
    return Line(
        type="assistant",
        role=Role.ASSISTANT,
        at=moment(entry.get("timestamp")),
        text=words,
        calls=tuple(calls),
        tool=so_far.name_of(tuple(calls)) or ("agent" if aside else ""),
        files=tuple(dict.fromkeys(files)),
        ends=_ending(message, words, calls, aside=aside),
        message=string(message.get("id")),
    )


def _ending(message: Entry, words: str, calls: list[str], *, aside: bool) -> Ending:
    if calls or aside or not words:
        return Ending.NO
    reason = message.get("stop_reason")
    if reason is None:
        # Older versions wrote a piece of a message before it was known how the message ends.
        return Ending.MAYBE
    return Ending.YES if string(reason) in _LAST else Ending.NO


def _is_aside(entry: Entry, so_far: SoFar) -> bool:
    """Whether a line of an agent stands in the file of its session."""
    return entry.get("isSidechain") is True and not so_far.part


def _user(entry: Entry, so_far: SoFar) -> Line:
    parts = values.parts_of(table(entry, "message").get("content"))
    if any(string(part.get("type")) in _RESULTS for part in parts):
        return _result(entry, parts, so_far)
    at = moment(entry.get("timestamp"))
    raw = values.joined(string(part.get("text")) for part in parts)
    if clean.is_interruption(raw):
        words = raw.strip()
        return Line(type="user", role=Role.SYSTEM, at=at, text=words, ends=Ending.YES, cuts=True)
    if entry.get("isCompactSummary") is True:
        return Line(type="user", role=Role.SYSTEM, at=at, text=clean.said(raw, NAME))
    attached = tuple(filter(None, (_attachment(part, string(entry.get("uuid"))) for part in parts)))
    if not _is_from_user(entry):
        return Line(type="user", role=Role.SYSTEM, at=at, attachments=attached)
    words = values.joined(clean.said(string(part.get("text")), NAME) for part in parts)
    if not words and not attached:
        return Line(type="user", role=Role.SYSTEM, at=at)
    agents = entry.get("isSidechain") is True
    begins = not _is_aside(entry, so_far)
    if begins:
        so_far.anew()
    return Line(
        type="user",
        role=Role.USER,
        at=at,
        text=values.without_data(words),
        attachments=attached,
        prompt=not agents,
        tool="agent" if agents else "",
        begins=begins,
    )


def _is_from_user(entry: Entry) -> bool:
    origin = table(entry, "origin").get("kind")
    return not (
        entry.get("isMeta") is True
        or entry.get("promptSource") == "system"
        or (origin is not None and origin != "human")
    )


def _result(entry: Entry, parts: list[Entry], so_far: SoFar) -> Line:
    results: list[str] = []
    texts: list[str] = []
    attached: list[str] = []
    for part in parts:
        if string(part.get("type")) not in _RESULTS:
            continue
        call = string(part.get("tool_use_id"))
        results.append(call)
        inner = values.parts_of(part.get("content"))
        text = values.joined(string(each.get("text")) for each in inner)
        texts.append(values.answered(so_far.tools.get(call, ""), text, NAME))
        attached += filter(None, (_attachment(each, call) for each in inner))
    return Line(
        type="user",
        role=Role.TOOL,
        at=moment(entry.get("timestamp")),
        text=values.joined(texts),
        results=tuple(results),
        tool=so_far.name_of(tuple(results)),
        attachments=tuple(attached),
    )


def _attachment(part: Entry, reference: str) -> str:
    if part.get("type") not in ("image", "document"):
        return ""
    source = table(part, "source")
    media = string(source.get("media_type"))
    if data := string(source.get("data")):
        named_as = string(part.get("title")) or reference
        return values.attachment(media, data, named_as)
    where = string(source.get("url")) or string(source.get("file_id"))
    return f"{media or part['type']} unknown bytes sha256:unknown {where}".rstrip()


def _system(entry: Entry) -> Line:
    kind = string(entry.get("subtype"))
    if kind not in _SEEN:
        return Line(type=f"system/{kind}")
    text = clean.said(string(entry.get("content")), NAME)
    return Line(
        type=f"system/{kind}",
        role=Role.SYSTEM,
        at=moment(entry.get("timestamp")),
        text=f"[{text}]" if text and kind.endswith("boundary") else text,
    )


def _attached(entry: Entry, so_far: SoFar) -> Line:
    """What the client put beside a message; a prompt typed meanwhile is the user's own."""
    attachment = table(entry, "attachment")
    kind = f"attachment/{string(attachment.get('type'))}"
    origin = table(attachment, "origin").get("kind")
    is_typed = (
        attachment.get("type") == "queued_command"
        and attachment.get("isMeta") is not True
        and attachment.get("commandMode", "prompt") == "prompt"
        and origin in (None, "human")
    )
    if not is_typed:
        return Line(type=kind)
    parts = values.parts_of(attachment.get("prompt"))
    words = values.joined(clean.said(string(part.get("text")), NAME) for part in parts)
    attached = (_attachment(part, string(entry.get("uuid"))) for part in parts)
    return Line(
        type=kind,
        role=Role.USER,
        at=moment(entry.get("timestamp")),
        text=values.without_data(words),
        attachments=tuple(filter(None, attached)),
        prompt=bool(words) and not so_far.part,
    )
