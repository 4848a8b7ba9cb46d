"""Claude Code's own command enters the server; whatever it does, nothing is left half done."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memex_adapters.errors import Failed, Unclear
from memex_adapters.place import Place
from tests.adapters.using import LATER
from tests.adapters.wired import both, install, uninstall

_CLAUDE = """#!{python}
import json, pathlib, sys
path = pathlib.Path({path!r})
whole = json.loads(path.read_text(encoding="utf-8"))
servers = whole.setdefault("mcpServers", {{}})
deed = sys.argv[2]
if {mode!r} == "half":
    path.write_text("{{half", encoding="utf-8")
    sys.exit("claude broke")
if {mode!r} == "lies":
    sys.exit(0)
if deed == "add-json" and "memex" in servers:
    sys.exit("MCP server memex already exists in user config")
if deed == "add-json":
    servers["memex"] = json.loads(sys.argv[6])
else:
    servers.pop("memex")
path.write_text(json.dumps(whole), encoding="utf-8")
"""


def with_command(place: Place, tmp_path: Path, mode: str) -> Place:
    """The place with a claude on PATH that works, breaks half-way, or says it worked."""
    command = tmp_path / f"bin {mode}" / "claude"
    command.parent.mkdir()
    text = _CLAUDE.format(python=sys.executable, path=str(place.home / ".claude.json"), mode=mode)
    command.write_text(text, encoding="utf-8")
    command.chmod(0o755)
    return replace(place, variables={"PATH": str(command.parent)})


def test_claude_enters_and_removes_the_server_itself(
    place: Place, store: Path, tmp_path: Path
) -> None:
    place = with_command(place, tmp_path, "works")
    file = place.home / ".claude.json"
    before = json.loads(file.read_text(encoding="utf-8"))

    install(store, place, "claude")
    install(store, place, "claude")
    install(store, place, "claude", launch=LATER)

    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["mcpServers"]["memex"]["command"] == LATER.command
    uninstall(store, place, "claude")
    assert json.loads(file.read_text(encoding="utf-8")) == before


def test_what_a_person_added_to_the_entry_stays_when_claude_enters_it_anew(
    place: Place, store: Path, tmp_path: Path
) -> None:
    place = with_command(place, tmp_path, "works")
    file = place.home / ".claude.json"
    install(store, place, "claude")
    whole = json.loads(file.read_text(encoding="utf-8"))
    mine = {"args": ["serve", "--readonly"], "env": {"A": "b"}, "alwaysLoad": True}
    whole["mcpServers"]["memex"] |= mine
    file.write_text(json.dumps(whole), encoding="utf-8")

    install(store, place, "claude", launch=LATER)

    entry = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["memex"]
    args = [*LATER.arguments, "--readonly"]
    assert entry == {"type": "stdio", **mine, "command": LATER.command, "args": args}


@pytest.mark.parametrize("mode", ["half", "lies"])
def test_a_client_command_that_fails_half_way_leaves_everything_as_it_was(
    place: Place, store: Path, tmp_path: Path, mode: str
) -> None:
    before = both(place)

    with pytest.raises(Failed, match="claude broke" if mode == "half" else "does not show it"):
        install(store, with_command(place, tmp_path, mode), "claude")

    assert both(place) == before
    install(store, with_command(place, tmp_path, "works"), "claude")
    assert both(place) != before


def test_another_server_of_that_name_stops_claude(
    place: Place, store: Path, tmp_path: Path
) -> None:
    file = place.home / ".claude.json"
    file.write_text('{"mcpServers": {"memex": {"command": "npx"}}}', encoding="utf-8")
    before = both(place)

    for there in (place, with_command(place, tmp_path, "works")):
        with pytest.raises(Unclear, match="does not start memex"):
            install(store, there, "claude")

    assert both(place) == before


def test_an_uninstall_that_fails_puts_everything_back_with_its_bits(
    place: Place, store: Path, tmp_path: Path
) -> None:
    install(store, with_command(place, tmp_path, "works"), "claude")
    rules = place.home / ".claude" / "rules" / "memex.md"
    rules.chmod(0o751)
    before = both(place)

    with pytest.raises(Failed, match="does not show it"):
        uninstall(store, with_command(place, tmp_path, "lies"), "claude")

    assert both(place) == before
    uninstall(store, replace(place, variables={"PATH": str(tmp_path / "bin works")}), "claude")
    assert not rules.exists()
