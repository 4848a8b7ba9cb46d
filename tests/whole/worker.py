"""One of many processes that use a store at once.

``python -m tests.whole.worker ROOT PROJECT NUMBER memory|server``: reads what the processes
share as one line of JSON, carries out its operations, and prints a journal of what it was
told, one JSON object a line.  It knows what each answer has to be; where it is not so, the
entry has a ``fault``.
"""

import json
import random
import re
import string
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from memex_mcp.errors import MemexError
from tests.whole.doors import Door, MemoryDoor, ServerDoor
from tests.whole.using import Place, ToolError

OPERATIONS = 500
VALUES = [f"Everybody knows shared value {name}." for name in string.ascii_lowercase[:24]]
WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "gully", "heron", "inlet", "kayak")


@dataclass(slots=True)
class Entry:
    """One operation and what came of it.

    Attributes:
        did: ``created``, ``revised``, ``reinforced``, ``superseded``, ``retracted``,
            ``read``, or the code of an error.
        id: The record that it happened to.
        replaced: The record that was superseded on the way.
        fault: What is wrong with the answer; empty when it is as it has to be.
    """

    operation: str
    did: str
    id: str = ""
    version: int = 0
    text: str = ""
    replaced: str = ""
    fault: str = ""


@dataclass(slots=True)
class Mine:
    """A record that no other process touches."""

    id: str
    version: int
    text: str
    word: str


