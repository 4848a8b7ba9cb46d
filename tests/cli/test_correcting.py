"""``set-status`` and ``tombstones``, and who may do what."""

import pytest

from memex_mcp.cli.columns import columns
from tests.card import card
from tests.cli.using import Run, expect_told, posix
from tests.process import at_terminal, memex

PORT = "The staging database listens on port 5433."
NEW = "The staging database listens on port 6543."
RULE = "The release branch is cut on Thursdays."


def test_a_correction_is_told_to_people_and_programs(run: Run) -> None:
    [one], [two] = run("write", PORT).ids, run("write", RULE).ids

    spoken = run("set-status", one.lower(), "disputed", "--reason", "saw another port")
    written = run("set-status", two, "retracted", "--reason", "never true", "--json")

    assert (spoken.code, spoken.out) == (0, f"{one}: active -> disputed\n")
    assert written.json == {"id": two, "from": "active", "to": "retracted"}


def test_a_successor_is_named(run: Run) -> None:
    old, new = run("write", PORT).ids[0], run("write", NEW).ids[0]
    move = ("set-status", old, "superseded", "--reason", "moved")

    expect_told(run(*move), "invalid")
    ran = run(*move, "--superseded-by", new.lower())

    assert ran.out == f"{old}: active -> superseded, replaced by {new}\n"


def test_withdrawn_statements_are_listed_and_counted(run: Run) -> None:
    assert run("tombstones").out == "No statement is refused here.\n"
    assert run("tombstones", "--json").json == []
    [wrong] = run("write", PORT).ids
    moved = run("set-status", wrong, "retracted", "--reason", "never true")
    for text in (PORT, PORT.upper()):
        expect_told(run("write", text), "refused")

    shown = run("tombstones").out.splitlines()
    [grave] = run("tombstones", "--json").json

    assert "memex-mcp tombstones lists it" in moved.out
    assert shown[0] == "never true"
    assert shown[1] == f"  {grave['value_key'][:12]} · standing · refused 2 times"
    assert shown[2].startswith(f"  {wrong} · withdrawn 20")
    assert (grave["record_id"], grave["refused"], grave["lifted_at"]) == (wrong, 2, None)
    assert PORT.lower() not in str(grave).lower()


@posix
def test_a_person_at_a_terminal_is_human_and_verified(run: Run) -> None:
    ran = at_terminal("write", PORT)
    piped = memex("write", RULE)

    assert (ran.code, ran.out) == (0, f"created {ran.ids[0]} (active, verified, workspace)\n")
    mine, theirs = (run("open", found.ids[0], "--json").json for found in (ran, piped))
    assert (mine["author"], mine["trust"]) == ("human", "verified")
    assert (theirs["author"], theirs["trust"]) == ("agent", "untrusted")


@posix
def test_a_person_may_type_the_statement(run: Run) -> None:
    ran = at_terminal("write", "-", typed=f"{PORT}\n\x04")

    assert ran.code == 0
    assert "Ctrl-D" in ran.out
    read = run("open", ran.ids[0], "--json").json
    assert (read["text"], read["trust"]) == (f"{PORT}\n", "verified")


@posix
@pytest.mark.parametrize("redirection", ["</dev/null", "| cat"])
def test_half_a_terminal_is_no_person(run: Run, redirection: str) -> None:
    ran = at_terminal("write", PORT, shell=f'"$@" {redirection}')

    assert ran.code == 0
    record = run("open", ran.ids[0], "--json").json
    assert (record["author"], record["trust"]) == ("agent", "untrusted")


@card("tombstone.lift")
@posix
def test_only_a_person_lifts_a_tombstone(run: Run) -> None:
    [wrong] = run("write", PORT).ids
    run("set-status", wrong, "retracted", "--reason", "never true")
    key = run("tombstones", "--json").json[0]["value_key"]

    piped = memex("tombstones", "lift", key[:12])
    short = at_terminal("tombstones", "lift", key[:4])
    refused = memex("write", PORT)
    lifted = at_terminal("tombstones", "lift", key[:12].upper())

    expect_told(piped, "denied")
    assert piped.err.startswith("denied: only a person lifts a tombstone. Ask the user to run")
    assert (short.code, short.out.startswith("not_found: ")) == (1, True)
    expect_told(refused, "refused")
    assert (lifted.code, f"{key[:12]} · lifted · " in lifted.out) == (0, True)
    assert memex("write", PORT).code == 0
    assert " · lifted · " in run("tombstones").out


@posix
def test_only_a_person_accepts_and_changes_what_a_person_wrote(run: Run) -> None:
    [theirs] = at_terminal("write", PORT).ids
    proposed = memex("write", NEW, "--supersedes", theirs)
    [candidate] = proposed.ids
    accept = ("set-status", candidate, "active", "--reason", "right")
    retract = ("set-status", theirs, "retracted", "--reason", "I know better")

    accepted_by_agent, retracted_by_agent = memex(*accept), memex(*retract)
    accepted = at_terminal(*accept)

    assert proposed.out.startswith(f"candidate {candidate} (candidate, untrusted, workspace)\n")
    expect_told(accepted_by_agent, "denied")
    expect_told(retracted_by_agent, "denied")
    assert "only a person moves a record from candidate to active" in accepted_by_agent.err
    assert "a person stands behind this record" in retracted_by_agent.err
    assert (accepted.code, accepted.out) == (0, f"{candidate}: candidate -> active\n")
    assert run("open", candidate, "--json").json["trust"] == "verified"


@posix
def test_a_terminal_gets_lines_that_fit_and_no_colour() -> None:
    text = "部署前必须先跑 make smoke，否则网关会拒绝新版本；这条规则适用于所有环境，" * 3
    [record_id] = at_terminal("write", text, "--tag", "部署", "--source", "ops.md:12").ids
    for arguments in (("list",), ("search", "部署"), ("open", record_id), ("status",), ("doctor",)):
        ran = at_terminal(*arguments, columns=60)
        piped = memex(*arguments)

        shown = ran.out.translate({0x1B: None})
        for mark in ("[1m", "[2m", "(B", "[m", "[0m"):
            shown = shown.replace(mark, "")
        assert ran.code == 0
        assert max(map(columns, shown.splitlines())) <= 60
        assert "[" not in shown.replace("[ok", "")
        assert "\x1b" not in piped.out


@posix
def test_a_dumb_terminal_gets_plain_text() -> None:
    at_terminal("write", PORT)

    plain, styled = at_terminal("list", env={"TERM": "dumb"}), at_terminal("list")

    assert plain.out.splitlines()[0] == PORT
    assert "\x1b" not in plain.out
    assert styled.out.splitlines()[0] != PORT


@posix
def test_what_a_record_holds_cannot_steer_the_terminal(run: Run) -> None:
    attack = "\x1b]0;owned\x07\x1b[2Jheron\x9b31m\u202eledger\r"
    [record_id] = memex("write", "-", typed=f"Note {attack} end").ids
    for arguments in (("list",), ("search", "note end"), ("open", record_id)):
        plain, as_json = memex(*arguments), memex(*arguments, "--json")

        for ran in (plain, as_json):
            assert ran.code == 0
            assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(ran.out)
        assert "heron" in plain.out
        assert "heron" in as_json.out
    assert memex("open", record_id, "--json").json["text"] == f"Note {attack} end"
    assert "\\x1b]0;owned\\x07" in run("open", record_id).out
