"""Whatever a hook meets, it ends with 0, in silence, or with an answer that its client takes."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memex_mcp.store.lock import FileLock
from tests.card import card
from tests.cli.using import posix
from tests.frozen import freeze
from tests.hooks.payloads import CLIENTS, EVENTS, own_name
from tests.hooks.using import ANSWERED, ARCHIVED, NOTE, UNRELATED, Place, copied, make

# Every event with another client, so that each condition meets all of both.
PAIRS = list(zip(EVENTS, CLIENTS, strict=True))


@card("hooks.answer")
@pytest.mark.parametrize("client", CLIENTS)
def test_where_all_is_well_each_client_is_answered_and_archived(place: Place, client: str) -> None:
    told = {event: place.hook(client, event) for event in EVENTS}

    assert [event for event in EVENTS if told[event]] == list(ANSWERED)
    assert all(NOTE in told[event] for event in ANSWERED)
    # Two turns, by all three events that archive, and not one of them twice.
    assert place.archived(client) == ARCHIVED
    assert place.log() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_an_unrelated_prompt_brings_nothing_back(shared: Place, client: str) -> None:
    typed = shared.payload(client, "user-prompt-submit", prompt=UNRELATED)

    assert shared.hook(client, "user-prompt-submit", typed) == ""


def broken(shared: Place, client: str, event: str) -> dict[str, bytes]:
    """Payloads that say nothing, or that nobody can read."""
    good = shared.payload(client, event)
    return {
        "garbage": os.urandom(10_000),
        "empty": b"",
        "no object": b'["session-start"]',
        "cut off": good[:-20],
        "huge": b'{"prompt": "' + b"x" * 20_000_000 + b'"}',
        "deep": b'{"a":' * 50_000,
    }


@pytest.mark.parametrize(("event", "client"), PAIRS)
def test_what_is_no_payload_has_no_effect(place: Place, event: str, client: str) -> None:
    for name, typed in broken(place, client, event).items():
        told = place.hook(client, event, typed)

        # A session starts also where nobody says which.
        assert (NOTE in told) == (event == "session-start"), name
    assert place.archived(client) == []


@pytest.mark.parametrize(("event", "client"), PAIRS)
def test_a_payload_in_another_encoding_is_understood_or_has_no_effect(
    place: Place, event: str, client: str
) -> None:
    text = place.payload(client, event).decode("ascii")

    assert bool(place.hook(client, event, text.encode("utf-16"))) == (event in ANSWERED)
    spoilt = text.replace('"session', '"caf\xe9": 1, "session', 1).encode("latin-1")
    again = place.hook(client, event, spoilt)
    # The same prompt brings nothing back twice.
    assert bool(again) == (event == "session-start")


@pytest.mark.parametrize(("event", "client"), PAIRS)
def test_without_a_transcript_there_is_nothing_to_archive(
    place: Place, event: str, client: str
) -> None:
    typed = place.payload(client, event, transcript=place.folder / "gone.jsonl")

    assert bool(place.hook(client, event, typed)) == (event in ANSWERED)
    assert place.archived(client) == []
    assert place.log() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_an_event_that_is_not_known_has_no_effect(place: Place, client: str) -> None:
    typed = place.payload(client, "stop")
    unknown = typed.replace(own_name(client, "stop").encode(), b"PostToolUse")

    assert place.hook(client, "post-tool-use", unknown) == ""
    assert place.archived(client) == []
    assert place.hook(client, "stop", typed) == ""
    assert place.archived(client) != []


def test_a_locked_store_is_not_waited_for(place: Place) -> None:
    # They wait together, each for half of its time.
    with FileLock(place.root / "lock"), ThreadPoolExecutor(len(PAIRS)) as pool:
        told = list(pool.map(lambda pair: place.hook(pair[1], pair[0], timeout=12), PAIRS))

    # What cannot be noted as shown is not shown; a brief needs no note.
    assert [bool(each) for each in told] == [True, False, False, False, False]
    assert [place.archived(client) for client in CLIENTS] == [[]] * len(CLIENTS)
    lines = sorted(place.log(), key=lambda line: line.partition(" client=")[2])
    for line, client in zip(lines, sorted(CLIENTS), strict=True):
        assert re.search(rf" client={client} .* error=Unavailable code=unavailable ", line)
    for client in CLIENTS:
        place.hook(client, "stop")
        assert place.archived(client) == ARCHIVED


@posix
@pytest.mark.parametrize(("event", "client"), PAIRS)
def test_a_full_disk_leaves_the_store_as_it_was(place: Place, event: str, client: str) -> None:
    import resource

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    place.hook(client, event, before=fill)

    assert place.archived(client) == []
    place.hook(client, "stop")
    assert place.archived(client) != []


AS_NOBODY = """
import os, sys
from importlib import import_module
# Another user may not be able to read our libraries.
for name in ("session_start", "user_prompt", "pre_compact", "stop", "session_end"):
    import_module(f"memex_mcp.hooks.{name}")
