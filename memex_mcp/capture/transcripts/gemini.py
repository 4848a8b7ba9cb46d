"""Session files of Gemini CLI: messages, and patches of what the file says about itself.

A message is written again, whole, when its tools are done; its words count once.
"""

from collections.abc import Mapping
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

NAME = "gemini"
ANSWER: tuple[bytes, ...] = (b'"gemini"',)
NEVER: tuple[str, ...] = ()

_NOTICES = frozenset(["info", "warning", "error"])
_FOLDERS = "- **Workspace Directories:**\n  - "


def facts(entry: Entry, path: Path, known: Facts) -> Facts:
    """What an entry adds to what is known of the session."""
    session = known.session_id or string(entry.get("sessionId"))
    folders = [each for each in items(entry.get("directories")) if isinstance(each, str)]
    part = known.part
    if entry.get("kind") == "subagent" and "projectHash" in entry:
        session, part = path.parent.name, session
    cwd = known.cwd or (folders[0] if folders else _told(entry))
    return Facts(session_id=session, part=part, cwd=cwd or _rooted(path))


def named(path: Path) -> Facts:
    """What the name of a file tells where nothing in it does."""
    return Facts(session_id=path.stem)


def _told(entry: Entry) -> str:
    """The working directory as the model was told it."""
    for message in items(table(entry, "$set").get("messages"))[:1]:
        for part in values.parts_of(table(message).get("content")):
            told = string(part.get("text")).partition(_FOLDERS)[2]
            if told:
                return told.partition("\n")[0].strip()
    return ""


def _rooted(path: Path) -> str:
    """The working directory as the client notes it beside its session files."""
    for folder in list(path.parents)[1:3]:
        try:
            return (folder / ".project_root").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
    return ""


def line(entry: Entry, so_far: SoFar) -> Line:
    """What an entry says."""
    if "$set" in entry:
        # It may repeat all that was said so far, and says nothing that stands nowhere else.
        return Line(type="$set/messages" if "messages" in table(entry["$set"]) else "$set")
    kind = string(entry.get("type"))
    if kind == "user":
        return _user(entry, so_far)
    if kind == "gemini":
        return _answer(entry, so_far)
    if kind in _NOTICES:
        parts = values.parts_of(entry.get("content"))
        words = values.joined(string(part.get("text")) for part in parts)
        at = moment(entry.get("timestamp"))
        return Line(type=kind, role=Role.SYSTEM, at=at, text=words.strip())
    marks = (mark for mark in ("$rewindTo", "projectHash") if mark in entry)
    return Line(type=kind or next(marks, "untyped"))


def _user(entry: Entry, so_far: SoFar) -> Line:
    at = moment(entry.get("timestamp"))
    parts = values.parts_of(entry.get("content"))
    answers = [table(part, "functionResponse") for part in parts if "functionResponse" in part]
    if answers:
        return _results(entry, answers, parts, so_far)
    shown = values.parts_of(entry.get("displayContent")) or parts
    words = values.joined(clean.said(string(part.get("text")), NAME) for part in shown)
    reference = string(entry.get("id"))
    attached = tuple(filter(None, (values.inline_data(part, reference) for part in parts)))
    if not (words or attached) or _is_command(words):
        return Line(type="user", role=Role.SYSTEM, at=at)
    same = f"{reference}:{words}"
    if same in so_far.said:
        return Line(type="user", role=Role.USER, at=at)
    so_far.anew()
    so_far.first(same)
    return Line(
        type="user",
        role=Role.USER,
        at=at,
        text=values.without_data(words),
        prompt=not so_far.part,
        tool="agent" if so_far.part else "",
        attachments=attached,
        begins=True,
    )


def _is_command(words: str) -> bool:
    first = words.partition(" ")[0]
    return "\n" not in words and first[:1] == "/" and first[1:].replace("-", "").isalpha()


def _results(entry: Entry, answers: list[Entry], parts: list[Entry], so_far: SoFar) -> Line:
    ids: list[str] = []
    texts: list[str] = []
    attached: list[str] = []
    for answer in answers:
        call = string(answer.get("id"))
        name = so_far.tools.get(call) or string(answer.get("name"))
        so_far.tools.setdefault(call, name)
        ids.append(call)
        texts.append(values.answered(name, response_text(answer), NAME))
        inner = values.parts_of(answer.get("parts") or [])
        attached += filter(None, (values.inline_data(part, call) for part in inner))
    attached += filter(None, (values.inline_data(part, "") for part in parts))
    return Line(
        type="user",
        role=Role.TOOL,
        at=moment(entry.get("timestamp")),
        text=values.joined(texts),
        results=tuple(ids),
        tool=so_far.name_of(tuple(ids)),
        attachments=tuple(attached),
    )


def response_text(answer: Entry) -> str:
    """What a tool returned, as Gemini and its kin write it down."""
    response = table(answer, "response")
    for key in ("output", "error", "result", "content"):
        if isinstance(response.get(key), str):
            return string(response[key])
    return values.called("", response) if response else ""


def _answer(entry: Entry, so_far: SoFar) -> Line:
    id_ = string(entry.get("id"))
    parts = values.parts_of(entry.get("content"))
    said = values.joined(
        clean.spoken(string(part.get("text"))) for part in parts if part.get("thought") is not True
    )
    texts = [said] if said and so_far.first(f"{id_}:{said}") else []
    calls: list[str] = []
    done: list[str] = []
    files: list[str] = []
    for call in (table(each) for each in items(entry.get("toolCalls"))):
        name, call_id = string(call.get("name")), string(call.get("id"))
        if not so_far.first(f"call:{call_id}"):
            continue
        so_far.tools[call_id] = name
        calls.append(call_id)
        if call.get("status") == "cancelled":
            done.append(call_id)
        arguments = call.get("args")
        files += values.files(arguments)
        texts.append(values.called(name, arguments if isinstance(arguments, Mapping) else None))
    waits = bool(items(entry.get("toolCalls")))
    return Line(
        type="gemini",
        role=Role.ASSISTANT,
        at=moment(entry.get("timestamp")),
        text=values.without_data(values.joined(texts)),
        calls=tuple(calls),
        results=tuple(done),
        tool=so_far.name_of(tuple(calls)),
        files=tuple(dict.fromkeys(files)),
        ends=Ending.MAYBE if said and not waits else Ending.NO,
        message=id_,
    )
