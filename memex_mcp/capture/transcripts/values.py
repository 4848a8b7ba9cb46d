"""Calls, results and attachments of tools as text, as every client writes them."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping

from memex_mcp.capture.transcripts.line import Entry, items, string, table
from memex_mcp.text import lazily
from memex_mcp.text.clean import recalled, returned

_OWN = lazily.pattern(
    r"(?:mcp__plugin_[A-Za-z0-9-]+_memex__|(?:mcp_{1,2})?memex(?:_{1,2}|-))(memory_[a-z_]{2,40})"
)
_PATHS = (
    *("file_path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file"),
    *("path", "paths", "file", "files", "filename", "old_path", "new_path"),
)
_COMMANDS = ("command", "cmd", "script")
_PATCHED = lazily.pattern(
    r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE
)
_WORD = lazily.pattern(r"[^\s'\"`;|&<>()=]+")
_PATH = lazily.pattern(
    r"(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)+/?|\.?[\w-]*[A-Za-z][\w-]*\.[A-Za-z]\w{0,9}|\.[A-Za-z]\w[\w.-]*"
)
_COMMAND_CHARACTERS = 2_000
_MOST_FILES = 40
_DATA = lazily.pattern(
    r"data:([\w.+-]{1,60}/[\w.+-]{1,80})?(?:;[\w=.-]{1,60})*;base64,([A-Za-z0-9+/=_-]{64,})"
)
_UNNAMED = "application/octet-stream"


def sound(text: str) -> str:
    """The text as Unicode that can be stored: surrogate pairs joined, lone ones replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def own(name: str) -> str:
    """The name of a tool of ours without what a client puts before it; empty for any other."""
    match = _OWN.fullmatch(name)
    return match[1] if match else ""


def called(name: str, arguments: object) -> str:
    """A call in words: one line for each argument; of a tool of ours its name alone."""
    if ours := own(name):
        return f"[{ours}]"
    if isinstance(arguments, str):
        return without_data(arguments)
    if not isinstance(arguments, Mapping):
        return "" if arguments is None else _compact(arguments)
    lines = [f"{key}: {_shown(value)}" for key, value in arguments.items()]
    return without_data("\n".join(lines))


def answered(name: str, text: str, client: str) -> str:
    """A result in words; of a tool of ours only the ids that it returned."""
    if own(name):
        return recalled(text)
    return without_data(returned(text, client))


def without_data(text: str) -> str:
    """The text with a mark in place of each file that is spelled out in it."""
    if ";base64," not in text:
        return text
    return _DATA.sub(lambda data: f"[{attachment(data[1] or '', data[2], 'inline')}]", text)


def attachment(media: str, data: str, reference: str) -> str:
    """One line that stands for a file which is part of a message.

    Args:
        media: Its media type.
        data: Its bytes in base 64, with or without ``data:…;base64,`` in front.
        reference: Where it is, or what it belongs to.
    """
    if data.startswith("data:"):
        head, _, data = data.partition(",")
        media = media or head[5:].partition(";")[0]
    try:
        content = base64.b64decode(data.translate(_URL_SAFE), validate=False)
    except (binascii.Error, ValueError):
        content = data.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(content).hexdigest()
    return f"{media or _UNNAMED} {len(content)} bytes sha256:{digest} {reference}".rstrip()


_URL_SAFE = str.maketrans("-_", "+/")


def files(arguments: object) -> tuple[str, ...]:
    """Paths that a call names: in arguments of that name, in a patch and in a command."""
    found: list[str] = []
    if isinstance(arguments, str):
        found += _patched(arguments)
    elif isinstance(arguments, Mapping):
        for key in _PATHS:
            found += _paths(arguments.get(key))
        for value in arguments.values():
            found += _patched(value) if isinstance(value, str) else []
        for key in _COMMANDS:
            found += _commanded(arguments.get(key))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_FILES]


def parsed(arguments: object) -> object:
    """Arguments that a client wrote as JSON in a string; anything else as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def joined(texts: Iterable[str]) -> str:
    """Pieces of one message, with a blank line between them."""
    return "\n\n".join(text for text in texts if text.strip())


def parts_of(value: object) -> list[Entry]:
    """The parts of a message; a text alone is one part."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if isinstance(value, Mapping):
        return [value]
    return [part if isinstance(part, Mapping) else {"text": string(part)} for part in items(value)]


def inline_data(part: Entry, reference: str) -> str:
    """The attachment in a part as Gemini and its kin write it; empty where there is none."""
    data = table(part, "inlineData") or table(part, "inline_data")
    if data:
        media = string(data.get("mimeType")) or string(data.get("mime_type"))
        return attachment(
            media, string(data.get("data")), string(data.get("displayName")) or reference
        )
    linked = table(part, "fileData")
    if linked:
        media = string(linked.get("mimeType")) or _UNNAMED
        return f"{media} unknown bytes sha256:unknown {string(linked.get('fileUri'))}"
    return ""


def _patched(text: str) -> list[str]:
    if "*** " not in text:
        return []
    return [(match[1] or match[2]).strip() for match in _PATCHED.finditer(text)]


def _paths(value: object) -> list[str]:
    return [each for each in (items(value) or [value]) if isinstance(each, str)]


def _commanded(value: object) -> list[str]:
    words = " ".join(map(string, items(value))) if isinstance(value, list) else string(value)
    if "*** Begin Patch" in words:
        return []
    return [
        word
        for word in _WORD.findall(words[:_COMMAND_CHARACTERS])
        if "://" not in word and _PATH.fullmatch(word)
    ]


def _shown(value: object) -> str:
    return value if isinstance(value, str) else _compact(value)


def _compact(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
