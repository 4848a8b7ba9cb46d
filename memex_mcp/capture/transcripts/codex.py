"""Session files of Codex: what the model was sent, and events that say much of it again.

Of two lines that say the same the first gives the words.  A turn ends with ``task_complete``,
which stands behind what a hook sees at the end of a turn; until then its last answer ends it.
"""

import re
from collections.abc import Mapping
from datetime import datetime
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
from memex_mcp.values import dataclass

NAME = "codex"
ANSWER: tuple[bytes, ...] = (b'"assistant"', b'"AgentMessage"', b'"agent_message"')
NEVER: tuple[str, ...] = ("world_state",)

_CALLS = frozenset(
    ["function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call"]
)
_RESULTS = frozenset(["function_call_output", "custom_tool_call_output", "tool_search_output"])
_ENDED = frozenset(["task_complete", "turn_complete", "turn_aborted", "task_aborted"])
# These are said in another way as well; here only the files that they name are new.
_ITEMS = """
    McpToolCall CommandExecution FileChange DynamicToolCall CollabAgentToolCall WebSearch
    ImageView ImageGeneration FunctionCallOutput
"""
_DONE = frozenset(_ITEMS.split())
_ROLLOUT = re.compile(r"rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$")
_SUMMARY = "use the information in this summary to assist with your own analysis:"


def facts(entry: Entry, path: Path, known: Facts) -> Facts:
    """What an entry adds to what is known of the session."""
    payload = table(entry, "payload")
    if entry.get("type") != "session_meta":
        return known if known.cwd or "cwd" not in payload else _placed(known, payload)
    if known.session_id:
        return known
    own = string(payload.get("id"))
    session = string(payload.get("session_id")) or own
    return Facts(
        session_id=session,
        part=own if own and own != session else "",
        cwd=string(payload.get("cwd")),
        branch=string(table(payload, "git").get("branch")),
        version=string(payload.get("cli_version")),
    )


def named(path: Path) -> Facts:
    """What the name of a file tells where nothing in it does."""
    match = _ROLLOUT.match(path.stem)
    return Facts(session_id=match[1] if match else path.stem)


def _placed(known: Facts, payload: Entry) -> Facts:
    return Facts(
        session_id=known.session_id,
        part=known.part,
        cwd=string(payload.get("cwd")),
        branch=known.branch,
        version=known.version,
    )


def line(entry: Entry, so_far: SoFar) -> Line:
    """What an entry says."""
    payload = table(entry, "payload")
    kind = string(entry.get("type")) or "untyped"
    inner = string(payload.get("type"))
    if kind == "response_item":
        return _item(entry, payload, inner, so_far)
    if kind == "event_msg":
        return _event(entry, payload, inner, so_far)
    if kind == "compacted":
        words = string(payload.get("message")).partition(_SUMMARY)
        text = values.joined(["[Conversation compacted]", clean.spoken(words[2] or words[0])])
        return Line(type=kind, role=Role.SYSTEM, at=_at(entry), text=text)
    return Line(type=kind)


