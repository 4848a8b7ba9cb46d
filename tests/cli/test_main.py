import os
import shlex
import signal
import sqlite3
import subprocess
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from memex_mcp import cli
from memex_mcp.store.lock import FileLock
from tests.cli.using import Run, expect_told, posix, until
from tests.process import COMMAND, DEADLINE, memex

EXAMPLES = {
    name: import_module(f"memex_mcp.cli.{cli._module(name)}").EXAMPLE for name in cli.COMMANDS
}


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_it_says_which_version_it_is(run: Run, option: str) -> None:
    ran = run(option)

    assert (ran.code, ran.out) == (0, f"memex-mcp {version('memex-mcp-server')}\n")


@pytest.mark.parametrize("arguments", [(), ("help",), ("--help",), ("-h",)])
def test_without_a_command_it_shows_them_all(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines() if line.startswith("  ")] == [
        *cli.COMMANDS
    ]


def test_an_unknown_command_is_wrong_usage_and_told_with_the_list(run: Run) -> None:
    typo, nonsense = run("serch", "x"), run("frobnicate")

    assert (typo.code, typo.out) == (2, "")
    assert "there is no command 'serch'; did you mean search?" in typo.err
    assert all(f"  {name} " in typo.err for name in cli.COMMANDS)
    assert (nonsense.code, "did you mean" in nonsense.err) == (2, False)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_helps_with_an_example_that_fits(run: Run, name: str) -> None:
    ran, other = run(name, "--help"), run("help", name)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: memex-mcp {name} ")
    assert ran.out.endswith(f"example:\n  {EXAMPLES[name]}\n")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert other == ran


@pytest.mark.parametrize(
    "name", [name for name in cli.COMMANDS if name not in ("serve", "try", "hook")]
)
def test_every_example_is_good_usage(run: Run, name: str) -> None:
    words = shlex.split(EXAMPLES[name])

    ran = run(*words[1:])

    assert words[:2] == ["memex-mcp", name]
    assert ran.code in (0, 1)
    assert "usage" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("search",), id="missing"),
        pytest.param(("search", "x", "--frob"), id="unknown option"),
        pytest.param(("search", "x", "--lim", "3"), id="abbreviated option"),
        pytest.param(("search", "x", "--limit", "0"), id="below the range"),
        pytest.param(("search", "x", "--limit", "51"), id="above the range"),
        pytest.param(("search", "x", "--limit", "many"), id="no number"),
        pytest.param(("search", "x", "--kind", "memory"), id="unknown kind"),
        pytest.param(("list", "--limit", "201"), id="page too long"),
        pytest.param(("open", "x", "--revision", "0"), id="no such version"),
        pytest.param(("open", "x", "--revision", "1000001"), id="version too high"),
        pytest.param(("open", "x", "--revision", "9" * 20), id="version beyond any integer"),
        pytest.param(("set-status", "x", "candidate", "--reason", "y"), id="no such move"),
        pytest.param(("set-status", "x", "archived"), id="no reason"),
        pytest.param(("tombstones", "lift"), id="lift what"),
        pytest.param(("tombstones", "drop", "x"), id="unknown action"),
        pytest.param(("rebuild",), id="rebuild what"),
        pytest.param(("rebuild", "--index", "--files"), id="two at once"),
    ],
)
def test_wrong_usage_is_two_and_shows_the_usage(
    run: Run, root: Path, arguments: tuple[str, ...]
) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"usage: memex-mcp {arguments[0]}")
    assert not root.exists()


def test_a_failure_is_one_line_for_people_and_an_object_for_programs(run: Run) -> None:
    unknown = "01M8P3BW606FGARXPKWD7Q9N59"
    spoken, written = run("open", unknown.lower()), run("open", unknown, "--json")

    expect_told(spoken, "not_found")
    assert spoken.err == f"not_found: no record {unknown}. Use an id that a search returned.\n"
    assert (written.code, written.err) == (1, "")
    assert written.json == {
        "error": {
            "code": "not_found",
            "message": f"no record {unknown}",
            "hint": "Use an id that a search returned.",
        }
    }


