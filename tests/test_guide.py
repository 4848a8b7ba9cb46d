"""What the guide to capture says can be typed, pasted and counted on."""

import argparse
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from memex_mcp import settings
from memex_mcp.capture.clients import shape_of
from memex_mcp.capture.events import Moment, moment_of
from memex_mcp.capture.places import CLIENTS
from memex_mcp.hooks.payload import Asked, asked
from memex_mcp.model.levels import Mode
from memex_mcp.profiles.loading import profile
from tests.cli.using import posix
from tests.guides import blocks, command_lines, parsed
from tests.hooks.payloads import NAMES, context
from tests.hooks.using import ANSWERED, ARCHIVED, NOTE, Place, copied, make
from tests.process import COMMAND, DEADLINE

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs/capture.md").read_text(encoding="utf-8")

INSTALLED = "/abs/memex-mcp"
FILES = {
    "claude": "~/.claude/settings.json",
    "codex": "~/.codex/hooks.json",
    "gemini": "~/.gemini/settings.json",
    "qwen": "~/.qwen/settings.json",
    "copilot": "~/.copilot/hooks/memex.json",
}
OPTIONS = {
    "claude": {"type": "command", "timeout": 10},
    "codex": {"type": "command", "timeout": 10},
    # It counts in milliseconds.
    "gemini": {"type": "command", "timeout": 10_000},
    "qwen": {"type": "command", "timeout": 10},
    "copilot": {"type": "command", "timeoutSec": 10},
}
"""What stands in every entry of a client beside the command."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One hook that the guide wires up.

    Attributes:
        name: The client's own name for the event.
        words: The command line.
        options: What else stands there.
    """

    name: str
    words: tuple[str, ...]
    options: dict[str, Any]

    @property
    def asked(self) -> Asked:
        """What the hook makes of its command line."""
        return asked(self.words[2:])


def wired() -> dict[str, dict[str, Any]]:
    """The block of each client."""
    return dict(zip(FILES, map(json.loads, blocks(GUIDE, "json")), strict=True))


def entries(client: str) -> Iterator[Entry]:
    """The hooks of a client, each of which stands alone under its event."""
    for name, groups in wired()[client]["hooks"].items():
        [group] = groups
        [given] = [group] if client == "copilot" else group["hooks"]
        options = dict(given)
        command = options.pop("bash" if client == "copilot" else "command")
        # Without a shell there is one word for each argument.
        words = [command, *options.pop("args")] if "args" in given else shlex.split(command)
        yield Entry(name, tuple(words), options)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make(tmp_path_factory.mktemp("shared"))


def test_each_client_has_a_block_under_its_file() -> None:
    assert list(FILES) == list(CLIENTS)
    above = [before.rstrip().rsplit("\n\n", 1)[1] for before in GUIDE.split("```json\n")[:-1]]
    assert [re.split(r"\W", each)[0].lower() for each in above] == list(FILES)
    assert [re.findall(r"`(~/.+?)`", each) for each in above] == [[p] for p in FILES.values()]
    # Codex refuses a key that it does not know; Copilot wants a version.
    assert {name: block.keys() - {"hooks"} for name, block in wired().items()} == {
        **{name: set() for name in FILES},
        "copilot": {"version"},
    }


@pytest.mark.parametrize("client", CLIENTS)
def test_each_hook_that_is_wired_is_one_of_that_client(client: str) -> None:
    found = list(entries(client))

    names = [each.name for each in found if each.name != "SubagentStop"]
    assert names == list(NAMES[client])
    for each in found:
        assert each.words[:2] == (INSTALLED, "hook")
        assert each.asked == Asked(each.asked.event, client)
        args = parsed(shlex.join(["memex-mcp", *each.words[1:]]))
        assert (args.event, args.client) == (each.asked.event, client)
        # What is asked for and what the client calls it are the same.
        told = {} if client == "copilot" else {"hook_event_name": each.name}
        event = shape_of(client).event(each.asked.event, told | {"prompt": "Which port?"})
        assert event.moment is moment_of(each.name) is not Moment.OTHER
        assert event.name == each.name
        shorter = {"timeout": 3} if (client, each.name) == ("codex", "SessionEnd") else {}
        assert each.options == OPTIONS[client] | shorter