for name in ("claude", "codex", "gemini", "qwen", "copilot"):
    import_module(f"memex_mcp.capture.clients.{name}")
for name in ("archive", "capture.reading", "injection", "retrieval.brief", "retrieval.previews"):
    import_module(f"memex_mcp.{name}")
from memex_mcp.profiles.loading import names, profile
for name in names():
    profile(name)
if os.geteuid() == 0:
    os.seteuid(65534)
from memex_mcp.cli import main
main(sys.argv[1:])
"""


@posix
def test_a_read_only_store_is_read_and_not_written(public: Path) -> None:
    place = make(public / "place")
    before = files(place.root)
    freeze(place.root)
    told = [
        place.hook(client, event, command=[sys.executable, "-c", AS_NOBODY])
        for event, client in PAIRS
    ]

    # That something was shown cannot be noted, so it is not shown; a brief needs no note.
    assert [bool(each) for each in told] == [True, False, False, False, False]
    assert files(place.root) == before


def files(root: Path) -> dict[str, bytes]:
    """Everything in a store but the files that SQLite makes to read it."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix not in (".db-wal", ".db-shm")
    }


def overwritten(database: Path) -> None:
    database.write_bytes(b"this was a database" * 500)


def damaged(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[100:] = b"\xaa" * (len(data) - 100)
    database.write_bytes(data)


def emptied(database: Path) -> None:
    database.write_bytes(b"")


@pytest.mark.parametrize("harm", [overwritten, damaged, emptied])
def test_a_database_that_is_none_has_no_effect(place: Place, harm: Callable[[Path], None]) -> None:
    for name in ("memex.db-wal", "memex.db-shm"):
        (place.root / name).unlink(missing_ok=True)
    harm(place.root / "memex.db")
    found = (place.root / "memex.db").read_bytes()

    for event, client in PAIRS:
        assert place.hook(client, event) == ""
    assert (place.root / "memex.db").read_bytes() == found


@pytest.mark.parametrize(("event", "client"), PAIRS)
def test_where_no_store_is_none_is_made(
    tmp_path: Path, shared: Place, event: str, client: str
) -> None:
    place = copied(shared, tmp_path / "own")
    shutil.rmtree(place.root)

    assert place.hook(client, event) == ""
    assert not place.root.exists()
    # A folder alone is no store either.
    place.root.mkdir()
    assert place.hook(client, event) == ""
    assert list(place.root.iterdir()) == []


def test_a_log_that_cannot_be_kept_changes_nothing(place: Place) -> None:
    (place.root / "logs").write_bytes(b"a file where the folder belongs")
    with FileLock(place.root / "lock"):
        assert place.hook("claude", "stop", timeout=2) == ""

    assert (place.root / "logs").read_bytes() == b"a file where the folder belongs"
