"""Hooks as real processes, and a store that has something for each of them to do."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Kind, Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.record import Draft
from memex_mcp.settings import Settings
from tests.capture.homes import Exchange, write_conversation
from tests.hooks.payloads import CLIENTS, SESSION, context, payload
from tests.process import COMMAND, DEADLINE

NOTE = "The staging database listens on port 5433."
PROMPT = "Which port does the staging database listen on?"
UNRELATED = "Please sort the imports of the parser module alphabetically."
ANSWERED = ("session-start", "user-prompt-submit")
ARCHIVED = ["checkpoint", "checkpoint", "span", "span"]
"""What becomes of the two turns of each conversation."""


TURNS = (
    Exchange("Where do the nightly backups go?", "s3://backups", "They go to the Lisbon bucket."),
    Exchange("And how long are they kept?", "retention: 30", "For thirty days."),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A store, a project, and a conversation of each client about the project."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "store"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def transcript(self, client: str) -> Path:
        return Path((self.folder / client).read_text(encoding="utf-8"))

    def payload(self, client: str, event: str, **over: Any) -> bytes:
        """What a client writes to its hook in this place."""
        given: dict[str, Any] = {
            "cwd": self.project,
            "transcript": self.transcript(client),
            "prompt": PROMPT,
            "session": session(client),
        }
        return json.dumps(payload(client, event, **(given | over))).encode("utf-8")

    def hook(self, client: str, event: str, typed: bytes | None = None, **how: Any) -> str:
        """Run a hook; returns what reaches the model, having looked at all that is promised."""
        typed = self.payload(client, event) if typed is None else typed
        return context(client, event, run(self, client, event, typed, **how))

    def memory(self) -> Memory:
        return Memory(Settings(home=self.root))

    def person(self, memory: Memory) -> Caller:
        return memory.caller(
            Evidence(surface=Surface.CLI, client="cli", workspace=self.project, human=True)
        )

    def archived(self, client: str) -> list[Kind]:
        """Kinds of the records that the client's session sees, notes left out."""
        with closing(self.memory()) as memory:
            asking = memory.caller(
                Evidence(
                    surface=Surface.TOOL,
                    client=client,
                    workspace=self.project,
                    session_id=session(client),
                )
            )
            records = memory.listing(asking, every=True, limit=200).records
        return sorted(record.kind for record in records if record.kind is not Kind.NOTE)

    def rows(self) -> dict[str, int]:
        """How many rows every table has."""
        with closing(sqlite3.connect(self.root / "memex.db")) as db:
            tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return {
                name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                for (name,) in tables
            }

    def log(self) -> list[str]:
        """Lines of the log of failures."""
        file = self.root / "logs" / "hooks.log"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def session(client: str) -> str:
    return f"{client}-{SESSION}"


def make(folder: Path) -> Place:
    """A store with a note, and both levels on; then a conversation of each client."""
    place = Place(folder)
    place.project.mkdir(parents=True)
    with closing(place.memory()) as memory:
        person = place.person(memory)
        for level in Level:
            memory.switches.turn_on(level, person)
        memory.write(Draft(text=NOTE), person)
    # What was said before a level was on is not archived.
    at = datetime.now(UTC) + timedelta(seconds=1)
    for client in CLIENTS:
        file = write_conversation(
            folder / "home", client, place.project, TURNS, session_id=session(client), at=at
        )
        (folder / client).write_text(str(file), encoding="utf-8")
    return place


def copied(place: Place, folder: Path) -> Place:
    """The same store in another folder; project and conversations stay where they are."""
    folder.mkdir()
    (folder / "project").symlink_to(place.project)
    for client in CLIENTS:
        shutil.copy(place.folder / client, folder / client)
    shutil.copytree(place.root, folder / "store")
    return Place(folder)


def run(
    place: Place,
    client: str,
    event: str,
    typed: bytes,
    *,
    command: Sequence[str] = COMMAND,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
    timeout: float = 30,
) -> str:
    """Run a hook to its own end: exit code 0 and nothing on stderr; returns its output."""
    options = ["--client", client, "--root", str(place.root), "--timeout", str(timeout)]
    done = subprocess.run(
        [*command, "hook", event, *options],
        input=typed,
        capture_output=True,
        cwd=place.project,
        env=os.environ | {"PYTHONWARNINGS": "default"} | dict(env or {}),
        preexec_fn=before,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode("utf-8")
