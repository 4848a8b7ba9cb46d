"""What the tests of the adapters have in common."""

import json
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path

import tomlkit

from memex_adapters.apply import apply
from memex_adapters.hooks import JsonHooks
from memex_adapters.json_spans import Dialect, read
from memex_adapters.launch import Launch
from memex_adapters.pieces import Block, JsonEntry, JsonItem, Piece, TomlEntry
from memex_adapters.plan import Planner, Registered
from memex_adapters.receipts import Receipts
from tests.adapters.corpus import Kind

MANUAL = "Search memory before you ask.\n\n- 先搜索 memory，再提问。\n"
LAUNCH = Launch(command='/home/a b/o\'neil "x"/记忆/memex-mcp')
LATER = Launch(command="/home/a/.local/bin/memex-mcp", root="/srv/store")


def entry(launch: Launch) -> dict[str, object]:
    return {"command": launch.command, "args": launch.arguments, "env": {}}


def hooks(path: Path, launch: Launch, dialect: Dialect = "json") -> JsonHooks:
    groups: dict[str, dict[str, object]] = {
        event: {
            "hooks": [{"type": "command", "command": launch.hook_line(name, "qwen"), "timeout": 9}]
        }
        for event, name in (("SessionStart", "session-start"), ("Stop", "stop"))
    }
    return JsonHooks(path=path, events=groups, client="qwen", dialect=dialect)


def pieces(kind: Kind, path: Path, launch: Launch = LAUNCH) -> list[Piece]:
    """All that can go into one file of a kind."""
    if kind == "toml":
        values = {"command": launch.command, "args": launch.arguments, "startup_timeout_sec": 30}
        return [TomlEntry(path=path, value=values)]
    if kind == "text":
        return [Block(path=path, client="some", body=MANUAL)]
    allow = JsonItem(path=path, keys=("permissions", "allow"), value="mcp__memex__*", dialect=kind)
    server = JsonEntry(path=path, value=entry(launch), dialect=kind)
    return [server, hooks(path, launch, kind), allow]


def install(store: Path, wanted: Iterable[Piece | Registered], client: str = "some") -> None:
    planner = Planner(Receipts.load(store))
    planner.install(client, list(wanted))
    apply(planner.plan())


def uninstall(store: Path, wanted: Iterable[Piece | Registered], client: str = "some") -> None:
    planner = Planner(Receipts.load(store))
    planner.remove(client, list(wanted))
    apply(planner.plan())


def held(kind: Kind, content: bytes) -> object:
    """What a parser that is not ours sees in a file; it fails on anything unusual."""
    text = content.decode("utf-8-sig")
    match kind:
        case "json":
            return json.loads(text or "{}") if text.strip() else {}
        case "toml":
            assert tomlkit.parse(text).unwrap() == tomllib.loads(text)
            return tomllib.loads(text)
        case "text":
            return text
        case _:
            return json.loads(bare(text))


def bare(text: str) -> str:
    """JSON without its comments and trailing commas, found character by character."""
    out: list[str] = []
    at, in_string = 0, False
    while at < len(text):
        two = text[at : at + 2]
        if in_string:
            step = 2 if text[at] == "\\" else 1
            out.append(text[at : at + step])
            in_string = text[at] != '"'
            at += step
        elif two in ("//", "/*"):
            end = text.find("\n" if two == "//" else "*/", at)
            at = len(text) if end < 0 else end + (0 if two == "//" else 2)
        else:
            if text[at] in "]}" and "".join(out).rstrip().endswith(","):
                out = [*"".join(out).rstrip()[:-1]]
            in_string = text[at] == '"'
            out.append(text[at])
            at += 1
    return "".join(out)


def parses(kind: Kind, content: bytes) -> None:
    """The file is valid for a client that reads it by the letter."""
    held(kind, content)
    if kind in ("json", "comments", "jsonc"):
        read(content.decode("utf-8"), kind)


def tree(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything below a folder: kind, permission bits, content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        is_link = path.is_symlink()
        content = b"" if path.is_dir() and not is_link else path.read_bytes()
        what = "link" if is_link else "folder" if path.is_dir() else "file"
        found[str(path.relative_to(folder))] = (what, stat.S_IMODE(status.st_mode), content)
    return found
