"""Clients that read one file of a project share one block, and it goes with the last of them."""

from itertools import permutations
from pathlib import Path

import pytest

from memex_adapters import text_block
from memex_adapters.apply import apply
from memex_adapters.clients import Wanted, client
from memex_adapters.plan import Planner
from memex_adapters.receipts import Receipts
from tests.adapters.journeys import Wired
from tests.adapters.using import tree
from tests.adapters.wired import LAUNCH
from tests.card import card

AGENTS = "project/AGENTS.md"
THEIRS = "# Theirs\r\n\r\nBe kind."
READERS = ("codex", "qwen", "copilot", "opencode", "cline", "cursor", "windsurf", "zed", "vscode")


def wanted(name: str) -> Wanted:
    return Wanted(manual=f"For {name} alone.\n", common_manual="For all.\n")


class Project:
    """One project that several clients are set up for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._wired = {name: Wired(folder, name, "project") for name in (*READERS, "gemini")}

    def enter(self, *names: str) -> None:
        for name in names:
            self._wired[name].install(wanted(name))

    def take_out(self, *names: str) -> None:
        for name in names:
            self._wired[name].uninstall()

    def enter_at_once(self, *names: str) -> None:
        """What one call of ``init`` does for several clients."""
        wired = self._wired[names[0]]
        planner = Planner(Receipts.load(wired.store))
        for name in names:
            planner.install(name, client(name).pieces(wired.place, LAUNCH, wanted(name)))
        apply(planner.plan())

    def write(self, file: str, text: str = THEIRS) -> None:
        self._wired["codex"].write(file, text)

    def block(self, file: str = AGENTS) -> text_block.Found | None:
        path = self.folder / file
        return text_block.find(path.read_bytes().decode()) if path.exists() else None


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "person")


@pytest.mark.parametrize("there", [pytest.param(True, id="theirs"), pytest.param(False, id="new")])
@pytest.mark.parametrize("out", [("codex", "copilot", "zed"), ("zed", "codex", "copilot")])
def test_what_goes_in_at_once_comes_out_to_the_last_byte(
    project: Project, out: tuple[str, ...], there: bool
) -> None:
    if there:
        project.write(AGENTS)
    before = tree(project.folder)

    project.enter_at_once("codex", "copilot", "zed")
    found = project.block()
    project.take_out(*out)

    assert found and found.clients == ("codex", "copilot", "zed")
    assert tree(project.folder) == before


@card("clients.manual_once")
@pytest.mark.parametrize("there", [pytest.param(True, id="theirs"), pytest.param(False, id="new")])
@pytest.mark.parametrize("names", [*permutations(("codex", "copilot", "zed")), READERS])
def test_the_block_is_one_names_its_readers_and_goes_with_the_last(
    project: Project, names: tuple[str, ...], there: bool
) -> None:
    if there:
        project.write(AGENTS)
    before = tree(project.folder)

    project.enter(names[0])
    assert project.block() == text_block.Found(clients=names[:1], body=f"For {names[0]} alone.")
    for number, name in enumerate(names[1:], start=2):
        project.enter(name)
        assert project.block() == text_block.Found(clients=names[:number], body="For all.")
    entered = tree(project.folder)
    project.enter(*names)
    assert tree(project.folder) == entered
    for number, name in enumerate(names[:-1], start=1):
        project.take_out(name)
        assert project.block() == text_block.Found(clients=names[number:], body="For all.")
    project.take_out(names[-1])

    assert tree(project.folder) == before


def test_who_is_left_alone_has_words_of_its_own_when_it_is_entered_again(project: Project) -> None:
    project.enter("codex", "opencode")
    project.take_out("codex")

    project.enter("opencode")

    assert project.block() == text_block.Found(clients=("opencode",), body="For opencode alone.")


@card("clients.manual_once")
def test_copilot_joins_a_block_that_the_same_plan_writes(project: Project) -> None:
    before = tree(project.folder)

    project.enter_at_once("gemini", "copilot", "vscode")

    shared = "project/GEMINI.md"
    assert project.block() is None
    assert project.block(shared) == text_block.Found(
        clients=("gemini", "copilot", "vscode"), body="For all."
    )
    project.take_out("gemini")
    found = project.block(shared)
    assert found is not None
    assert found.clients == ("copilot", "vscode")
    project.take_out("vscode", "copilot")
    assert tree(project.folder) == before


def test_a_block_that_came_with_the_repository_is_joined_and_left_as_it_was(
    project: Project,
) -> None:
    project.write(AGENTS, text_block.put(THEIRS, "From a colleague.", ["codex"]))
    before = tree(project.folder)

    project.enter("opencode")
    assert project.block() == text_block.Found(clients=("codex", "opencode"), body="For all.")
    project.take_out("opencode")

    assert tree(project.folder) == before


@pytest.mark.parametrize("before_it", [("codex", "opencode"), ("codex",)])
@pytest.mark.parametrize("out", [("codex", "opencode"), ("opencode", "codex")])
def test_what_somebody_writes_below_a_shared_block_stays(
    project: Project, before_it: tuple[str, ...], out: tuple[str, ...]
) -> None:
    project.write(AGENTS)
    project.enter(*before_it)
    file = project.folder / AGENTS
    file.write_bytes(file.read_bytes() + b"\r\nBelow.\r\n")
    project.enter("opencode", "codex")

    project.take_out(out[0])
    assert project.block() == text_block.Found(clients=out[1:], body="For all.")
    project.take_out(out[1])

    assert project.block() is None
    assert file.read_text("utf-8").split() == [*THEIRS.split(), "Below."]


def test_a_client_takes_no_block_that_is_not_its_own(project: Project) -> None:
    project.write(AGENTS, f"<!-- memex:begin codex -->\n\nBy hand.\n\n{text_block.END}\n")
    before = tree(project.folder)

    project.take_out("opencode", "copilot")
    assert tree(project.folder) == before
    project.take_out("codex")

    assert project.block() is None


def test_zed_shares_no_file_that_it_does_not_read(project: Project) -> None:
    project.write("project/.rules")
    project.enter("codex", "zed")

    assert project.block() == text_block.Found(clients=("codex",), body="For codex alone.")
    assert project.block("project/.rules") == text_block.Found(
        clients=("zed",), body="For zed alone."
    )
