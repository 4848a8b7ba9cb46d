"""Five hundred conversations of five clients, a million tokens, taken in by the command."""

import contextlib
import itertools
import json
import os
import random
import sqlite3
import subprocess
import zlib
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.capture.places import CLIENTS
from memex_mcp.text import tokens
from tests.capture.homes import BEGAN, Exchange, write_conversation
from tests.cli.using import until
from tests.process import COMMAND
from tests.text.secret_samples import samples
from tests.whole.using import Place, piped

pytestmark = pytest.mark.timeout(1200)

SESSIONS = 500
TURNS = 4
TURNS_IN_ALL = SESSIONS * TURNS
REHEARSED = CLIENTS[0]
_LONG = 400.0
# fmt: off
WORDS = [
    "server", "client", "index", "query", "cursor", "branch", "deploy", "token", "buffer",
    "thread", "socket", "parser", "schema", "cache", "bucket", "worker", "queue", "retry",
    "budget", "ledger", "mirror", "vector", "digest", "router", "metric", "cluster",
]
# fmt: on


@dataclass(frozen=True, slots=True)
class People:
    """A home folder, what its conversations hold, and where they took place.

    Attributes:
        secrets: Those in the conversations of each client.
    """

    home: Path
    secrets: dict[str, list[str]]
    tokens: int


def talk(draw: random.Random) -> str:
    """About 160 tokens of words that all conversations share."""
    return " ".join(draw.choices(WORDS, k=160))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> People:
    folder = tmp_path_factory.mktemp("many")
    draw = random.Random(20_26)
    planted = itertools.cycle(samples(20_26))
    hidden: dict[str, list[str]] = {client: [] for client in CLIENTS}
    spent = 0
    for number in range(SESSIONS):
        client, turns = CLIENTS[number % len(CLIENTS)], []
        for turn in range(TURNS):
            # One in ten, and every client has some.
            chosen = turn == 1 and number % 10 == number // 10 % 10
            secret = next(planted) if chosen else None
            if secret is not None:
                hidden[client].append(secret.secret)
            told = f"{secret.text}\n" if secret else ""
            exchange = Exchange(
                f"What about item {number}-{turn}? {talk(draw)}",
                told + talk(draw),
                f"The answer to item {number}-{turn} is {number * 7919 + turn}. {talk(draw)}",
            )
            spent += sum(
                tokens.count(text).tokens
                for text in (exchange.asked, exchange.result, exchange.answered)
            )
            turns.append(exchange)
        project = folder / f"project-{number % 7}"
        project.mkdir(exist_ok=True)
        write_conversation(
            folder / "home",
            client,
            project,
            turns,
            session_id=f"s-{number}",
            at=BEGAN + timedelta(minutes=number),
        )
    return People(folder / "home", hidden, spent)


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of it: a rehearsal, two runs that were killed, the rest, and once more.

    Attributes:
        rehearsed: Of one client: for all of them it would be another million tokens.
        before: Turns that the killed runs archived.
        touched: The rehearsal left something behind.
    """

    root: Path
    rehearsed: Any
    touched: bool
    before: int
    rest: Any
    again: Any


@pytest.fixture(scope="module")
def taken(people: People, tmp_path_factory: pytest.TempPathFactory) -> Taken:
    root = tmp_path_factory.mktemp("taken") / "store"
    rehearsed = filled(root, people, REHEARSED, "--dry-run")
    touched = root.exists()
    for turns in (100, 900):
        killed_at(root, people, turns)
    before = archived(root)
    return Taken(root, rehearsed, touched, before, filled(root, people), filled(root, people))


def command(root: Path, people: People, *options: str) -> list[str]:
    where = ("--root", str(root), "--home", str(people.home), "--json")
    return [*COMMAND, "backfill", *where, *options]


def filled(root: Path, people: People, *options: str) -> Any:
    """Run the command through pipes; returns all clients together."""
    done = subprocess.run(
        command(root, people, *options),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=os.environ | {"HOME": str(people.home)},
        timeout=_LONG,
        check=True,
    )
    return json.loads(done.stdout)["total"]


def archived(root: Path) -> int:
    """Turns that the store knows; 0 while there is no store."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{root}/memex.db?mode=ro", uri=True)) as db:
            return int(db.execute("SELECT count(*) FROM capture_turn").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def killed_at(root: Path, people: People, turns: int) -> None:
    """Start the command and kill it once it archived so many turns."""
    with subprocess.Popen(
        command(root, people),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"HOME": str(people.home)},
    ) as process:
        until(process, lambda: archived(root) >= turns)
        process.kill()


def test_a_rehearsal_counts_exactly_and_leaves_nothing_behind(taken: Taken) -> None:
    sessions = SESSIONS // len(CLIENTS)

    assert not taken.touched
    assert taken.rehearsed["sessions"] == taken.rehearsed["new"] == sessions
    turns = taken.rehearsed["turns"]
    assert (turns["seen"], turns["new"], turns["known"]) == (sessions * TURNS, sessions * TURNS, 0)
    assert taken.rehearsed["left_out"] == turns["skipped"] == {}


def test_a_million_tokens_of_five_clients_are_taken_up_where_a_killed_run_was(
    people: People, taken: Taken
) -> None:
    turns = taken.rest["turns"]

    assert people.tokens >= 900_000
    assert (taken.rest["sessions"], turns["seen"]) == (SESSIONS, TURNS_IN_ALL)
    assert taken.rest["left_out"] == turns["skipped"] == {}
    assert 900 <= taken.before < TURNS_IN_ALL
    assert (turns["new"], turns["known"]) == (TURNS_IN_ALL - taken.before, taken.before)
    with contextlib.closing(sqlite3.connect(taken.root / "memex.db")) as db:
        kinds = dict(db.execute("SELECT kind, count(*) FROM record GROUP BY kind").fetchall())
    assert kinds == {"checkpoint": TURNS_IN_ALL, "span": TURNS_IN_ALL}


def test_once_more_adds_nothing(taken: Taken) -> None:
    turns = taken.again["turns"]

    assert (turns["new"], turns["known"], turns["records"]) == (0, TURNS_IN_ALL, 0)
    assert (taken.again["new"], taken.again["known"], turns["masked"]) == (0, SESSIONS, 0)


def test_the_first_search_answers_from_it(people: People, taken: Taken) -> None:
    place = Place(taken.root, people.home.parent / "project-3")

    hits = piped(place, "search", "What is the answer to item 10-2?")["hits"]

    assert "79192" in piped(place, "open", hits[0]["id"])["text"]
    assert {hit["kind"] for hit in hits} == {"checkpoint"}


def test_no_secret_is_in_the_store(people: People, taken: Taken) -> None:
    kept = b"".join(path.read_bytes() for path in taken.root.rglob("*") if path.is_file())
    with contextlib.closing(sqlite3.connect(taken.root / "memex.db")) as db:
        packed = db.execute("SELECT data FROM body UNION ALL SELECT data FROM event").fetchall()
    kept += b"".join(zlib.decompress(data) for (data,) in packed)

    secrets = [each for some in people.secrets.values() for each in some]
    assert len(secrets) == SESSIONS // 10
    assert min(map(len, people.secrets.values())) > 0
    assert taken.rehearsed["turns"]["masked"] >= len(people.secrets[REHEARSED])
    assert b"The answer to item 10-2" in kept
    shapes = {*secrets, *(json.dumps(each)[1:-1] for each in secrets)}
    assert [each for each in shapes if each.encode() in kept] == []