def test_a_bug_is_told_as_one_with_its_trace(run: Run, root: Path) -> None:
    run("write", "The release branch is cut on Thursdays.")
    with sqlite3.connect(root / "memex.db") as db:
        db.execute("DROP TABLE tombstone")
    db.close()

    spoken, written = run("tombstones"), run("tombstones", "--json")

    assert (spoken.code, spoken.out) == (3, "")
    assert "Traceback" in spoken.err
    assert spoken.err.endswith("this is a bug in memex, not your fault. Please report it.\n")
    assert (written.code, written.json["error"]["code"]) == (3, "bug")


NO_IDS = (
    "\udcff",
    "",
    "nope",
    "01M8P3BW606FGARXPKWD7Q9N5",
    "01M8P3BW606FGARXPKWD7Q9N5\x00",
    "\u0660" * 26,
)


@pytest.mark.parametrize("given", NO_IDS, ids=ascii)
def test_what_is_no_id_is_told_by_every_command_that_takes_one(run: Run, given: str) -> None:
    [record_id] = run("write", "The release branch is cut on Thursdays.").ids
    moves = ("set-status", given, "disputed", "--reason", "r")
    replaced = ("set-status", record_id, "superseded", "--reason", "r", "--superseded-by")

    for ran in (
        run("open", given),
        run(*moves),
        run(*replaced, given),
        run("write", "It is cut at noon.", "--id", given),
        run("write", "It is cut at noon.", "--supersedes", given),
        run("list", "--cursor", given),
    ):
        expect_told(ran, "invalid")
    assert run("list", "--json").json["records"][0]["status"] == "active"
    assert run("open", record_id.lower(), "--revision", "1").code == 0


@posix
def test_an_interruption_ends_quietly(root: Path) -> None:
    root.mkdir()
    with FileLock(root / "lock"):
        process = subprocess.Popen(
            [*COMMAND, "write", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        # The last thing it does before it has to wait for us.
        until(process, lambda: (root / "README.md").exists())
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=DEADLINE)

    assert (process.returncode, *said) == (130, b"", b"")
    assert not (root / "memex.db").exists()


@posix
@pytest.mark.parametrize("command", ["list", "open"])
def test_a_reader_who_has_seen_enough_is_no_failure(run: Run, command: str) -> None:
    written = run("write", "The release branch is cut on Thursdays.", "--json").json
    reader, writer = os.pipe()
    os.close(reader)

    arguments = [command] if command == "list" else [command, written["id"]]
    ran = subprocess.run(
        [*COMMAND, *arguments], stdout=writer, stderr=subprocess.PIPE, timeout=DEADLINE, check=False
    )
    os.close(writer)

    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_answer_that_cannot_be_printed_is_a_failure() -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE, check=False
        )

    assert ran.returncode == 1
    assert ran.stderr.startswith(b"unavailable: there is no room")


@posix
def test_closed_streams_are_no_terminal_and_no_failure(run: Run) -> None:
    closed = 'exec "$@" <&- >&-'
    ran = subprocess.run(
        ["sh", "-c", closed, "sh", *COMMAND, "write", "The branch is cut on Thursdays."],
        stderr=subprocess.PIPE,
        timeout=DEADLINE,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, b"")
    [record] = run("list", "--json").json["records"]
    assert (record["author"], record["trust"]) == ("agent", "untrusted")


@posix
def test_a_locale_without_chinese_still_gets_an_answer(run: Run) -> None:
    latin = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    text = "部署前必须先跑冒烟测试 😀"
    run("write", text)

    shown, written = memex("list", env=latin), memex("list", "--json", env=latin)

    assert (shown.code, written.code) == (0, 0)
    assert "\\u90e8\\u7f72" in shown.out
    assert written.out.isascii()
    assert [record["title"] for record in written.json["records"]] == [text]
