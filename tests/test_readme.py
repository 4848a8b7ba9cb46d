"""What the README says is so."""

import hashlib
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.cli import COMMANDS, main
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, Status, Surface, Trust
from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Envelope, Role
from tests.card import CARD
from tests.whole.using import Place, Server

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

PROMISES = {
    "A write is on disk before it is acknowledged": {"write.durable"},
    "Nothing is lost silently": {"write.supersede", "write.revise"},
    "What was retracted is refused": {
        *("tombstone.refuses", "tombstone.every_field", "tombstone.session"),
    },
    "No query, hit, list or catalog shows": {"scope.not_found", "scope.write"},
    "Secrets become `[MASKED:kind]`": {"secrets.masked"},
    "An agent's word is labelled `untrusted`": {"write.stamps", "trust.precedence"},
    "What is recalled is fenced as data": {"recall.fenced"},
    "No network, unless": {"shape.no_network"},
}
"""How each promise begins, and the cards that hold it."""


def blocks(language: str) -> list[str]:
    """The fenced blocks in a language, in order."""
    return re.findall(rf"^```{language}\n(.+?)^```", README, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    """What stands under a heading."""
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_first_command_sets_up_and_plays_the_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    venv, install, play = blocks("sh")[0].strip().split(" && ")

    # The environment is there already; what is left is the command itself.
    command, *arguments = shlex.split(play)
    done = subprocess.run(
        [sys.executable, "-m", "memex_mcp", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert venv.startswith("python3 -m venv ")
    assert install.startswith("python3 -m pip --python .venv/bin/python install ")
    assert (command, arguments) == (".venv/bin/memex-mcp", ["try"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "promises came true" in done.stdout


def test_the_second_command_names_what_there_is() -> None:
    command = blocks("sh")[1].strip()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert "\n" not in command
    assert "<!-- test command -->\n```sh\n" + command in README
    scripts = re.findall(r"scripts/\w+", command)
    assert scripts[-1] == "scripts/check"
    assert all((ROOT / script).exists() for script in scripts)
    assert set(re.findall(r"--group (\w+)", command)) <= project["dependency-groups"].keys()
    extras = set(re.findall(r"\.\[(\w+)\]", command))
    assert extras <= project["project"]["optional-dependencies"].keys()


def test_the_third_command_enters_the_clients_and_a_guide_tells_the_rest() -> None:
    [wired] = blocks("sh")[2].splitlines()

    assert shlex.split(wired) == [".venv/bin/memex-mcp", "init"]
    assert "[docs/clients.md](docs/clients.md)" in section("Wire up a client")
    ways = re.findall(r"^\| `memex-mcp (\w+)` \|", section("Uninstall"), re.MULTILINE)
    assert ways == ["off", "uninstall", "purge"]


def test_the_settings_shown_are_all_and_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [shown] = blocks("toml")
    with_file, without = tmp_path / "a", tmp_path / "b"
    with_file.mkdir()
    (with_file / "config.toml").write_text(shown, encoding="utf-8")

    assert settings.load(with_file).disabled == ""
    assert settings.load(with_file).__class__(home=without) == settings.load(without)
    for name in settings.Settings.__dataclass_fields__.keys() - {"home"}:
        assert getattr(settings.load(with_file), name) == getattr(settings.load(without), name)
    assert tomllib.loads(shown).keys() == settings._KEYS.keys()
    monkeypatch.setenv("MEMEX_DISABLED", "1")
    assert settings.load(without).disabled


def test_the_store_holds_what_is_shown_and_nothing_else(
    root: Path, memory: Memory, agent: Caller
) -> None:
    shown = dict(re.split(r" {2,}", line, maxsplit=1) for line in blocks("text")[1].splitlines())
    first = memory.write(Draft(text="Staging listens on port 5433."), agent).id
    memory.write(Draft(text="Staging listens on port 6543.", id=first), agent)
    wrong = memory.write(Draft(text="Standup is at ten."), agent).id
    memory.set_status(wrong, Status.RETRACTED, agent, reason="never true")
    line = '{"type": "user", "text": "hello"}'
    digest = hashlib.sha256(line.encode()).hexdigest()
    said = Envelope(role=Role.USER, type="user", start=0, stop=33, data=line, sha256=digest)
    turn = Draft(text="## user\nhello", kind=Kind.SPAN, scope=Scope.SESSION, events=(said,))
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)
    span = memory.write(turn, hook).id
    memory.close()
    stray = next(root.rglob(f"{first}.md")).with_name("stray.md")
    stray.write_text("no front matter", encoding="utf-8")
    (root / "config.toml").write_text(blocks("toml")[0], encoding="utf-8")
    with Server(Place(root, root.parent / "project")) as server:
        server.ask("ping")
    for part in ("--files", "--from-files"):
        assert main(["rebuild", part, "--root", str(root)]) == 0

    there = {path.name + ("/" if path.is_dir() else "") for path in root.iterdir()}
    told = {name.split("/")[0] + ("/" if "/" in name else "") for name in shown}
    assert there - {"memex.db-wal", "memex.db-shm"} == told
    for name in shown:
        pattern = name.replace("<workspace>", "*")
        pattern = pattern.replace("<id>", span if "events" in name else first)
        pattern = pattern.replace("2026-11", "????-??").rstrip("/")
        assert list(root.glob(pattern)), name


def test_the_tools_shown_are_the_tools_offered(root: Path, project: Path) -> None:
    shown = re.findall(r"^\| `(\w+)` \|", section("What the agent gets"), re.MULTILINE)
    told = section("What the agent gets").split("Resources:")[1]

    with Server(Place(root, project)) as server:
        tools = server.ask("tools/list")["result"]["tools"]
        resources = server.ask("resources/list")["result"]["resources"]
        templates = server.ask("resources/templates/list")["result"]["resourceTemplates"]
        prompts = server.ask("prompts/list")["result"]["prompts"]

    assert shown == [tool["name"] for tool in tools]
    uris = {each["uri"] for each in resources} | {each["uriTemplate"] for each in templates}
    assert set(re.findall(r"`(memory://[^`]+)`", told)) == uris
    names = told.split("Prompts: ")[1].split(".")[0].replace("\n", " ").split(", ")
    assert set(names) == {prompt["name"] for prompt in prompts}


def test_the_commands_shown_are_the_commands_there_are() -> None:
    shown = re.findall(r"^memex-mcp ([a-z-]+) ", section("What you get"), re.MULTILINE)

    assert sorted(shown) == sorted(COMMANDS)


def test_the_words_that_have_values_are_explained_with_all_of_them() -> None:
    words = dict(re.findall(r"^\| ([a-z, ]+) \| (.+) \|$", section("Words"), re.MULTILINE))

    for word, values in (("scope", Scope), ("trust", Trust), ("status", Status)):
        assert sorted(re.findall(r"`(\w+)`", words[word])) == sorted(values)
    for word in ("record", "kind", "type", "level", "workspace", "session", "caller", "author"):
        assert words[word]
    assert words.keys() >= {"supersede, retract", "tombstone", "mask"}


def test_nothing_is_left_to_be_filled_in() -> None:
    prose = re.sub(r"^```.+?^```|`[^`\n]+`", "", README, flags=re.MULTILINE | re.DOTALL)

    assert re.findall(r"\{[^}\n]*\}", prose) == []
    assert "A local memory for coding agents" in prose


def test_the_marks_of_trust_lie_where_it_is_said() -> None:
    trust = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1:-1] for row in re.findall(r"^\| .+ \|$", trust, re.MULTILINE)]
    marks = [[re.findall(r"`([^`]+)`", cell) for cell in cells[1:]] for cells in rows[2:]]

    assert len(marks) == 7
    for places, symbols, tests in marks:
        sources = [(ROOT / place).read_text(encoding="utf-8") for place in places]
        for name in (symbol.rpartition(".")[2] for symbol in symbols):
            pattern = rf"^ *(?:def|class) {name}\b|^    {name}: "
            assert any(re.search(pattern, source, re.MULTILINE) for source in sources), name
        for path, _, name in (test.partition("::") for test in tests):
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8") or not name, name


def test_every_promise_is_on_the_card() -> None:
    bullets = re.findall(r"^- (.+)", section("Promises"), re.MULTILINE)

    unheld = [bullet for bullet in bullets if not bullet.startswith(tuple(PROMISES))]
    assert not unheld
    assert len(bullets) == len(PROMISES)
    assert {name for ids in PROMISES.values() for name in ids} <= CARD.keys()
