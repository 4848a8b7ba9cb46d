import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.card import card
from tests.cli.using import posix
from tests.process import Ran, at_terminal, memex

# Loaded by every Python process that finds it on its path.
LISTENER = """
import os, sys

def note(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"):
        with open(os.environ["NETWORK_LOG"], "a", encoding="utf-8") as log:
            log.write(event + "\\n")

sys.addaudithook(note)
"""


@pytest.fixture(autouse=True)
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What ``try`` leaves for a look around goes away with the test."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def said_folder(ran: Ran) -> Path:
    found = re.search(r"Look around in (.+), then delete it\.\n$", ran.out)
    assert found, ran.out
    return Path(found[1])


@card("cli.try")
def test_the_round_comes_true_in_other_processes_and_leaves_only_files(temp: Path) -> None:
    ran = memex("try")

    assert (ran.code, ran.err) == (0, "")
    assert "\nAll 9 promises came true.\n" in ran.out
    assert ran.out.count("✓ ") == 9
    pids = {int(pid) for pid in re.findall(r"\((?:process )?(\d+)\)", ran.out)}
    assert len(pids) == 2
    assert alive(os.getpid())
    assert not [pid for pid in pids if alive(pid)]
    folder = said_folder(ran)
    assert list(temp.iterdir()) == [folder]
    assert (folder / "store" / "memex.db").exists()
    for record_id in set(ran.ids):
        assert list((folder / "store" / "records").rglob(f"{record_id}.md"))


def test_the_store_it_leaves_holds_what_it_told() -> None:
    ran = memex("try")

    folder = said_folder(ran)
    place = ("--root", str(folder / "store"), "--workspace", str(folder / "project"))
    listed = memex("list", *place, "--json").json["records"]
    assert {record["title"] for record in listed} == {
        "The staging database listens on port 6543 since the move to the new cluster.",
        "部署前必须先跑 make smoke，否则网关会拒绝新版本。",
        "CI deploys with the token [MASKED:github-token].",
    }
    everything = memex("list", "--all", *place, "--json").json["records"]
    assert sorted(record["status"] for record in everything) == [
        "active",
        "active",
        "active",
        "retracted",
        "superseded",
    ]
    assert {record["id"] for record in listed} < {*ran.ids, *(record["id"] for record in listed)}
    assert memex("doctor", "--root", str(folder / "store")).code == 0


def test_programs_get_the_steps_and_the_folder(temp: Path) -> None:
    ran = memex("try", "--json")

    told = ran.json
    assert (ran.code, ran.err) == (0, "")
    assert told.keys() == {"folder", "steps", "promises"}
    assert Path(told["folder"]).parent == temp
    assert len(told["promises"]) == 9
    assert told["steps"][0]["tool"] == "memory_write"
    assert told["steps"][-1]["answered"] == "refused"


@posix
def test_it_fits_a_terminal() -> None:
    ran = at_terminal("try")

    assert ran.code == 0
    assert "All 9 promises came true." in ran.out


def test_a_step_that_does_not_come_true_fails_and_says_which(temp: Path) -> None:
    ran = memex("try", env={"MEMEX_DISABLED": "1"})

    assert ran.code == 1
    assert "promises came true" not in ran.out
    assert ran.err.splitlines() == [
        f"What there is of the temporary store lies in {next(temp.iterdir())}",
        "unavailable: memory_write answered disabled: MEMEX_DISABLED is set."
        " The user switches memory on again.",
    ]
    as_json = memex("try", "--json", env={"MEMEX_DISABLED": "1"})
    assert (as_json.code, as_json.json["error"]["code"]) == (1, "unavailable")


def test_a_server_that_does_not_start_fails_it_too(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "mcp.py").write_text("raise SystemExit('this mcp is broken')\n", encoding="utf-8")

    ran = memex("try", env={"PYTHONPATH": str(broken)})

    assert ran.code == 1
    assert "this mcp is broken\n" in ran.err
    assert ran.err.endswith(
        "unavailable: the server ended without an answer. What it said stands above.\n"
    )
    assert "Traceback" not in ran.err


def test_the_secret_it_plays_with_is_in_no_file(temp: Path) -> None:
    ran = memex("try")

    assert "[MASKED:github-token]" in ran.out
    shown = re.findall(r"ghp_[0-9a-f]{36}", ran.out)
    assert len(shown) == 1
    files = [path for path in temp.rglob("*") if path.is_file()]
    assert not [path for path in files if shown[0].encode() in path.read_bytes()]
    assert [path for path in files if b"make smoke" in path.read_bytes()]


@card("shape.no_network")
def test_no_process_of_the_round_talks_to_a_network(tmp_path: Path) -> None:
    log, listener = tmp_path / "network.log", tmp_path / "listener"
    listener.mkdir()
    (listener / "sitecustomize.py").write_text(LISTENER, encoding="utf-8")
    env = {"PYTHONPATH": str(listener), "NETWORK_LOG": str(log)}
    talks = "import socket; socket.socket().bind(('127.0.0.1', 0))"

    ran = memex("try", env=env)
    quiet = not log.exists()
    subprocess.run([sys.executable, "-c", talks], env=os.environ | env, check=True)

    assert ran.code == 0
    assert quiet
    assert log.read_text(encoding="utf-8") == "socket.bind\n"
