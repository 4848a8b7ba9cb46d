"""What a person does to the files of a store, and what the command makes of it."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.card import card
from tests.process import memex
from tests.whole.using import Place, by_person, person_writes, piped, rebuild, tree, wrote

PORT = "The staging database listens on port 5433."
BRANCH = "The release branch is cut on Thursdays."
WALDO = "The office dog is called Waldo."

terminal = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX")


def edit(place: Place, record_id: str, old: str, new: str) -> Path:
    """Change a record's file as an editor does: read it, write it anew."""
    path = file_of(place, record_id)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def file_of(place: Place, record_id: str) -> Path:
    (path,) = (place.root / "records").rglob(f"{record_id}.md")
    return path


def bytes_below(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@card("store.edits")
def test_an_edited_file_becomes_a_new_version_by_the_file_untrusted(place: Place) -> None:
    port, branch = wrote(place, PORT, "--tag", "ops"), wrote(place, BRANCH)
    edit(place, port, "port 5433", "port 6543")

    opened = piped(place, "open", port)
    untouched = piped(place, "open", branch)

    assert opened["text"] == "The staging database listens on port 6543."
    assert (opened["version"], opened["author"], opened["trust"]) == (2, "file", "untrusted")
    assert (opened["status"], opened["tags"], opened["client"]) == ("active", ["ops"], "file")
    assert [one["version"] for one in opened["revisions"]] == [1, 2]
    assert piped(place, "open", port, "--revision", "1")["text"] == PORT
    assert [hit["id"] for hit in piped(place, "search", "port 6543")["hits"]] == [port]
    assert (untouched["version"], untouched["author"]) == (1, "agent")
    assert memex("doctor", "--root", str(place.root), "--json").json["ok"]


@terminal
def test_an_edit_of_what_a_person_verified_waits_as_a_candidate(place: Place) -> None:
    theirs = person_writes(place, PORT)
    before = file_of(place, theirs).read_bytes()
    path = edit(place, theirs, "port 5433", "port 6543")

    opened = piped(place, "open", theirs)
    listed = piped(place, "list", "--all")["records"]

    assert (opened["text"], opened["version"]) == (PORT, 1)
    assert (opened["author"], opened["trust"], opened["status"]) == ("human", "verified", "active")
    assert path.read_bytes() == before
    [candidate] = [one for one in listed if one["id"] != theirs]
    assert (candidate["status"], candidate["author"]) == ("candidate", "file")
    assert piped(place, "open", candidate["id"])["text"].endswith("port 6543.")
    assert [hit["id"] for hit in piped(place, "search", "staging database")["hits"]] == [theirs]
    moved = by_person(place, "set-status", candidate["id"], "active", "--reason", "it moved")
    assert moved.code == 0, moved.out
    assert piped(place, "open", candidate["id"])["trust"] == "verified"


@card("store.quarantine")
def test_a_file_that_cannot_be_read_is_kept_aside_and_written_anew(place: Place) -> None:
    port = wrote(place, PORT)
    before = file_of(place, port).read_bytes()
    file_of(place, port).write_text("no front matter, my notes\n", encoding="utf-8")

    assert piped(place, "open", port)["text"] == PORT

    assert file_of(place, port).read_bytes() == before
    kept = [path.read_text(encoding="utf-8") for path in (place.root / "quarantine").glob("*.md")]
    assert kept == ["no front matter, my notes\n"]
    doctor = memex("doctor", "--root", str(place.root), "--json")
    assert doctor.code == 1
    assert [one["check"] for one in doctor.json["findings"] if not one["ok"]] == ["quarantine"]


def test_a_deleted_file_comes_back(place: Place) -> None:
    port = wrote(place, PORT)
    before = file_of(place, port).read_bytes()
    file_of(place, port).unlink()

    assert len(piped(place, "list")["records"]) == 1

    assert file_of(place, port).read_bytes() == before


@card("store.dual")
@terminal
def test_the_files_alone_give_back_records_history_statuses_and_refusals(place: Place) -> None:
    ids = furnish(place)
    private = Place(place.root, place.project, "private-session")
    ids["private"] = wrote(private, "Only this session knows.", "--scope", "session")
    before = {name: piped(private, "open", record_id) for name, record_id in ids.items()}
    old = piped(place, "open", ids["revised"], "--revision", "1")["text"]
    for path in place.root.glob("memex.db*"):
        path.unlink()

    reading = memex("search", "port", *place.arguments, "--json")
    assert reading.code == 1
    assert reading.json["error"]["code"] == "damaged"
    assert "rebuild --from-files" in reading.json["error"]["hint"]
    report = rebuild(place, "--from-files")

    assert (report["records"], report["tombstones"], report["unverified"]) == (len(ids), 1, 1)
    assert report["quarantined"] == []
    after = {name: piped(private, "open", record_id) for name, record_id in ids.items()}
    for name in ids:
        assert _lasting(after[name]) == _unproven(_lasting(before[name])), name
    assert piped(place, "open", ids["revised"], "--revision", "1")["text"] == old
    assert piped(place, "write", WALDO.upper())["error"]["code"] == "refused"
    assert piped(place, "write", "The office cat is called Wilma.")["outcome"] == "created"
    assert [hit["id"] for hit in piped(place, "search", "6543")["hits"]] == [ids["revised"]]
    assert piped(place, "search", "session knows")["hits"] == []
    assert memex("doctor", "--root", str(place.root), "--json").json["ok"]


@card("store.files")
@terminal
def test_the_database_alone_gives_back_the_same_files(place: Place) -> None:
    ids = furnish(place)
    before = bytes_below(place.root / "records")
    shutil.rmtree(place.root / "records")

    report = rebuild(place, "--files")

    assert report == {"files": len(ids)}
    assert bytes_below(place.root / "records") == before
    assert len(before) > len(ids)
    assert memex("doctor", "--root", str(place.root), "--json").json["ok"]


@card("doctor.harmless")
@terminal
def test_doctor_changes_nothing_whatever_it_finds(place: Place) -> None:
    ids = furnish(place)
    sound = tree(place.root)
    assert memex("doctor", "--root", str(place.root)).code == 0
    assert tree(place.root) == sound

    edit(place, ids["branch"], "Thursdays", "Fridays")
    file_of(place, ids["revised"]).unlink()
    (place.root / "records" / "stray.md").write_text("stray", encoding="utf-8")
    (place.root / "README.md").chmod(0o644)
    broken = tree(place.root)
    doctor = memex("doctor", "--root", str(place.root), "--json")

    assert doctor.code == 1
    bad = {one["check"] for one in doctor.json["findings"] if not one["ok"]}
    assert bad == {"permissions", "files"}
    assert tree(place.root) == broken


def furnish(place: Place) -> dict[str, str]:
    """Records of every status, one with a history, one verified, one value refused."""
    ids = {"revised": wrote(place, PORT, "--tag", "ops"), "branch": wrote(place, BRANCH)}
    piped(place, "write", PORT.replace("5433", "6543"), "--id", ids["revised"])
    ids["verified"] = person_writes(place, "Deploys need two reviewers.")
    ids["replaced"] = wrote(place, "The linter is flake8.")
    ids["replacing"] = wrote(place, "The linter is ruff now.", "--supersedes", ids["replaced"])
    ids["candidate"] = wrote(place, "One reviewer is enough.", "--supersedes", ids["verified"])
    ids["disputed"] = wrote(place, "Builds take ten minutes.")
    ids["archived"] = wrote(place, "The old wiki was shut down.")
    ids["wrong"] = wrote(place, WALDO)
    ids["overtaken"] = wrote(place, "Staging is wiped on Mondays.")
    overtaken = ("--reason", "no more", "--superseded-by", ids["revised"])
    piped(place, "set-status", ids["overtaken"], "superseded", *overtaken)
    for name, status in (("disputed",) * 2, ("archived",) * 2, ("wrong", "retracted")):
        moved = piped(place, "set-status", ids[name], status, "--reason", "so it is")
        assert moved["to"] == status, moved
    return ids


def _lasting(opened: Any) -> Any:
    """What of an opened record does not change by opening it."""
    return {
        name: value
        for name, value in opened.items()
        if name not in ("opened_count", "last_opened_at")
    }


def _unproven(opened: Any) -> Any:
    """What files alone give back of it: what a person said, but not that it was a person."""
    words = json.dumps(opened)
    return json.loads(words.replace('"human"', '"file"').replace('"verified"', '"untrusted"'))
