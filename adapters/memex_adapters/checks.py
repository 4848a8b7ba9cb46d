"""What may be wrong with a client's wiring, found without changing anything."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import IO, Any, cast

from memex_adapters import text_json, text_toml
from memex_adapters.errors import Unclear
from memex_adapters.files import read_text
from memex_adapters.hooks import JsonHooks
from memex_adapters.launch import SERVER
from memex_adapters.launcher import missing
from memex_adapters.pieces import JsonEntry, Piece, TomlEntry, is_ours
from memex_adapters.place import Place
from memex_adapters.plan import Registered, current_state, in_file

# Seconds for a client to start and to ask its servers.
_PATIENCE = 60
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def wiring(pieces: Sequence[Piece | Registered]) -> list[str]:
    """What the pieces of one client look like on disk, where that is not as it should be."""
    troubles: list[str] = []
    for piece in map(in_file, pieces):
        try:
            troubles += _of_piece(piece)
        except Unclear as error:
            troubles.append(" ".join(filter(None, (f"{error}.", error.hint))))
    return troubles


def entries(places: Sequence[JsonEntry | TomlEntry]) -> list[str]:
    """Entries that start memex under another name, or in a second place that a client reads.

    Args:
        places: Where one client looks for servers, all of it.
    """
    found = [place for each in places for place in _starting_memex(each)]
    troubles = []
    for path, name, command in found:
        if gone := missing(command):
            troubles.append(f"{name} in {path} starts {gone}, which is not there.")
    names = [f"{name} in {path}" for path, name, _ in found]
    if len(names) > 1:
        troubles.append(f"The server is entered more than once: {', '.join(names)}. Leave one.")
    return troubles


def asked(
    program: str,
    place: Place,
    *,
    well: str = "Connected",
    because: Mapping[str, str] | None = None,
) -> list[str]:
    """What a client's own ``mcp list`` says is wrong; nothing where the client has no command.

    Args:
        program: The client's command, looked for on PATH.
        place: The folder of the project, or the home, is where it is asked.
        well: What it says of a server that it reaches.
        because: Other words of its to the sentence that explains them.
    """
    command = place.program(program)
    if not command:
        return []
    said = _listed((command, "mcp", "list"), place)
    for word, trouble in (because or {}).items():
        if word in said:
            return [trouble]
    if well in said:
        return []
    return [f"`{program} mcp list` does not reach the server: {said or 'no answer'}"]


def _listed(command: Sequence[str], place: Place) -> str:
    """The one line about our server in a client's list; empty when there is none."""
    folder = place.project or place.home
    try:
        done = subprocess.run(  # noqa: S603  # the client's own command
            command,
            check=False,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # Some print the list where errors go.
    text = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
    lines = [" ".join(_COLOURS.sub("", line).split()) for line in text.splitlines()]
    named = re.compile(rf"\W*{SERVER}\b")
    return next((line for line in lines if named.match(line)), "")


def answers(
    command: Sequence[str], place: Place, questions: Mapping[str, Mapping[str, object]]
) -> dict[str, Any]:
    """What a client says when it is asked over its pipes, in lines of JSON-RPC.

    Args:
        command: Starts it.
        place: In whose project or home.
        questions: Parameters by method.

    Returns:
        Results by method, without those that did not come.
    """
    about = {"clientInfo": {"name": SERVER, "version": "0"}}
    messages = [
        {"id": "initialize", "method": "initialize", "params": about},
        {"method": "initialized"},
        *({"id": name, "method": name, "params": given} for name, given in questions.items()),
    ]
    found: dict[str, Any] = {}
    with suppress(OSError), _started(command, place.project or place.home) as pipes:
        asked, told = pipes
        asked.write("".join(f"{json.dumps(message)}\n" for message in messages).encode())
        asked.flush()
        while not questions.keys() <= found.keys() and (line := told.readline()):
            with suppress(ValueError, AttributeError):  # Lines may hold anything.
                message = json.loads(line)
                found[str(message.get("id"))] = message.get("result")
    return {name: found[name] for name in questions if found.get(name) is not None}


@contextmanager
def _started(command: Sequence[str], folder: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The pipes to and from a program, which is ended when it takes too long."""
    process = subprocess.Popen(  # noqa: S603  # the client's own command
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    patience = Timer(_PATIENCE, process.kill)
    patience.start()
    try:
        with process:
            yield cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    finally:
        patience.cancel()


def _of_piece(piece: Piece) -> Iterator[str]:
    state = current_state(piece)
    if state == "foreign":
        yield f"The {piece.what} in {piece.path} is not ours."
    elif state == "absent" and isinstance(piece, JsonEntry | TomlEntry):
        yield f"There is no entry for the server in {piece.path}."
    elif state == "older" and piece.what != "manual":
        # What a manual should say is not known here.
        yield f"The {piece.what} in {piece.path}: of another installation, or doubled."
    if isinstance(piece, JsonHooks):
        yield from _gone(piece)


def _gone(hooks: JsonHooks) -> Iterator[str]:
    """Programs that hooks of ours name and that are not there."""
    text = read_text(hooks.path)
    programs = set()
    for event, at, inner in hooks.places(text):
        steps = (hooks.inner, inner) if hooks.inner else ()
        command = text_json.find(text, (*hooks.keys, event, at, *steps), hooks.dialect)
        line = command.get("command")
        programs.add(line if "args" in command else shlex.split(line)[0])
    for program in sorted(programs):
        if gone := missing(program):
            yield f"Hooks in {hooks.path} start {gone}, which is not there."


def _starting_memex(entry: JsonEntry | TomlEntry) -> Iterator[tuple[Path, str, str]]:
    """File, name and program of each server in a file that is memex."""
    try:
        text = read_text(entry.path)
        if isinstance(entry, JsonEntry):
            servers = text_json.find(text, entry.keys[:-1], entry.dialect)
        else:
            servers = text_toml.find(text, entry.keys[:-1])
    except Unclear:
        return
    for name, value in servers.items() if isinstance(servers, dict) else ():
        if is_ours(value):
            inner = value.get("transport", value)
            command = inner["command"]
            yield entry.path, name, command[0] if isinstance(command, list) else command
