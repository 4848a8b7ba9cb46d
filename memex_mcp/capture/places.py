"""Where each client keeps its conversations, and for how long."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memex_mcp.values import dataclass

CLIENTS = ("claude", "codex", "gemini", "qwen", "copilot")

# Main conversations and those of sub-agents, below the folder of the client.
_PATTERNS = {
    "claude": (
        "projects/*/*.jsonl",
        "projects/*/subagents/agent-*.jsonl",
        "projects/*/*/subagents/agent-*.jsonl",
    ),
    "codex": ("sessions/**/rollout-*.json*", "archived_sessions/**/rollout-*.json*"),
    "gemini": ("tmp/*/chats/session-*.json*", "tmp/*/chats/*/*.jsonl"),
    "qwen": ("projects/*/chats/*.jsonl",),
    "copilot": ("session-state/*/events.jsonl",),
}
_FOLDERS = {
    "claude": (("CLAUDE_CONFIG_DIR", ""),),
    "codex": (("CODEX_HOME", ""),),
    # This one names a home folder, in which the client makes its own.
    "gemini": (("GEMINI_CLI_HOME", ".gemini"),),
    "qwen": (("QWEN_RUNTIME_DIR", ""), ("QWEN_HOME", "")),
    "copilot": (("COPILOT_HOME", ""),),
}
VARIABLES = tuple(name for given in _FOLDERS.values() for name, _ in given)
"""Environment variables by which clients are told another folder."""

_DEFAULT_DAYS = 30
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_AGE = re.compile(r"(\d{1,6})\s*([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A file that a client keeps a conversation in.

    Attributes:
        size: In bytes.
        changed_at: When something was last added.
    """

    client: str
    path: Path
    size: int
    changed_at: datetime


def transcripts(client: str, home: Path, elsewhere: Mapping[str, str]) -> list[Transcript]:
    """The files of a client, oldest first.

    Args:
        client: One of ``CLIENTS``.
        home: The user's home folder.
        elsewhere: Those of ``VARIABLES`` that the environment holds.
    """
    base = folder(client, home, elsewhere)
    found = {
        each.path: each
        for pattern in _PATTERNS[client]
        for path in _glob(base, pattern)
        if (each := _looked_at(client, path)) is not None
    }
    return sorted(found.values(), key=lambda each: (each.changed_at, str(each.path)))


def folder(client: str, home: Path, elsewhere: Mapping[str, str]) -> Path:
    """The folder of a client, whether it exists or not."""
    for name, below in _FOLDERS[client]:
        if given := elsewhere.get(name, ""):
            return _expanded(given, home) / below
    return home / f".{client}"


def days_kept(client: str, home: Path, elsewhere: Mapping[str, str]) -> int | None:
    """After how many days the client deletes its conversations; None where it is not known to."""
    if client not in ("claude", "gemini"):
        return None
    settings = folder(client, home, elsewhere) / "settings.json"
    if client == "claude":
        # Comments make Claude ignore the whole file, so they are not taken out here.
        days = _json(settings, comments=False).get("cleanupPeriodDays")
        return days if isinstance(days, int) and days > 0 else _DEFAULT_DAYS
    general = _table(_json(settings, comments=True), "general")
    retention = _table(general, "sessionRetention")
    if retention.get("enabled") is False:
        return None
    age = _AGE.fullmatch(str(retention.get("maxAge", "")).strip())
    return max(1, int(age[1]) * _HOURS[age[2]] // 24) if age else _DEFAULT_DAYS


def _glob(base: Path, pattern: str) -> Iterator[Path]:
    # What may not be read is passed over, as the client itself would.
    try:
        yield from base.glob(pattern)
    except OSError:
        return


def _looked_at(client: str, path: Path) -> Transcript | None:
    """A file with its size and age; None when it is gone by now, or none."""
    try:
        found = path.stat()
        if not path.is_file():
            return None
        real = path.resolve()
    except (OSError, RuntimeError):
        return None
    changed = datetime.fromtimestamp(found.st_mtime, UTC)
    return Transcript(client=client, path=real, size=found.st_size, changed_at=changed)


def _expanded(text: str, home: Path) -> Path:
    return home / text[2:] if text.startswith(("~/", "~\\")) else Path(text).absolute()


def _json(path: Path, *, comments: bool) -> Mapping[str, object]:
    """The settings in a file; none where there are none that the client would understand."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = json.loads(_COMMENT.sub(r"\1", text) if comments else text)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _table(values: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = values.get(key)
    return value if isinstance(value, dict) else {}
