"""``level``, ``mode``, ``on``, ``off``, and what ``status`` tells of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.card import card
from tests.cli.using import Run, expect_told, posix
from tests.process import Ran, at_terminal, memex

PORT = "The staging database listens on port 5433."


def standing(run: Run, *arguments: str) -> dict[str, Any]:
    """How the switches stand, from the command that shows nothing else."""
    told: dict[str, Any] = run("level", *arguments, "--json").json
    return told


def by_person(*arguments: str) -> Ran:
    ran = at_terminal(*arguments)
    assert ran.code == 0, ran.out
    return ran


def test_at_first_both_levels_are_off_and_asking_makes_no_store(run: Run, root: Path) -> None:
    told = standing(run)

    assert told == {
        "l2": None,
        "l3": None,
        "max_levels": "both",
        "mode": "auto",
        "mode_of": "default",
        "paused": False,
        "allowed": {
            "spans": False,
            "checkpoints": None,
            "recall": True,
            "read": True,
            "write": True,
            "family": None,
            "why": "no level is on",
        },
    }
    assert run("mode", "--json").json == told
    assert run("status", "--json").json["switches"] == told
    assert not root.exists()


@posix
def test_a_person_turns_a_level_on_and_a_pipe_does_not(run: Run) -> None:
    for level in ("l2", "l3", "both"):
        expect_told(run("level", "on", level), "denied")
    assert "only a person" in memex("level", "on", "l2").err
    assert standing(run)["l2"] is None

    shown = by_person("level", "on", "both").out

    told = standing(run)
    assert told["l2"] is not None
    assert told["l3"] is not None
    assert (told["allowed"]["spans"], told["allowed"]["checkpoints"]) == (True, "workspace")
    assert "on since" in shown
    assert "turns into L2, checkpoints into L3" in shown


@posix
def test_l2_is_turned_on_for_one_session_and_l3_is_not(run: Run) -> None:
    by_person("level", "on", "l2", "--session", "s-1")

    refused = at_terminal("level", "on", "l3", "--session", "s-1")

    assert (refused.code, refused.out.startswith("invalid: l3 is the archive")) == (1, True)
    assert standing(run, "--session", "s-1")["l2"] is not None
    assert standing(run, "--session", "s-2")["l2"] is None


@posix
@pytest.mark.parametrize("arguments", [["off", "l2"], ["off", "l3"], ["off", "both"], ["off"]])
def test_no_level_is_turned_off_and_the_reason_is_told(run: Run, arguments: list[str]) -> None:
    by_person("level", "on", "both")
    before = standing(run)

    piped, person = run("level", *arguments), at_terminal("level", *arguments)

    expect_told(piped, "denied")
    assert person.code == 1
    for told in (piped.err, person.out):
        assert "sticky" in told
        assert "memex-mcp mode off" in told
    assert standing(run) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["level", "on"],
        ["level", "on", "l4"],
        ["level", "of", "l2"],
        ["level", "l2"],
        ["level", "on", "l2", "l3"],
        ["mode", "of"],
        ["mode", "auto", "off"],
        ["serve", "--levels", "l4"],
        ["serve", "--levels", ""],
        ["on", "l2"],
        ["off", "l2"],
    ],
    ids=" ".join,
)
def test_a_typing_error_is_wrong_usage_and_changes_nothing(
    run: Run, root: Path, arguments: list[str]
) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert "error: " in ran.err
    assert "<Mode" not in ran.err
    assert not root.exists()


def test_what_holds_memory_back_is_told_with_the_command_that_ends_it(run: Run) -> None:
    def told(*arguments: str) -> tuple[list[str], str]:
        *rows, held = run(*arguments).out.splitlines()
        row = dict(row.split("  ", 1) for row in rows if "  " in row)
        return [row["memory"].strip(), row["recalls"].strip()], held

    both, end = "by itself and when asked", " `memex-mcp mode auto` ends the mode."
    first, held = told("level")
    assert first == ["on", both]
    assert held.startswith("Held back: no level is on. `memex-mcp level on both`, at a terminal,")
    no_level = "; no level is on." + end
    assert told("mode", "read-only") == (
        ["on", both],
        "Held back: the mode is read-only" + no_level,
    )
    assert told("mode", "write-only") == (
        ["on", "nothing"],
        "Held back: the mode is write-only" + no_level,
    )
    assert told("mode", "off") == (
        ["off by its mode", "nothing"],
        "Held back: the mode of this workspace is off." + end,
    )
    run("mode", "auto")
    assert told("mode", "off", "--session", "s-1")[1].endswith(
        "the mode of this session is off. `memex-mcp mode auto --session ID` ends the mode."
    )
    assert told("off") == (
        ["paused in the whole store", "nothing"],
        "Held back: memory is paused. `memex-mcp on` ends the pause.",
    )


@posix
def test_where_nothing_is_held_back_nothing_is_said_of_it(run: Run, root: Path) -> None:
    by_person("level", "on", "both")
    assert "Held back" not in run("level").out
    (root / "config.toml").write_text('[recall]\npolicy = "off"\n', encoding="utf-8")

    assert "only when asked" in run("level").out


def test_a_mode_is_of_the_workspace_or_of_one_session(run: Run) -> None:
    run("mode", "work")
    told = run("mode", "off", "--session", "s-1", "--json").json
    others = standing(run, "--session", "s-2")

    assert (told["mode"], told["mode_of"], told["allowed"]["read"]) == ("off", "session", False)
    assert (others["mode"], others["mode_of"]) == ("work", "workspace")
    assert others["allowed"]["family"] == "work"
    assert "work for this workspace" in run("mode").out


def test_a_mode_holds_back_commands_and_ends_by_another(run: Run) -> None:
    [written] = run("write", PORT).ids
    run("mode", "off")
    expect_told(run("write", "Another port."), "disabled")
    expect_told(run("open", written), "disabled")
    expect_told(run("list"), "disabled")
    searched = run("search", "staging database", "--json").json
    assert (searched["state"], searched["hits"]) == ("disabled", [])
    assert searched["hint"] == "the mode of this workspace is off"
    run("mode", "read-only")
    assert run("search", "staging database").ids == [written]
    expect_told(run("write", "Another port."), "denied")

    run("mode", "auto")

    assert run("write", "Another port.").ids
    assert run("open", written, "--json").json["text"] == PORT


def test_off_pauses_everything_and_on_ends_it(run: Run, tmp_path: Path) -> None:
    [written] = run("write", PORT).ids
    (tmp_path / "elsewhere").mkdir()
    elsewhere = ("--workspace", str(tmp_path / "elsewhere"))

    paused = run("off", "--json").json

    assert (paused["paused"], paused["allowed"]["why"]) == (True, "memory is paused")
    expect_told(run("open", written), "disabled")
    expect_told(run("write", PORT, *elsewhere), "disabled")
    assert "paused in the whole store" in run("status").out
    assert run("doctor").code == 0
    assert run("on", "--json").json["paused"] is False
    assert run("open", written).code == 0
    assert run("write", PORT, *elsewhere).ids


def test_the_commands_about_switches_work_while_memory_is_switched_off_from_outside(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("write", PORT)
    monkeypatch.setenv("MEMEX_DISABLED", "1")

    for command in ("level", "mode", "off", "on", "status", "doctor"):
        told = run(command)
        assert "MEMEX_DISABLED is set" in told.out + told.err, command
    assert "off: MEMEX_DISABLED is set" in run("level").out
    expect_told(run("write", "Another port."), "disabled")
    monkeypatch.delenv("MEMEX_DISABLED")
    assert run("write", "Another port.").ids


@posix
@card("levels.capped")
def test_what_the_environment_keeps_off_is_told_and_stays_off(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_person("level", "on", "l2")
    monkeypatch.setenv("MEMEX_MAX_LEVELS", "l3")

    refused = at_terminal("level", "on", "l2")
    shown, told = run("level").out, standing(run)

    assert "MEMEX_MAX_LEVELS keeps l2 off here" in refused.out
    assert "but MEMEX_MAX_LEVELS keeps it off" in shown
    assert (told["l2"] is not None, told["max_levels"]) == (True, "l3")
    assert told["allowed"]["spans"] is False
    monkeypatch.setenv("MEMEX_MAX_LEVELS", "l33")
    assert "MEMEX_MAX_LEVELS must be" in run("status").out
    expect_told(run("write", PORT), "disabled")
    monkeypatch.delenv("MEMEX_MAX_LEVELS")
    assert standing(run)["allowed"]["spans"] is True


@posix
def test_the_status_tells_levels_mode_capacity_and_origins(run: Run) -> None:
    run("write", PORT)
    by_person("level", "on", "l3")
    at_terminal("write", "The release branch is cut on Thursdays.")

    shown = dict(line.split("  ", 1) for line in run("status").out.splitlines() if "  " in line)
    told = run("status", "--json").json

    in_session = run("status", "--session", "s-1").out
    assert shown["L2 session"].strip() == "private to each session; off"
    assert "of 10 M tokens; off" in in_session
    assert "private to each session" not in in_session
    assert "of 100 M tokens; on since " in shown["L3 workspace"]
    assert (shown["mode"].strip(), shown["memory"].strip()) == ("auto by default", "on")
    assert shown["captures"].strip() == "checkpoints into L3"
    assert shown["from"].strip() == "2 cli"
    assert told["by_origin"] == {"cli": 2}
    capacities = {level["level"]: level["capacity_tokens"] for level in told["levels"]}
    assert capacities == {"L2": 10_000_000, "L3": 100_000_000}
    assert json.dumps(told["switches"]) in json.dumps(told)


def test_a_read_only_server_turns_no_level_on(run: Run) -> None:
    expect_told(run("serve", "--readonly", "--levels", "both"), "invalid")