class Worker:
    """Carries out one process's operations and keeps the journal."""

    def __init__(self, door: Door, number: int, shared: dict[str, list[str]]) -> None:
        self._door = door
        self._number = number
        self._random = random.Random(number)
        self._boards = shared["boards"]
        self._heads = shared["heads"]
        self._seen = dict.fromkeys(self._boards, 1)
        self._mine: list[Mine] = []
        self._dead: list[Mine] = []  # superseded or withdrawn
        self._refused: set[str] = set()
        self._keys: dict[str, tuple[str, int]] = {}
        self._values: dict[str, str] = {}
        self.journal: list[Entry] = []

    def run(self) -> None:
        """Carry out all operations; the order follows from the number alone."""
        weights = {
            self.write_new: 20,
            self.write_again: 10,
            self.write_shared_value: 8,
            self.revise: 10,
            self.revise_shared: 6,
            self.upsert: 6,
            self.upsert_shared: 6,
            self.supersede: 5,
            self.supersede_shared: 6,
            self.retract: 4,
            self.retract_shared: 1,
            self.use_the_dead: 3,
            self.open: 7,
            self.search: 7,
            self.list: 3,
        }
        for operation in self._random.choices([*weights], [*weights.values()], k=OPERATIONS):
            self.journal.append(operation())

    def write_new(self) -> Entry:
        """A statement that nobody made yet."""
        text, word = self._statement()
        entry = self._write("write_new", text)
        if entry.did == "created":
            self._mine.append(Mine(entry.id, 1, text, word))
        return self._expect(entry, did={"created"}, version=1)

    def write_again(self) -> Entry:
        """An own statement in other letters."""
        if not self._mine:
            return self.write_new()
        known = self._random.choice(self._mine)
        entry = self._write("write_again", known.text.upper().replace(" ", "  "))
        return self._expect(entry, did={"reinforced"}, id_=known.id, version=known.version)

    def write_shared_value(self) -> Entry:
        """A statement that every process makes."""
        text = self._random.choice(VALUES)
        entry = self._write("write_shared_value", text)
        if entry.did in ("created", "reinforced"):
            self._values[text] = entry.id
        allowed = {"refused"} if text in self._refused else {"created", "reinforced", "refused"}
        if entry.did == "refused":
            self._refused.add(text)
        return self._expect(entry, did=allowed)

    def revise(self) -> Entry:
        """A new text for an own record."""
        if not self._mine:
            return self.write_new()
        known = self._random.choice(self._mine)
        text, word = self._statement()
        entry = self._write("revise", text, id=known.id)
        known.version, known.text, known.word = known.version + 1, text, word
        return self._expect(entry, did={"revised"}, id_=known.id, version=known.version)

    def revise_shared(self) -> Entry:
        """A new text for a record that every process revises."""
        board = self._random.choice(self._boards)
        entry = self._write("revise_shared", self._statement()[0], id=board)
        return self._later(self._expect(entry, did={"revised"}, id_=board))

    def upsert(self) -> Entry:
        """Create or revise by an own key."""
        key = f"own-{self._number}-{self._random.randrange(6)}"
        entry = self._write("upsert", self._statement()[0], dedupe_key=key)
        known = self._keys.get(key)
        if known is None:
            self._keys[key] = (entry.id, 1)
            return self._expect(entry, did={"created"}, version=1)
        self._keys[key] = (known[0], known[1] + 1)
        return self._expect(entry, did={"revised"}, id_=known[0], version=known[1] + 1)

    def upsert_shared(self) -> Entry:
        """Create or revise by a key that every process uses."""
        key = f"shared-{self._random.randrange(6)}"
        entry = self._write("upsert_shared", self._statement()[0], dedupe_key=key)
        known = self._keys.setdefault(key, (entry.id, 0))
        return self._later(self._expect(entry, did={"created", "revised"}, id_=known[0]))

    def supersede(self) -> Entry:
        """Replace an own record."""
        if not self._mine:
            return self.write_new()
        old = self._mine.pop(self._random.randrange(len(self._mine)))
        text, word = self._statement()
        entry = self._write("supersede", text, supersedes=old.id)
        self._mine.append(Mine(entry.id, 1, text, word))
        self._dead.append(old)
        return self._expect(entry, did={"created"}, version=1)

    def supersede_shared(self) -> Entry:
        """Replace the end of a chain; whoever comes second is told of the new end."""
        chain = self._random.randrange(len(self._heads))
        entry = self._write("supersede_shared", self._statement()[0], supersedes=self._heads[chain])
        if entry.did == "created":
            self._heads[chain] = entry.id
        elif named := re.search(r"Supersede (\w{26})\.", entry.text):
            self._heads[chain] = named[1]
        else:
            entry.fault = "it does not name the successor"
        return self._expect(entry, did={"created", "conflict"})

    def retract(self) -> Entry:
        """Withdraw an own record."""
        if not self._mine:
            return self.write_new()
        gone = self._mine.pop(self._random.randrange(len(self._mine)))
        self._refused.add(gone.text)
        self._dead.append(gone)
        return self._retract("retract", gone.id)

    def retract_shared(self) -> Entry:
        """Withdraw a value that every process states; each has one that only it withdraws."""
        text = VALUES[self._number]
        if text not in self._values or text in self._refused:
            return self.write_shared_value()
        self._refused.add(text)
        return self._retract("retract_shared", self._values[text])

    def use_the_dead(self) -> Entry:
        """Revise what was replaced or withdrawn, or state again what was withdrawn."""
        if not self._dead:
            return self.write_new()
        gone = self._random.choice(self._dead)
        if gone.text in self._refused and self._random.random() < 0.5:
            return self._expect(self._write("restate", f" {gone.text}"), did={"refused"})
        entry = self._write("revise_dead", self._statement()[0], id=gone.id)
        return self._expect(entry, did={"conflict"})

    def open(self) -> Entry:
        """An own record is as it was last acknowledged, a shared one never older than seen."""
        if self._mine and self._random.random() < 0.7:
            known = self._random.choice(self._mine)
            version, text = self._door.open(known.id)
            entry = Entry("open", "read", known.id, version, text)
            if text != known.text:
                entry.fault = f"it should say {known.text!r}"
            return self._expect(entry, did={"read"}, version=known.version)
        board = self._random.choice(self._boards)
        version, text = self._door.open(board)
        entry = Entry("open", "read", board, version, text)
        if version < self._seen[board]:
            entry.fault = f"version {self._seen[board]} was there already"
        self._seen[board] = version
        return entry

    def search(self) -> Entry:
        """An own record is found by its word."""
        if not self._mine:
            return self.write_new()
        known = self._random.choice(self._mine)
        found = self._door.search(known.word)
        entry = Entry("search", "read", known.id, text=known.word)
        if found != [known.id]:
            entry.fault = f"found {found}"
        return entry

    def list(self) -> Entry:
        """Newest first, each once."""
        newest = self._door.newest()
        entry = Entry("list", "read")
        if newest != sorted(set(newest), reverse=True) or not 0 < len(newest) <= 50:
            entry.fault = f"listed {newest}"
        return entry

    def _statement(self) -> tuple[str, str]:
        """A text that nobody else makes, and the one word that only it has."""
        word = "".join(self._random.choices(string.ascii_lowercase, k=12))
        about = " ".join(self._random.sample(WORDS, 5))
        return f"The {about} of {word} belongs to worker {self._number}.", word

    def _write(self, operation: str, text: str, **options: str) -> Entry:
        try:
            told = self._door.write(text, **options)
        except (MemexError, ToolError) as error:
            return Entry(operation, error.code, text=str(error) + " " + error.hint)
        replaced = options.get("supersedes", "")
        return Entry(operation, told.outcome, told.id, told.version, text, replaced)

    def _retract(self, operation: str, record_id: str) -> Entry:
        try:
            self._door.retract(record_id)
        except (MemexError, ToolError) as error:
            return Entry(operation, error.code, record_id, fault=str(error))
        return Entry(operation, "retracted", record_id)

    def _later(self, entry: Entry) -> Entry:
        """Each version of a shared record is newer than the last one seen."""
        seen = self._seen.get(entry.id, 0)
        if entry.version <= seen:
            entry.fault = f"version {seen} was there already"
        self._seen[entry.id] = entry.version
        return entry

    def _expect(
        self, entry: Entry, *, did: set[str], id_: str | None = None, version: int | None = None
    ) -> Entry:
        if entry.did not in did or (id_ or entry.id) != entry.id:
            entry.fault = f"expected {did} {id_}"
        if version is not None and entry.version != version:
            entry.fault = f"expected version {version}"
        return entry


def main(root: str, project: str, number: str, way: str) -> None:
    """Carry out one worker's part."""
    shared = json.loads(sys.stdin.readline())
    open_door: type[MemoryDoor | ServerDoor] = ServerDoor if way == "server" else MemoryDoor
    door = open_door(Place(Path(root), Path(project)), f"worker-{number}")
    worker = Worker(door, int(number), shared)
    try:
        worker.run()
    finally:
        door.close()
    for entry in worker.journal:
        print(json.dumps(asdict(entry)))


if __name__ == "__main__":
    main(*sys.argv[1:])
