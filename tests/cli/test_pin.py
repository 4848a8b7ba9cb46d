from pathlib import Path

from tests.cli.using import Run, expect_told, posix
from tests.process import at_terminal
from tests.using import OTHER, PORT


@posix
def test_the_command_pins_and_says_so(run: Run, root: Path, project: Path) -> None:
    [one] = run("write", PORT.text).ids

    assert run("pin", one.lower()).out.startswith(f"{one}: pinned\n")
    assert "pinned already" in run("pin", one).out
    assert run("open", one, "--json").json["pinned"]
    told = run("pin", one, "--off", "--json").json
    assert told == {"id": one, "title": PORT.text, "pinned": False, "was": True}
    expect_told(run("pin", "0" * 26), "not_found")
    place = ("--root", str(root), "--workspace", str(project))
    theirs = at_terminal("write", OTHER.text, *place).ids[0]
    expect_told(run("pin", theirs), "denied")
    assert at_terminal("pin", theirs, *place).code == 0
