"""A program that writes record files and has the database rebuilt gains nothing by it."""

import hashlib
import os
import re
from pathlib import Path

import pytest

from tests.process import memex
from tests.whole.using import Place, by_person, person_writes, piped, rebuild, wrote

PORT = "The staging database listens on port 5433."
BRANCH = "The release branch is cut on Thursdays."
KEY = "ghp_" + "a1B2" * 9

terminal = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX")


def forge(place: Place, record_id: str, body: str, **fields: str) -> Path:
    """Give a record's file another body and other fields, and hashes to match."""
    (path,) = (place.root / "records").rglob(f"{record_id}.md")
    head = path.read_text(encoding="utf-8").split("\n---\n")[0]
    digest = hashlib.sha256(body.encode()).hexdigest()
    for name, value in ({"body_sha256": digest} | fields).items():
        head, found = re.subn(rf"(?m)^{name}: .*$", f"{name}: {value}", head)
        assert found == 1, name
    path.write_text(f"{head}\n---\n{body}", encoding="utf-8")
    return path


def lose(place: Place) -> None:
    for path in place.root.glob("memex.db*"):
        path.unlink()


def aside(place: Place) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in (place.root / "quarantine").glob("*.md")]


MARKS = {"version": "5", "trust": "verified", "author": "human"}


def test_marks_and_secrets_in_a_file_do_not_enter_beside_a_readable_database(place: Place) -> None:
    port, branch = wrote(place, PORT), wrote(place, BRANCH)
    path = forge(place, port, f"The key is {KEY}.", **MARKS)

    report = rebuild(place, "--from-files")

    opened, untouched = piped(place, "open", port), piped(place, "open", branch)
    assert (report["records"], report["unverified"], report["quarantined"]) == (2, 0, [])
    assert (opened["version"], opened["author"], opened["trust"]) == (2, "file", "untrusted")
    assert opened["text"] == "The key is [MASKED:github-token]."
    assert piped(place, "open", port, "--revision", "1")["text"] == PORT
    assert (untouched["version"], untouched["author"]) == (1, "agent")
    assert KEY not in path.read_text(encoding="utf-8")
    assert memex("doctor", "--root", str(place.root), "--json").json["ok"]


def test_a_file_that_no_record_has_does_not_become_one(place: Place) -> None:
    port, gone = wrote(place, PORT), wrote(place, BRANCH)
    (path,) = (place.root / "records").rglob(f"{gone}.md")
    other = gone[:-1] + ("0" if gone[-1] != "0" else "1")
    text = path.read_text(encoding="utf-8").replace(gone, other).replace("Thursdays", "Fridays")
    path.with_name(f"{other}.md").write_text(text, encoding="utf-8")

    report = rebuild(place, "--from-files")

    assert (report["records"], len(report["quarantined"])) == (2, 1)
    assert aside(place) == [text]
    assert piped(place, "open", other)["error"]["code"] == "not_found"
    assert [piped(place, "open", one)["version"] for one in (port, gone)] == [1, 1]


def test_a_withdrawn_value_does_not_come_back_by_file_and_rebuild(place: Place) -> None:
    wrong, port = wrote(place, BRANCH), wrote(place, PORT)
    piped(place, "set-status", wrong, "retracted", "--reason", "never true")
    forge(place, port, "It is as ever.", title=f'"{BRANCH.upper()}"')

    report = rebuild(place, "--from-files")

    assert ["withdrawn here" in line for line in report["quarantined"]] == [True]
    assert piped(place, "open", port)["text"] == PORT
    forge(place, port, "It is as ever.", title=f'"{BRANCH.upper()}"')
    lose(place)
    assert memex("rebuild", "--from-files", "--root", str(place.root)).code == 0
    assert piped(place, "open", port)["status"] == "retracted"
    assert piped(place, "search", "release branch")["hits"] == []


@terminal
def test_what_a_person_said_is_not_changed_by_its_file(place: Place) -> None:
    theirs = person_writes(place, PORT)
    forge(place, theirs, "The staging database listens on port 1.", version="5")

    report = rebuild(place, "--from-files")

    opened = piped(place, "open", theirs)
    assert (opened["text"], opened["version"]) == (PORT, 1)
    assert (opened["author"], opened["trust"]) == ("human", "verified")
    assert ["a person stands behind" in line for line in report["quarantined"]] == [True]
    assert ["port 1." in text for text in aside(place)] == [True]


@terminal
def test_files_alone_leave_no_record_verified_until_a_person_says_so_again(place: Place) -> None:
    theirs, agents = person_writes(place, PORT), wrote(place, BRANCH)
    forge(place, agents, f"The key is {KEY}.", **MARKS)
    lose(place)

    report = rebuild(place, "--from-files")

    assert (report["records"], report["unverified"]) == (2, 2)
    for record_id in (theirs, agents):
        opened = piped(place, "open", record_id)
        assert (opened["author"], opened["trust"]) == ("file", "untrusted")
    assert piped(place, "open", agents)["text"] == "The key is [MASKED:github-token]."
    assert piped(place, "open", theirs)["text"] == PORT
    confirmed = by_person(place, "write", PORT)
    assert confirmed.code == 0, confirmed.out
    assert piped(place, "open", theirs)["trust"] == "verified"