def _at(entry: Entry) -> datetime | None:
    return moment(entry.get("timestamp"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saying:
    """Something said, in one of the two ways in which it is written down.

    Attributes:
        way: ``item`` for what the model got or gave, ``event`` for what the interface showed.
    """

    kind: str
    way: str
    words: str
    turn: str = ""
    attached: tuple[str, ...] = ()


def _item(entry: Entry, payload: Entry, inner: str, so_far: SoFar) -> Line:
    """What went to the model or came from it."""
    kind = f"response_item/{inner}"
    if inner == "message":
        return _message(entry, payload, kind, so_far)
    if inner in _CALLS:
        return _call(entry, payload, inner, so_far)
    if inner in _RESULTS:
        return _result(entry, payload, inner, so_far)
    return Line(type=kind)


def _message(entry: Entry, payload: Entry, kind: str, so_far: SoFar) -> Line:
    role = string(payload.get("role"))
    if role == "user":
        return _user(entry, payload, kind, so_far)
    if role != "assistant":
        return Line(type=f"{kind}/{role}")
    if table(entry, "metadata").get("compaction_output") is True:
        return Line(type=kind, role=Role.SYSTEM, at=_at(entry))
    return _answer(entry, _Saying(kind=kind, way="item", words=_spoken(payload)), so_far)


def _spoken(message: Entry) -> str:
    parts = values.parts_of(message.get("content"))
    return values.joined(clean.spoken(string(part.get("text"))) for part in parts)


def _said(parts: list[Entry]) -> str:
    return values.joined(clean.said(string(part.get("text")), NAME) for part in parts)


def _user(entry: Entry, payload: Entry, kind: str, so_far: SoFar) -> Line:
    about = table(payload, "internal_chat_message_metadata_passthrough")
    parts = values.parts_of(payload.get("content"))
    provenance = [
        table(each, "provenance").get("type") for each in items(about.get("content_item_metadata"))
    ]
    if len(provenance) == len(parts):
        parts = [part for part, by in zip(parts, provenance, strict=True) if by != "harness"]
    words = _said(parts)
    attached = _images(parts, string(payload.get("id")))
    if not words and not attached:
        return Line(type=f"{kind}/context")
    turn = string(about.get("turn_id"))
    said = _Saying(kind=kind, way="item", words=words, turn=turn, attached=attached)
    return _prompt(entry, said, so_far)


def _images(parts: list[Entry], reference: str) -> tuple[str, ...]:
    urls = [string(part.get("image_url")) for part in parts]
    return tuple(values.attachment("", url, reference) for url in urls if url.startswith("data:"))


def _prompt(entry: Entry, said: _Saying, so_far: SoFar) -> Line:
    text = values.without_data(said.words)
    if not _is_new("user", said.way, text, so_far):
        return Line(type=said.kind, role=Role.USER, at=_at(entry))
    # What is said while the assistant works belongs to the turn that it works on.
    begins = not said.turn or said.turn != so_far.turn
    if begins:
        so_far.anew()
        so_far.turn = said.turn
        _is_new("user", said.way, text, so_far)
    return Line(
        type=said.kind,
        role=Role.USER,
        at=_at(entry),
        text=text,
        prompt=True,
        attachments=said.attached,
        begins=begins,
    )


def _answer(entry: Entry, said: _Saying, so_far: SoFar) -> Line:
    text = values.without_data(said.words)
    new = _is_new("assistant", said.way, text, so_far)
    return Line(
        type=said.kind,
        role=Role.ASSISTANT,
        at=_at(entry),
        text=text if new else "",
        ends=Ending.MAYBE if text else Ending.NO,
    )


def _is_new(who: str, way: str, text: str, so_far: SoFar) -> bool:
    """Whether nobody said this in the other way yet; each saying stands for one other."""
    other = f"{'event' if way == 'item' else 'item'}:{who}:{text}"
    if other in so_far.said:
        so_far.said.remove(other)
        return False
    so_far.said.add(f"{way}:{who}:{text}")
    return True


def _call(entry: Entry, payload: Entry, inner: str, so_far: SoFar) -> Line:
    space, name = string(payload.get("namespace")), string(payload.get("name"))
    name = f"{space}__{name}" if space else name or inner.removesuffix("_call")
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    arguments = values.parsed(given)
    call = string(payload.get("call_id"))
    waits = bool(call) and inner != "web_search_call"
    if waits:
        so_far.tools[call] = name
    return Line(
        type=f"response_item/{inner}",
        role=Role.ASSISTANT,
        at=_at(entry),
        text=values.called(name, arguments),
        calls=(call,) if waits else (),
        tool=name,
        files=values.files(arguments),
    )


def _result(entry: Entry, payload: Entry, inner: str, so_far: SoFar) -> Line:
    call = string(payload.get("call_id"))
    output = payload.get("output", payload.get("tools"))
    if isinstance(output, Mapping):
        output = output.get("content")
    parts = values.parts_of(output)
    text = values.joined(string(part.get("text")) for part in parts)
    return Line(
        type=f"response_item/{inner}",
        role=Role.TOOL,
        at=_at(entry),
        text=values.answered(so_far.tools.get(call, ""), text, NAME),
        results=(call,),
        tool=so_far.tools.get(call, ""),
        attachments=_images(parts, call),
    )


def _event(entry: Entry, payload: Entry, inner: str, so_far: SoFar) -> Line:
    """What the interface was told."""
    kind = f"event_msg/{inner}"
    if inner in _ENDED:
        return Line(type=kind, ends=Ending.YES, cuts=True)
    if inner == "user_message":
        words = clean.said(string(payload.get("message")), NAME)
        said = _Saying(kind=kind, way="event", words=words)
        return _prompt(entry, said, so_far) if words else Line(type=kind)
    if inner == "agent_message":
        words = clean.spoken(string(payload.get("message")))
        return _answer(entry, _Saying(kind=kind, way="event", words=words), so_far)
    if inner == "item_completed":
        return _completed(entry, payload, so_far)
    return Line(type=kind)


def _completed(entry: Entry, payload: Entry, so_far: SoFar) -> Line:
    item = table(payload, "item")
    name = string(item.get("type"))
    kind = f"event_msg/item_completed/{name}"
    if name == "UserMessage":
        words, turn = _said(values.parts_of(item.get("content"))), string(payload.get("turn_id"))
        said = _Saying(kind=kind, way="event", words=words, turn=turn)
        return _prompt(entry, said, so_far) if words else Line(type=kind)
    if name == "AgentMessage":
        return _answer(entry, _Saying(kind=kind, way="event", words=_spoken(item)), so_far)
    if name == "ContextCompaction":
        return Line(type=kind, role=Role.SYSTEM, at=_at(entry))
    if name not in _DONE:
        return Line(type=kind)
    changes = item.get("changes")
    changed = tuple(map(str, changes)) if isinstance(changes, Mapping) else ()
    call = string(item.get("id"))
    return Line(
        type=kind,
        role=Role.TOOL,
        at=_at(entry),
        results=(call,) if call else (),
        files=changed,
        tool=name,
    )
