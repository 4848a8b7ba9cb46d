"""The systems that are measured side by side, each behind the same few calls.

A peer that is not installed is named in every result as not run, with the command that
installs it.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench_common import bare_env, script
from bench_text import Note
from bench_wire import Wire, text_of

SERVER_MEMORY = "@modelcontextprotocol/server-memory@2026.8.31"
BASIC_MEMORY = "basic-memory==0.24.1"
INSTALL = {
    "server-memory": f"npm install --prefix DIR {SERVER_MEMORY}   # then --server-memory DIR",
    "basic-memory": f"python3.12 -m venv DIR && DIR/bin/pip install {BASIC_MEMORY}"
    "   # then --basic-memory DIR",
}
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


@dataclass(frozen=True)
class Peer:
    """One system under test.

    Attributes:
        command: Starts its server.
        version: As installed.
        write: Stores one note over the wire; returns what a search will call it.
        search: Asks one question; returns what was found, best first.
        env: Added to a bare environment, for a data folder.
    """

    name: str
    command: Callable[[Path], list[str]]
    version: str
    write: Callable[[Wire, Note], str]
    search: Callable[[Wire, str], list[str]]
    env: Callable[[Path], dict[str, str]] = field(default=lambda _folder: {})

    def start(self, folder: Path) -> Wire:
        """Start the server on a data folder of its own."""
        for name in ("home", "work", "data"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        env = bare_env(folder / "home") | self.env(folder)
        return Wire(self.command(folder), env=env, cwd=folder / "work")


def store_of(folder: Path) -> Path:
    """Where our own server keeps its store below a data folder."""
    return folder / "data" / "memex"


def memex() -> Peer:
    """Ours, as a client would start it."""

    def command(folder: Path) -> list[str]:
        places = ["--root", str(store_of(folder)), "--workspace", str(folder / "work")]
        return [script("memex-mcp"), "serve", *places]

    def write(wire: Wire, note: Note) -> str:
        arguments = {"text": note.text, "title": note.title, "tags": list(note.tags)}
        found = _ID.search(text_of(wire.call("memory_write", arguments)))
        return found[0] if found else ""

    def search(wire: Wire, query: str) -> list[str]:
        told = text_of(wire.call("memory_search", {"query": query}))
        return list(dict.fromkeys(_ID.findall(told)))

    from importlib.metadata import version

    return Peer("memex", command, version("memex-mcp-server"), write, search)


def bare() -> Peer:
    """A server on the same SDK that does nothing: the floor."""
    path = Path(__file__).with_name("bench_bare_server.py")

    def echo(wire: Wire, text: str) -> list[str]:
        return [text_of(wire.call("echo", {"text": text}))]

    def write(wire: Wire, note: Note) -> str:
        return echo(wire, note.text)[0]

    from importlib.metadata import version

    return Peer(
        "bare SDK server", lambda _folder: [sys.executable, str(path)], version("mcp"), write, echo
    )


def server_memory(folder: Path) -> Peer:
    """The reference knowledge graph: one JSON file, read whole for each call."""
    package = folder / "node_modules" / "@modelcontextprotocol" / "server-memory"
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    node = shutil.which("node") or "node"

    def write(wire: Wire, note: Note) -> str:
        entity = {"name": note.title, "entityType": "note", "observations": [note.text]}
        wire.call("create_entities", {"entities": [entity]})
        return note.title

    def search(wire: Wire, query: str) -> list[str]:
        result = wire.call("search_nodes", {"query": query})
        return [entity["name"] for entity in result["structuredContent"]["entities"]]

    return Peer(
        "server-memory",
        lambda _folder: [node, str(package / "dist" / "index.js")],
        manifest["version"],
        write,
        search,
        lambda data: {"MEMORY_FILE_PATH": str(data / "data" / "memory.jsonl")},
    )


def basic_memory(venv: Path) -> Peer:
    """Markdown notes with an SQLite index; word search only.

    Its vector search needs a model that it would download, so this measures the word search
    that it falls back to.
    """
    binary = venv / ("Scripts" if sys.platform == "win32" else "bin")

    def env(data: Path) -> dict[str, str]:
        return {
            "BASIC_MEMORY_HOME": str(data / "data" / "notes"),
            "BASIC_MEMORY_CONFIG_DIR": str(data / "data" / "config"),
            "BASIC_MEMORY_AUTO_UPDATE": "false",
            "BASIC_MEMORY_NO_PROMOS": "1",
            "BASIC_MEMORY_DEFAULT_SEARCH_TYPE": "text",
        }

    def write(wire: Wire, note: Note) -> str:
        arguments = {"title": note.title, "content": note.text, "directory": "notes"}
        wire.call("write_note", arguments | {"tags": list(note.tags)})
        return note.title

    def search(wire: Wire, query: str) -> list[str]:
        asked = {"query": query, "page_size": 8, "output_format": "json", "search_type": "text"}
        result = wire.call("search_notes", asked)
        told = result.get("structuredContent") or json.loads(text_of(result))
        told = told.get("result", told)
        return [hit["title"] for hit in told.get("results", [])]

    return Peer(
        "basic-memory",
        lambda _folder: [str(binary / "basic-memory"), "mcp"],
        _installed_version(binary / "python", "basic-memory"),
        write,
        search,
        env,
    )


def _installed_version(python: Path, name: str) -> str:
    code = f"from importlib.metadata import version; print(version({name!r}))"
    done = subprocess.run(
        [str(python), "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.strip()


def gather(args: argparse.Namespace) -> tuple[list[Peer], dict[str, str]]:
    """Those that can run, ours first, and why the others do not."""
    peers = [memex(), bare()]
    missing: dict[str, str] = {}
    makers: Sequence[tuple[str, Path | None, Callable[[Path], Peer]]] = (
        ("server-memory", args.server_memory, server_memory),
        ("basic-memory", args.basic_memory, basic_memory),
    )
    for name, place, maker in makers:
        try:
            if place is None:
                raise FileNotFoundError
            peers.append(maker(place))
        except (OSError, subprocess.CalledProcessError):
            missing[name] = f"not run: not installed. {INSTALL[name]}"
            print(f"  {name}: {missing[name]}")
    return peers, missing


def described(peers: Sequence[Peer], missing: dict[str, str]) -> dict[str, str]:
    """Versions of what ran and reasons of what did not, for the raw file."""
    return {peer.name: peer.version for peer in peers} | missing
