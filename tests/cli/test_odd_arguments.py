"""Whatever is typed, and whatever the environment names, is no bug of ours."""

import argparse
import random
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from memex_mcp.cli import COMMANDS, _module
from memex_mcp.cli.pipe import Pipe
from tests.cli.using import Run, expect_told, posix
from tests.process import memex

PORT = "The staging database listens on port 5433."
BYTES = "\udcff\udcfe"
# A hook ends its process, and its own matrix holds whatever it is given; what is entered into
# clients starts them, and what is taken in may be the whole disk: both have tests of their own.
LEFT_OUT = {"serve", "try", "rebuild", "hook", "init", "uninstall", "clients", "backfill", "import"}
PLAYED = [name for name in COMMANDS if name not in LEFT_OUT]
WORDS = (
    *(
        BYTES,
        "",
        " ",
        "-",
        "--",
        "\x00",
        "a\x00b",
        "\n",
        "\x1b[2J",
        "\u202e",
        "\ufeff",
        "部署",
        "😀",
    ),
    *("9" * 20, "-1", "0", "1", "nan", "inf", "1e400", "0.5", "٣", "x" * 5000, '"', "'; --", "%s"),
    *("NEAR(", "a OR b", "*", "^", "title:", "..", "/", "~", "~nobody", "file://", "C:\\", "*.md"),
    *("2026-11-30", "0001-01-01", "9999-12-31T23:59:59+00:00", "10000-01-01", "lift", "12345678"),
    *("fact", "note", "session", "workspace", "global", "retracted", "active", "superseded"),
    *("staging port", "[]", "{}", "01M8P3BW606FGARXPKWD7Q9N59", "eyJxIjoxfQ", "MTo", "="),
)


def arguments_of(name: str) -> list[argparse.Action]:
    """What a command takes, as it declares it; the store stays where it is."""
    parser = argparse.ArgumentParser(add_help=False)
    import_module(f"memex_mcp.cli.{_module(name)}").configure(parser)
    return [action for action in parser._actions if action.dest != "root"]


def odd(name: str, chance: random.Random, record_id: str) -> list[str]:
    """A command line that nobody would type: what has to be there, and some of the rest."""
    words = [*WORDS, record_id, record_id.lower()]
    given = [name]
    for action in arguments_of(name):
        if not action.required and action.nargs != "*" and chance.random() < 0.8:
            continue
        if action.option_strings:
            given.append(action.option_strings[0])
        if action.choices and chance.random() < 0.9:
            given.append(chance.choice([*action.choices]))
        elif action.nargs != 0:
            given.append(chance.choice(words))
    return given


def test_no_command_line_is_a_bug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    [record_id] = run("write", PORT, "--scope", "workspace").ids
    chance = random.Random(7)
    lines = [odd(name, chance, record_id) for name in PLAYED for _ in range(60)]

    codes = {ascii(line): run(*line).code for line in lines}

    assert [line for line, code in codes.items() if code not in (0, 1, 2)] == []
    assert min(Counter(codes.values())[code] for code in (0, 1, 2)) > 30
    assert run("open", record_id).code == 0


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(BYTES, id="bytes"),
        pytest.param("two\nlines", id="two lines"),
        pytest.param("a\x1bb", id="a control"),
        pytest.param(" ", id="blank"),
        pytest.param("x" * 201, id="too long"),
    ],
)
def test_what_is_no_session_id_is_an_unknown_session(
    run: Run, monkeypatch: pytest.MonkeyPatch, session: str
) -> None:
    run("write", "The plan of s-1 is on hold.", "--scope", "session", "--session", "s-1")
    for options in (("--session", session), ()):
        if not options:
            monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session)
        shared = run("write", PORT, *options)
        private = run("write", "The plan is on hold.", "--scope", "session", *options)

        assert shared.code == 0
        expect_told(private, "denied")
        assert run("search", "plan on hold", *options).ids == []
    assert run("status", "--session", "x" * 200, "--json").json["session_id"] == "x" * 200


@posix
def test_bytes_in_the_environment_stop_no_command_and_no_server(here: Path, root: Path) -> None:
    env = {"CLAUDE_CODE_SESSION_ID": BYTES}

    written = memex("write", PORT, env=env)

    assert (written.code, written.err) == (0, "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDE_CODE_SESSION_ID", BYTES)
        with Pipe(["--root", str(root), "--workspace", str(here)], "agent") as server:
            answer = server.call("memory_write", text=PORT)
    assert answer["outcome"] == "reinforced"
