"""What is interrupted: each operation, and the store it needs."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from memex_mcp.gate import Gate
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Status, Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.query import Written
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.policy.admission import admit
from memex_mcp.settings import Settings
from memex_mcp.store import audit, index, mirror, records
from memex_mcp.store.connect import open_writer
from memex_mcp.store.database import Database
from memex_mcp.store.home import DATABASE, LOCK
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import migrate
from memex_mcp.store.schema import MIGRATIONS
from tests.claude_file import SESSION, ClaudeFile
from tests.make import make_record

OLD = "The staging database listens on port 5433."
NEW = "The staging database listens on port 6543 since the move."
THEIRS = "Releases are cut on Thursdays, never on a Friday."
WRONG = "The office dog is called Waldo."

UPGRADE = """
ALTER TABLE record ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
CREATE TABLE setting_new(
  owner TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, updated_at INTEGER NOT NULL,
  note TEXT NOT NULL DEFAULT '', PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
INSERT INTO setting_new(owner, key, value, updated_at) SELECT * FROM setting;
DROP TABLE setting;
ALTER TABLE setting_new RENAME TO setting;
UPDATE record SET mood = 'bright' WHERE status = 'active';
"""
"""A next schema: a column is added and filled, a table is rebuilt."""


@dataclass(frozen=True, slots=True)
class Site:
    """A store, the folder that is worked in, and the ids of what was prepared."""

    home: Path
    project: Path

    def ids(self) -> dict[str, str]:
        """Ids by the name of the text."""
        found: dict[str, str] = json.loads(self._ids.read_text(encoding="utf-8"))
        return found

    def keep_ids(self, ids: dict[str, str]) -> None:
        """Remember ids for the processes to come."""
        self._ids.write_text(json.dumps(ids), encoding="utf-8")

    @property
    def transcript(self) -> Path:
        """What is captured."""
        return self.project / f"{SESSION}.jsonl"

    @property
    def _ids(self) -> Path:
        return self.project / "ids.json"

    def memory(self) -> Memory:
        """The store, not opened yet."""
        return Memory(Settings(home=self.home))

    def caller(self, client: str = "victim", *, human: bool = False) -> Caller:
        """Who works in the folder."""
        surface = Surface.CLI if human else Surface.TOOL
        return self.memory().caller(
            Evidence(surface=surface, client=client, workspace=self.project, human=human)
        )


@dataclass(frozen=True, slots=True)
class Operation:
    """One kind of change.

    Attributes:
        prepare: Changes the store it needs beforehand; None when it needs no store at all.
        redone: A process that refreshes the store carries it out, whoever began it.
        upgrades: The store may afterwards be ahead of this version of the program.
        again: Carried out once more, it makes good what was interrupted and nothing else.
    """

    run: Callable[[Site], None]
    prepare: Callable[[Site], None] | None
    redone: bool = False
    upgrades: bool = False
    again: bool = False


def furnish(site: Site) -> None:
    """A store with four records: one with a history, one verified, one withdrawn."""
    memory = site.memory()
    agent, person = site.caller(), site.caller(human=True)
    first = memory.write(Draft(text="To be revised.", dedupe_key="port"), agent)
    ids = {
        "old": memory.write(Draft(text=OLD, id=first.id, tags=("ops",)), agent).id,
        "theirs": memory.write(Draft(text=THEIRS), person).id,
        "wrong": memory.write(Draft(text=WRONG), agent).id,
    }
    memory.set_status(ids["wrong"], Status.RETRACTED, agent, reason="it was a joke")
    memory.close()
    site.keep_ids(ids)


def _write(site: Site, *, human: bool = False, **draft: Any) -> None:
    memory = site.memory()
    memory.write(Draft(**draft), site.caller(human=human))
    memory.close()


def _create(site: Site) -> None:
    _write(site, text=NEW, title="Staging port", aliases=("staging postgres",))


def _revise(site: Site) -> None:
    _write(site, text=NEW, id=site.ids()["old"])


def _supersede(site: Site) -> None:
    _write(site, text=NEW, supersedes=site.ids()["old"])


def _reinforce(site: Site) -> None:
    _write(site, text=OLD.upper())


def _propose(site: Site) -> None:
    _write(site, text=NEW, supersedes=site.ids()["theirs"])


def _retract(site: Site) -> None:
    memory = site.memory()
    memory.set_status(site.ids()["old"], Status.RETRACTED, site.caller(), reason="wrong")
    memory.close()


def _restore(site: Site) -> None:
    """A person takes a withdrawal back, which lifts its tombstone."""
    memory = site.memory()
    person = site.caller(human=True)
    memory.set_status(site.ids()["wrong"], Status.ACTIVE, person, reason="it is true")
    memory.close()


def _refused(site: Site) -> None:
    """A refusal is counted and audited, so it is a change as well."""
    memory = site.memory()
    caller = site.caller()
    # Which error it ends with is tested elsewhere.
    with contextlib.suppress(Exception):
        memory.write(Draft(text=WRONG), caller)
    memory.close()


def _edit_file(site: Site, name: str) -> None:
    (path,) = site.home.rglob(f"{site.ids()[name]}.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("port 5433", "port 7777").replace("Friday", "Monday"), "utf-8")


def _take_edits(site: Site) -> None:
    memory = site.memory()
    memory.refresh()
    memory.close()


def _upgrade(site: Site) -> None:
    steps = (*MIGRATIONS, UPGRADE)
    with FileLock(site.home / LOCK), contextlib.closing(raw(site)) as db:
        migrate(db, site.home, steps)


def _talk(site: Site) -> None:
    """A transcript whose turns are to be archived in both levels."""
    furnish(site)
    memory, person = site.memory(), site.caller(human=True)
    for level in Level:
        memory.switches.turn_on(level, person)
    memory.close()
    talk = ClaudeFile(site.transcript, site.project, began=now() + timedelta(seconds=1))
    talk.turn("Where is staging?", NEW)
    talk.works("Is it up?", "Bash", f"up 3 days\n{WRONG}", "It is up.", command="uptime")


def _capture(site: Site) -> None:
    memory = site.memory()
    evidence = Evidence(
        surface=Surface.HOOK,
        client="claude",
        workspace=site.project,
        session_id=SESSION,
        writes_as=Author.DERIVED,
    )
    memory.archive.capture(site.transcript, "claude", memory.caller(evidence))
    memory.close()


def _tear(site: Site) -> None:
    """What no operation may do: the record in one transaction, what belongs to it in another."""
    database = Database(site.home)
    record = make_record(body=NEW, workspace_id="torn", client="victim")
    with database.write() as db:
        index.add(db, records.insert(db, record), record)
        mirror.enqueue(db, record.id, now())
    with database.write() as db:
        entry = audit.Entry(action="create", record_id=record.id, before=None, after="0" * 64)
        audit.append(db, site.caller(), entry, now())
    mirror.drain(database)
    database.close()


OPERATIONS = {
    "create": Operation(_create, furnish),
    "revise": Operation(_revise, furnish),
    "supersede": Operation(_supersede, furnish),
    "reinforce": Operation(_reinforce, furnish),
    "propose": Operation(_propose, furnish),
    "retract": Operation(_retract, furnish),
    "restore": Operation(_restore, furnish),
    "refused": Operation(_refused, furnish),
    "edit": Operation(_take_edits, lambda site: _edit(site, "old"), redone=True),
    "edit-verified": Operation(_take_edits, lambda site: _edit(site, "theirs"), redone=True),
    "first-open": Operation(_create, None),
    "migration": Operation(_upgrade, furnish, upgrades=True),
    "capture": Operation(_capture, _talk, again=True),
    "torn": Operation(_tear, furnish),
}


def _edit(site: Site, name: str) -> None:
    furnish(site)
    _edit_file(site, name)


def raw(site: Site) -> sqlite3.Connection:
    """The database itself, whatever its schema."""
    db = open_writer(site.home / DATABASE, 10.0)
    # Nobody pulls the plug here, and hundreds of trials need not wait for the disk.
    db.execute("PRAGMA synchronous=OFF")
    return db


def write_past_the_door(site: Site, text: str, client: str) -> str:
    """Write to a store that is ahead of the program; returns the id."""
    caller = site.caller(client)
    with FileLock(site.home / LOCK), contextlib.closing(raw(site)) as db:
        db.execute("BEGIN IMMEDIATE")
        gate = Gate(db, caller, now())
        written = gate.write(admit(Draft(text=text), caller, secrets="mask"))
        assert isinstance(written, Written)
        db.execute("COMMIT")
    return written.id