@posix
@pytest.mark.parametrize("client", CLIENTS)
def test_the_hooks_as_they_are_wired_answer_and_archive(
    shared: Place, tmp_path: Path, client: str
) -> None:
    place = copied(shared, tmp_path / "own")
    told: dict[str, str] = {}
    for each in entries(client):
        if each.name == "SubagentStop":
            continue
        event = each.asked.event
        done = subprocess.run(
            [*COMMAND, *each.words[1:], "--root", str(place.root), "--timeout", "30"],
            input=place.payload(client, event),
            capture_output=True,
            cwd=place.project,
            timeout=DEADLINE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        told[event] = context(client, event, done.stdout.decode("utf-8"))

    assert [event for event, context in told.items() if NOTE in context] == list(ANSWERED)
    assert place.archived(client) == ARCHIVED
    assert place.log() == []


def test_every_command_in_it_is_a_command_line() -> None:
    lines = command_lines(GUIDE)

    assert len(lines) > 12
    for line in lines:
        parsed(line)
    with pytest.raises((argparse.ArgumentError, SystemExit)):
        parsed("memex-mcp mode reed-only")


def test_the_settings_shown_are_all_of_capture_and_the_defaults(tmp_path: Path) -> None:
    [shown] = blocks(GUIDE, "toml")
    given, bare = tmp_path / "given", tmp_path / "bare"
    given.mkdir()
    (given / "config.toml").write_text(shown, encoding="utf-8")

    tables = {name: table.keys() for name, table in tomllib.loads(shown).items()}
    assert tables == {name: settings._TABLES[name].keys() for name in ("capture", "recall")}
    loaded, untouched = settings.load(given), settings.load(bare)
    assert loaded.disabled == ""
    for field in fields(settings.Settings):
        if field.name != "home":
            assert getattr(loaded, field.name) == getattr(untouched, field.name), field.name
    (given / "config.toml").write_text(shown.replace("deepest", "l2"), encoding="utf-8")
    assert settings.load(given).capture_level != untouched.capture_level


def test_the_values_it_names_are_those_there_are() -> None:
    modes = re.search(r"^Modes: (.+?)\. ", GUIDE, re.MULTILINE | re.DOTALL)
    caps = re.search(r"`MEMEX_MAX_LEVELS=([\w|]+)`", GUIDE)
    assert modes
    assert caps
    assert re.findall(r"`([\w-]+)`", modes[1]) == list(Mode)
    assert caps[1].split("|") == list(settings._MAX_LEVELS)
    told = profile("default").budgets
    budgets = (told.start, told.prompt)
    assert [f"in {budget:,} tokens at most" in GUIDE for budget in budgets] == [True, True]


def test_what_a_person_reads_first_leads_here_and_back() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert "[docs/capture.md](docs/capture.md)" in readme
    [anchor] = re.findall(r"\(\.\./README\.md#([\w-]+)\)", GUIDE)
    titles = re.findall(r"^## (.+)$", readme, re.MULTILINE)
    assert anchor in {title.lower().replace(" ", "-") for title in titles}


def test_a_paused_workspace_is_told_how_to_go_on(shared: Place, tmp_path: Path) -> None:
    place = copied(shared, tmp_path / "own")
    with closing(place.memory()) as memory:
        person = place.person(memory)
        memory.switches.set_mode(Mode.OFF, person)
        assert not memory.switches.now(person).recall
        [end] = [line for line in command_lines(GUIDE) if line.startswith("memex-mcp mode auto")]
        memory.switches.set_mode(Mode(parsed(end).mode), person)
        assert memory.switches.now(person).recall
