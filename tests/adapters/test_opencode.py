"""opencode: a command in one list, in whichever of its files is there."""

import json
from pathlib import Path

import pytest

from tests.adapters.journeys import Wired
from tests.adapters.using import bare, tree
from tests.adapters.wired import LAUNCH

FOLDER = "home/.config/opencode"


@pytest.fixture
def wired(tmp_path: Path) -> Wired:
    return Wired(tmp_path / "person", "opencode")


def test_the_entry_is_one_list_and_says_nothing_of_being_on(wired: Wired) -> None:
    wired.install()

    entry = json.loads(wired.text(f"{FOLDER}/opencode.json"))["mcp"]["memex"]
    assert entry == {"type": "local", "command": [LAUNCH.command, "serve"]}
    assert "memex:begin" in wired.text(f"{FOLDER}/AGENTS.md")
    assert "no hooks" in wired.notes()


def test_a_person_who_turned_it_off_finds_it_off(wired: Wired) -> None:
    wired.install()
    file = f"{FOLDER}/opencode.json"
    off = json.loads(wired.text(file))
    off["mcp"]["memex"]["enabled"] = False
    wired.write(file, json.dumps(off))

    wired.install()

    assert json.loads(wired.text(file)) == off


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([], "opencode.json"),
        (["opencode.jsonc"], "opencode.jsonc"),
        (["opencode.json"], "opencode.json"),
        (["opencode.json", "opencode.jsonc"], "opencode.json"),
    ],
)
def test_it_goes_where_opencode_itself_would_write(
    wired: Wired, there: list[str], chosen: str
) -> None:
    for name in there:
        wired.write(f"{FOLDER}/{name}", '{\n  // mine\n  "share": "disabled",\n}\n')
    before = tree(wired.folder)

    wired.install()

    assert "memex" in json.loads(bare(wired.text(f"{FOLDER}/{chosen}")))["mcp"]
    for name in set(there) - {chosen}:
        assert "memex" not in wired.text(f"{FOLDER}/{name}")
    wired.uninstall()
    assert tree(wired.folder) == before


def test_an_entry_in_the_second_file_stays_there(wired: Wired) -> None:
    wired.write(f"{FOLDER}/opencode.jsonc", "{}")
    wired.install()
    wired.write(f"{FOLDER}/opencode.json", "{}")

    wired.install()
    assert wired.text(f"{FOLDER}/opencode.json") == "{}"
    wired.uninstall()

    assert wired.text(f"{FOLDER}/opencode.jsonc") == "{}"


def test_a_project_has_the_file_at_its_top(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "opencode", "project")

    wired.install()

    assert "project/opencode.json" in tree(wired.folder)
    assert "project/AGENTS.md" in tree(wired.folder)
    assert "version control" in wired.notes()


def test_its_folder_follows_the_settings_of_the_desktop(wired: Wired) -> None:
    wired.on(XDG_CONFIG_HOME=str(wired.folder / "xdg")).install()

    assert "xdg/opencode/opencode.json" in tree(wired.folder)
    assert "home/.config" not in tree(wired.folder)


SCHEMA = {"$schema": "https://opencode.ai/config.json"}


def test_a_file_that_opencode_completed_meanwhile_is_gone_when_we_are(wired: Wired) -> None:
    before = tree(wired.folder)
    file = f"{FOLDER}/opencode.json"
    wired.install()
    # What opencode does to a file without this line when it starts.
    wired.write(file, json.dumps({**SCHEMA, **json.loads(wired.text(file))}))

    wired.uninstall()

    assert tree(wired.folder) == before


def test_what_a_person_wrote_beside_that_line_or_before_us_stays(wired: Wired) -> None:
    file = f"{FOLDER}/opencode.json"
    for theirs in (SCHEMA, {**SCHEMA, "share": "disabled"}):
        wired.write(file, json.dumps(theirs))
        wired.install()
        wired.write(file, json.dumps(json.loads(wired.text(file)), indent=1))

        wired.uninstall()

        assert json.loads(wired.text(file)) == theirs
