"""Which session is meant by what stands after ``--session``."""

from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Scope, Surface
from memex_mcp.model.record import Draft
from tests.card import card
from tests.cli.using import Run, posix
from tests.process import Ran, at_terminal

ONE, SIBLING, OTHER = ("0a1b2c3d-11-one", "0a1b2c3d-22-two", "feed2c3d-33-three")


@pytest.fixture
def private(memory: Memory, project: Path, tmp_path: Path) -> dict[str, str]:
    """A private statement in each session, the id of its record by that of the session."""
    (tmp_path / "elsewhere").mkdir()
    places = {ONE: project, SIBLING: project, OTHER: project}
    places |= {f"{ONE}-more": tmp_path / "elsewhere", "feed-else": tmp_path / "elsewhere"}
    told = {}
    for number, (session, folder) in enumerate(places.items()):
        who = Evidence(
            surface=Surface.TOOL, client=f"agent-{number}", workspace=folder, session_id=session
        )
        draft = Draft(text=f"The staging port is 543{number}.", scope=Scope.SESSION)
        told[session] = memory.write(draft, memory.caller(who)).id
    memory.close()
    return told


def shown(project: Path, *arguments: str) -> Ran:
    return at_terminal(*arguments, "--workspace", str(project))


@posix
@card("identity.session")
def test_a_person_names_a_session_by_its_beginning_and_a_program_by_all_of_it(
    run: Run, private: dict[str, str], project: Path
) -> None:
    record = private[OTHER]

    for given in ("feed", "feed2c3d", OTHER):
        assert "staging port is 5432" in shown(project, "open", record, "--session", given).out
    assert run("open", record, "--session", OTHER).code == 0
    for given in ("feed", "feed2c3d", OTHER[:-1]):
        refused = run("open", record, "--session", given)
        assert (refused.code, refused.err[:10]) == (1, "not_found:"), given
    # Too little to say anything.
    assert shown(project, "open", record, "--session", "fee").code == 1


@posix
def test_a_beginning_of_several_sessions_is_refused_and_names_them(
    private: dict[str, str], project: Path
) -> None:
    refused = shown(project, "list", "--session", "0a1b2c3d")

    assert refused.code == 1
    told = " ".join(refused.out.split())
    assert told.startswith("invalid: several sessions begin with '0a1b2c3d': ")
    assert all(f"{name} (agent-{n})" in told for n, name in enumerate((ONE, SIBLING)))
    assert not any(name in told for name in ("feed", "-more"))
    assert told.endswith("Give more of the id.")
    assert private[SIBLING] in shown(project, "list", "--session", "0a1b2c3d-2").out


@posix
def test_a_session_that_is_not_known_yet_is_taken_as_it_is(
    private: dict[str, str], project: Path
) -> None:
    assert shown(project, "mode", "off", "--session", "brand-new").code == 0

    told = shown(project, "status", "--session", "brand-new", "--json").json
    assert (told["session_id"], told["switches"]["mode"]) == ("brand-new", "off")
    assert shown(project, "status", "--session", OTHER, "--json").json["switches"]["mode"] == "auto"
