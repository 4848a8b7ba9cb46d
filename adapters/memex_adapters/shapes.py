"""Shapes that several clients share: entries, lines for their shells, files for their manuals."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memex_adapters import text_json
from memex_adapters.errors import Unclear
from memex_adapters.files import read_text
from memex_adapters.launch import SERVER, Launch
from memex_adapters.pieces import JsonEntry, State, Whole
from memex_adapters.place import Place

NO_SHELL_LINE = "Hooks are left out: on Windows the command's path must hold no spaces."
"""What a person is told where :func:`named_hooks` finds no line."""

# A path of these is one word in every shell.
_PLAIN = re.compile(r"[\w:./\\-]+", re.ASCII)

COPILOT_READS = ("CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")
"""What the clients of Copilot read in a project besides ``AGENTS.md``, all that are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What a client itself adds to every file of its own; never put in, only taken out.

    A file that we made is gone when we are, though the client left its mark in it meanwhile.

    Attributes:
        keys: The client's own, at the top of the file.
    """

    path: Path
    keys: tuple[str, ...]
    what: str = "server"

    def state(self, text: str) -> State:
        """See :class:`memex_adapters.pieces.Piece`."""
        del text
        return "absent"

    def put(self, text: str) -> str:
        """See :class:`memex_adapters.pieces.Piece`."""
        return text

    def drop(self, text: str, before: str | None) -> str:
        """See :class:`memex_adapters.pieces.Piece`."""
        left = text_json.load(text, "jsonc")
        if before is not None or not isinstance(left, dict) or not left.keys() <= {*self.keys}:
            return text
        for key in left:
            text = text_json.drop(text, (key,), "jsonc")
        return text


def stdio(launch: Launch) -> dict[str, object]:
    """An entry as most clients write it: a command, its arguments, variables if there are any."""
    entry: dict[str, object] = {"command": launch.command, "args": launch.arguments}
    return {**entry, "env": dict(launch.env)} if launch.env else entry


def trusted(path: Path, launch: Launch, *, trust: bool = False) -> JsonEntry:
    """The same for Gemini CLI and Qwen Code, which may be told to ask no more about its tools."""
    value = stdio(launch)
    return JsonEntry(
        path=path, value={**value, "trust": True} if trust else value, dialect="comments"
    )


def entry_there(entry: JsonEntry) -> dict[str, object]:
    """What a person's file holds in the place of an entry, if it is ours; else nothing."""
    try:
        found = text_json.find(read_text(entry.path), entry.keys, entry.dialect)
    except Unclear:
        return {}
    return found if entry.ours(found) else {}


def named_hooks(
    place: Place, launch: Launch, client: str, events: Mapping[str, str], *, timeout: int
) -> dict[str, dict[str, object]]:
    """Hooks of Gemini CLI and Qwen Code, which show them, and turn them off, by their names.

    Args:
        place: Its system decides which shell reads the lines.
        launch: What each hook starts.
        client: Its name.
        events: Events in its own spelling to those of ``memex-mcp hook``.
        timeout: In the client's unit.

    Returns:
        Nothing where there is no line for the shell: on Windows, for a path that has to be quoted.
    """
    lines = {name: _shell_line(place, launch, event, client) for name, event in events.items()}
    return {
        name: {"hooks": [{"type": "command", "command": line, "name": SERVER, "timeout": timeout}]}
        for name, line in lines.items()
        if line
    }


def no_hooks(title: str) -> str:
    """What a person is told of a client that gets no hooks."""
    return f"No hooks for {title}: nothing is recalled or archived unless it is asked."


def names_a_path(file: str) -> str:
    """What a person is told of a file of ours in a project."""
    return f"{file} names a path of this machine: leave it out of version control."


def _shell_line(place: Place, launch: Launch, event: str, client: str) -> str:
    """A hook's line for the shell that clients use on this system; empty where there is none."""
    if place.system != "win32":
        return launch.hook_line(event, client)
    words = [launch.command, *launch.hook(event, client)]
    if not all(_PLAIN.fullmatch(word) for word in words):
        return ""
    # PowerShell takes these slashes, and a line that has no others reads the same everywhere.
    return " ".join(words).replace("\\", "/")


def rule_file(path: Path, front: Iterable[str], manual: str) -> Whole:
    """A file of our own with a manual, headed by lines that tell the client when to read it.

    The first line of the heading is how the file is known again.
    """
    lines = list(front)
    body = "\n".join(["---", *lines, "---", "", manual.strip("\n"), ""])
    return Whole(path=path, body=body, mark=f"---\n{lines[0]}\n", what="manual")
