"""Any other client: everything is shown and nothing is written."""

import json
from pathlib import Path

from memex_adapters.clients import generic
from memex_adapters.launch import Launch
from tests.adapters.journeys import Wired
from tests.adapters.using import MANUAL, tree
from tests.adapters.wired import ALL, LAUNCH


def test_what_is_printed_is_an_entry_and_the_manual() -> None:
    printed = generic.printed(LAUNCH, MANUAL)

    entry, at = json.JSONDecoder().raw_decode(printed)
    assert entry == {"mcpServers": {"memex": {"command": LAUNCH.command, "args": ["serve"]}}}
    assert printed[at:].strip() == MANUAL.strip()
    assert json.loads(generic.printed(LAUNCH, "")) == entry


def test_variables_are_printed_only_if_there_are_any() -> None:
    with_one = Launch(command="/memex-mcp", env={"MEMEX_HOME": "/srv"})

    assert '"MEMEX_HOME": "/srv"' in generic.printed(with_one, "")
    assert "env" not in generic.printed(LAUNCH, "")


def test_nothing_is_written(tmp_path: Path) -> None:
    wired = Wired(tmp_path / "person", "generic")
    before = tree(wired.folder)

    wired.install()
    wired.uninstall()

    assert tree(wired.folder) == before
    assert not generic.is_here(wired.place)
    assert generic.pieces(wired.place, LAUNCH, ALL) == []
    assert generic.check(wired.place, LAUNCH) == []
    assert generic.farewell(wired.place) == []
    assert "None of its files was changed" in wired.notes()
