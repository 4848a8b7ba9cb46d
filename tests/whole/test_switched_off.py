"""Levels are for good, and off is off: asked of the real surfaces, each process by itself."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from tests.card import card
from tests.process import memex
from tests.whole.using import Place, Server, by_person, piped, rebuild, tree, wrote

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a person needs a pseudo-terminal")

PORT = "The staging database listens on port 5433."
OTHER = "The staging database moves on Mondays."
CALLS: dict[str, dict[str, object]] = {
    "memory_open": {},
    "memory_write": {"text": OTHER},
    "memory_set_status": {"status": "disputed", "reason": "not sure"},
    "memory_grep": {"pattern": "port"},
    "memory_index": {},
    "memory_link": {"relation": "related"},
    "memory_stats": {},
}
URIS = ("memory://catalog", "memory://record/{id}", "memory://window/staging")


def database(place: Place) -> list[str]:
    with contextlib.closing(sqlite3.connect(place.root / "memex.db")) as db:
        return list(db.iterdump())


def records(place: Place) -> dict[str, tuple[int, int, str]]:
    return tree(place.root / "records")


def uris(server: Server) -> list[str]:
    """What the list of resources names."""
    return [each["uri"] for each in server.ask("resources/list")["result"]["resources"]]


def arguments(tool: str, one: str) -> dict[str, object]:
    given = dict(CALLS[tool])
    if tool in ("memory_open", "memory_set_status"):
        given["id"] = one
    if tool == "memory_link":
        given |= {"from": one, "to": one}
    return given


@card("levels.sticky")
def test_what_is_on_stays_on_through_refusals_restarts_and_rebuilds(place: Place) -> None:
    wrote(place, PORT)
    assert by_person(place, "level", "on", "l3").code == 0
    on = piped(place, "level")["l3"]
    archive = records(place)

    for level in ("l2", "l3", "both"):
        assert piped(place, "level", "off", level)["error"]["code"] == "denied"
        refused = by_person(place, "level", "off", level)
        assert (refused.code, "sticky" in refused.out) == (1, True)
    with Server(place, "--structured", "--levels", "none") as server:
        assert server.found("staging database")
        assert server.status()["switches"]["l3"] == on is not None
    assert piped(place, "level")["l3"] == on
    assert records(place) == archive
    rebuild(place, "--index")
    assert piped(place, "level")["l3"] == on
    rebuild(place, "--from-files")
    assert piped(place, "level")["l3"] == on
    assert piped(place, "level")["allowed"]["checkpoints"] == "workspace"


@card("levels.off")
def test_a_session_that_is_switched_off_while_its_server_runs_reads_and_writes_nothing(
    place: Place,
) -> None:
    one = wrote(place, PORT)
    mine, sibling = (Place(place.root, place.project, name) for name in ("s-1", "s-2"))
    by_person(place, "level", "on", "both")
    options = ("--structured", "--all-tools")
    with Server(mine, *options) as off, Server(sibling, *options) as on:
        assert off.found("staging database") == on.found("staging database") == [one]
        assert piped(mine, "mode", "off")["mode_of"] == "session"
        before, lying = database(place), records(place)

        for tool in CALLS:
            assert off.code(tool, **arguments(tool, one)) == "disabled", tool
        searched = off.call("memory_search", query="staging database")
        assert (searched["state"], searched["hits"]) == ("disabled", [])
        for uri in URIS:
            told = str(off.ask("resources/read", uri=uri.format(id=one)))
            assert ("5433" not in told, "is off" in told) == (True, True), uri
        assert uris(off) == ["memory://status"]
        for command in (["open", one], ["write", OTHER], ["list"], ["grep", "port"]):
            assert piped(mine, *command)["error"]["code"] == "disabled", command
        assert piped(mine, "search", "staging")["state"] == "disabled"
        assert piped(mine, "status")["switches"]["allowed"]["why"].endswith("session is off")
        assert off.status()["switches"]["mode"] == "off"
        assert (database(place), records(place)) == (before, lying)

        assert on.found("staging database") == [one]
        assert on.call("memory_open", id=one)["text"] == PORT
        assert on.code("memory_write", text=OTHER) == "ok"
        for uri in URIS:
            assert "result" in on.ask("resources/read", uri=uri.format(id=one)), uri
        assert f"memory://record/{one}" in uris(on)
        assert piped(sibling, "open", one)["text"] == PORT
        piped(mine, "mode", "auto")
        assert off.call("memory_open", id=one)["text"] == PORT


def test_the_master_switch_reaches_every_server_of_the_store_at_once(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Place(place.root, tmp_path / "elsewhere")
    one = wrote(place, PORT)
    with Server(place, "--structured") as here, Server(elsewhere, "--structured") as there:
        assert there.code("memory_write", text=OTHER) == "ok"
        piped(place, "off")
        before = database(place)

        for server in (here, there):
            assert server.code("memory_write", text="Anything else.") == "disabled"
            assert server.call("memory_search", query="staging")["state"] == "disabled"
            assert server.status()["switches"]["paused"] is True
        assert here.code("memory_open", id=one) == "disabled"
        assert database(place) == before

        piped(place, "on")
        assert here.call("memory_open", id=one)["text"] == PORT
        assert there.code("memory_write", text="Anything else.") == "ok"


@card("levels.corrupt")
def test_a_setting_that_was_tampered_with_means_off_and_the_doctor_says_what_to_do(
    place: Place,
) -> None:
    one = wrote(place, PORT)
    by_person(place, "level", "on", "both")
    piped(place, "mode", "work")
    with Server(place, "--structured") as server:
        assert server.code("memory_open", id=one) == "ok"
        with contextlib.closing(sqlite3.connect(place.root / "memex.db")) as db:
            db.execute("UPDATE setting SET value = 'wrok' WHERE key = 'mode'")
            db.commit()

        assert server.code("memory_open", id=one) == "disabled"
        assert server.code("memory_write", text=OTHER) == "disabled"
        allowed = server.status()["switches"]["allowed"]
        assert (allowed["spans"], allowed["checkpoints"], allowed["recall"]) == (False, None, False)
        told = memex("doctor", "--root", str(place.root))
        assert told.code == 1
        assert "memex-mcp mode auto" in told.out

        piped(place, "mode", "auto")
        assert server.code("memory_open", id=one) == "ok"
    assert memex("doctor", "--root", str(place.root)).code == 0
    assert piped(place, "level")["allowed"]["spans"] is True


def test_a_fresh_install_captures_nothing_and_no_pipe_turns_a_level_on(place: Place) -> None:
    with Server(place, "--structured") as server:
        assert server.code("memory_write", text=PORT) == "ok"
        before = server.call("memory_search", query="staging")["searched"]
        for level in ("l2", "l3", "both"):
            assert piped(place, "level", "on", level)["error"]["code"] == "denied"
        switched = server.status()["switches"]

    assert (switched["l2"], switched["l3"], switched["allowed"]["why"]) == (
        None,
        None,
        "no level is on",
    )
    assert before == {"hot": 1, "cold": 0}
    assert piped(place, "status")["by_origin"] == {"tool": 1}
