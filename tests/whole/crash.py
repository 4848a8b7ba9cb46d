"""Kills one operation at each of its points, again and again, while another process writes.

``python -m tests.whole.crash OPERATION FOLDER`` prints what it did as one JSON object.
Every process is forked from this one, which has everything loaded and no store open.
"""

import contextlib
import gc
import json
import os
import re
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memex_mcp.model.record import Draft
from memex_mcp.store import audit, index, inspect, records
from memex_mcp.store.connect import open_writer
from memex_mcp.store.home import LOCK, README
from memex_mcp.store.lock import FileLock
from memex_mcp.store.migrations import migrate, schema_version
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.store.visible import owners_clause
from tests.whole.operations import (
    OPERATIONS,
    UPGRADE,
    Operation,
    Site,
    furnish,
    raw,
    write_past_the_door,
)
from tests.whole.points import Watch
from tests.whole.state import NOTHING, state

_MEANWHILE = 2
_TRIES = 2
# Reading changes nothing, so the points on both sides of it stand for it.
_IDLE = re.compile(r"SELECT|PRAGMA (?!journal_mode|wal_checkpoint)")


class Child:
    """A forked process that tells what it has to say as lines of JSON."""

    def __init__(self, work: Callable[[Callable[[Any], None], int], None]) -> None:
        out, told = os.pipe()
        heard, self._orders = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            self._work(work, told, heard)
        os.close(told)
        os.close(heard)
        self._out = os.fdopen(out, encoding="utf-8")

    def _work(
        self, work: Callable[[Callable[[Any], None], int], None], told: int, heard: int
    ) -> None:
        try:
            # The parent's end of our orders: while we hold it, we never hear their end.
            os.close(self._orders)
            work(lambda value: _tell(told, value), heard)
        except BaseException:  # noqa: BLE001 - whatever it is, the parent has to hear of it
            _tell(told, {"error": traceback.format_exc()})
        finally:
            os._exit(0)

    def hear(self) -> Any:
        """The next value; None when there is none."""
        line = self._out.readline()
        return json.loads(line) if line else None

    def end(self) -> tuple[list[Any], int]:
        """Let it end; returns what else it said and the signal that killed it, or 0."""
        with contextlib.suppress(BrokenPipeError):
            os.close(self._orders)
        rest = [json.loads(line) for line in self._out]
        self._out.close()
        _, code = os.waitpid(self.pid, 0)
        return rest, os.WTERMSIG(code) if os.WIFSIGNALED(code) else 0


def _tell(told: int, value: Any) -> None:
    os.write(told, (json.dumps(value) + "\n").encode())


def answer(work: Callable[[], Any]) -> Any:
    """What a forked process makes of it."""
    (said,), _ = Child(lambda tell, _: tell(work())).end()
    if isinstance(said, dict) and "error" in said:
        raise RuntimeError(said["error"])
    return said


class Trials:
    """All trials with one operation.

    Args:
        operation: What is interrupted.
        folder: Where the stores are made.
    """

    def __init__(self, operation: Operation, folder: Path) -> None:
        self._operation = operation
        self._template = folder / "template"
        self._site = Site(folder / "store", folder / "project")
        self._site.project.mkdir()
        self._site.keep_ids({})
        if operation.prepare is not None:
            prepare = operation.prepare
            answer(lambda: prepare(Site(self._template, self._site.project)))
        self._allowed: list[dict[str, list[str]]] = []
        self.ends: Counter[str] = Counter()

    def dry_run(self) -> list[tuple[str, int]]:
        """Carry the operation out whole; returns the points to kill it at."""
        self._lay_out()
        self._allowed = [answer(self._state)]
        points = answer(lambda: self._watched("", 0))
        self._allowed.append(answer(self._state))
        counts: dict[str, list[int]] = {}
        for name in points:
            if not _IDLE.search(name):
                counts.setdefault(name, []).append(len(counts.get(name, [])) + 1)
        # Between two commits one state is like the next, so of a repeated point the first
        # and the last passing stand for all.
        return [
            (name, nth)
            for name, passings in counts.items()
            for nth in (passings if name.startswith("COMMIT") else {passings[0], passings[-1]})
        ]

    def trial(self, name: str, nth: int, *, crowded: bool) -> tuple[bool, list[str]]:
        """Kill the operation at a point; returns whether it came there, and what is wrong."""
        self._lay_out()
        rival = Child(self._rival(crowded=crowded))
        # At the first open, both are the first.
        acknowledged = [rival.hear()] if self._operation.prepare else []
        victim = Child(lambda tell, _: tell(self._watched(name, nth)))
        said, killer = victim.end()
        rest, _ = rival.end()
        acknowledged += rest
        faults = [one["error"] for one in [*said, *acknowledged] if "error" in one]
        if len(acknowledged) != _MEANWHILE + 2:
            faults.append(f"the rival wrote {len(acknowledged)} times")
        if not faults:
            end, faults = answer(lambda: self._judge(acknowledged))
            self.ends[end] += 1
        return killer == signal.SIGKILL, [f"{name} {nth}: {fault}" for fault in faults]

    def _lay_out(self) -> None:
        shutil.rmtree(self._site.home, ignore_errors=True)
        if self._operation.prepare is not None:
            shutil.copytree(self._template, self._site.home)

    def _watched(self, name: str, nth: int) -> list[str]:
        watch = Watch(self._site.home, name, nth)
        watch.start()
        self._operation.run(self._site)
        return watch.passed

    def _rival(self, *, crowded: bool) -> Callable[[Callable[[Any], None], int], None]:
        def work(tell: Callable[[Any], None], orders: int) -> None:
            memory, caller = self._site.memory(), self._site.caller("rival")
            early = 1 if self._operation.prepare else 0
            for number in range(_MEANWHILE + 2):
                # The last comes when the victim is dead; without a crowd, all but the first do.
                if number == _MEANWHILE + 1 or (not crowded and number == early):
                    os.read(orders, 1)
                text = f"The rival's statement number {number} is about otters."
                tell({"id": memory.write(Draft(text=text), caller).id, "text": text})

        return work

    def _state(self) -> dict[str, list[str]]:
        if not (self._site.home / "memex.db").exists():
            return dict(NOTHING)
        with contextlib.closing(raw(self._site)) as db:
            return state(db, self._site.ids())

    def _judge(self, acknowledged: list[dict[str, str]]) -> tuple[str, list[str]]:
        """How the operation ended, and what is wrong with the store, for a new process."""
        faults = []
        found = self._state()
        end = "undone" if _same(found, self._allowed[0]) else "whole"
        if end == "whole" and not _same(found, self._allowed[1]):
            faults.append(f"neither whole nor undone: {_difference(found, self._allowed)}")
        with contextlib.closing(raw(self._site)) as db:
            version = schema_version(db)
        if version <= len(MIGRATIONS):
            faults += self._converged(found)
        if self._operation.again:
            self._operation.run(self._site)
            after = self._state()
            if not _same(after, self._allowed[1]):
                faults.append(f"not made good: {_difference(after, self._allowed[1:])}")
        if self._operation.upgrades:
            faults += self._upgraded()
        with contextlib.closing(raw(self._site)) as db:
            for one in acknowledged:
                record = records.get(db, one["id"], owners_clause(self._site.caller()))
                if record is None or record.body != one["text"]:
                    faults.append(f"the rival's {one['text']!r} is lost")
            faults += [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return end, faults

    def _converged(self, found: dict[str, list[str]]) -> list[str]:
        """After one refresh and one more write, nothing is left of the crash."""
        memory = self._site.memory()
        memory.refresh()
        after = self._state()
        faults = []
        if self._operation.redone:
            if not _same(_once(after), _once(self._allowed[1])):
                faults.append(f"not redone: {_difference(after, self._allowed[1:])}")
        elif not _same(after, found):
            faults.append(f"a refresh changed it: {_difference(after, [found])}")
        text = "The judge writes about badgers."
        memory.write(Draft(text=text), self._site.caller("judge"))
        memory.close()
        told = [one for one in inspect.examine(self._site.home) if not one.ok]
        # That a proposal by hand waits for its person is no damage.
        faults += [f"{one.check}: {one.detail}" for one in told if one.check != "review"]
        home = self._site.home
        faults += [f"{path.name} is left" for path in home.rglob("*.tmp")]
        if (home / "README.md").read_text(encoding="utf-8") != README:
            faults.append("README.md is not whole")
        return faults

    def _upgraded(self) -> list[str]:
        """The next program that opens the store brings it to the new schema."""
        site = self._site
        with contextlib.closing(raw(site)) as db:
            moods = [row[1] == "mood" for row in db.execute("PRAGMA table_info(record)")]
            if any(moods) != (schema_version(db) == len(MIGRATIONS) + 1):
                return ["the schema is half upgraded"]
        with FileLock(site.home / LOCK), contextlib.closing(raw(site)) as db:
            migrate(db, site.home, (*MIGRATIONS, UPGRADE))
        write_past_the_door(site, "The judge writes again, about voles.", "judge")
        newest = max((site.home / "backups").glob("*.db"))
        with contextlib.closing(open_writer(newest, 1.0)) as db:
            if state(db, site.ids()) != self._allowed[0]:
                return ["the backup is not what was there before"]
        with contextlib.closing(raw(site)) as db:
            faults = index.check(db)
            if audit.verify(db) is not None:
                faults.append("the audit chain is broken")
        return faults


def _same(left: dict[str, list[str]], right: dict[str, list[str]]) -> bool:
    # An empty database finds nothing, a missing one is not asked.
    return all(left[name] == right[name] for name in left if left["record"] or name != "found")


def _once(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """A state without what tells how often the same proposal was taken in."""
    audited = [row for row in found["audit"] if '"reinforce"' not in row]
    proposals = [row.replace(", 1, 2, ", ", 1, 1, ") for row in found["record"]]
    return found | {"audit": audited, "record": proposals}


def _difference(found: dict[str, list[str]], allowed: list[dict[str, list[str]]]) -> str:
    told = []
    for one in allowed:
        for name, rows in found.items():
            told += [f"{name} +{row}" for row in rows if row not in one[name]]
            told += [f"{name} -{row}" for row in one[name] if row not in rows]
    return "; ".join(told)


def main(name: str, folder: str) -> None:
    """Try every point of one operation."""
    warm = Path(folder) / "warm"
    warm.mkdir()
    furnish(Site(warm / "store", warm))
    # What is never collected is never copied into the children.
    gc.freeze()
    trials = Trials(OPERATIONS[name], Path(folder))
    points = trials.dry_run()
    faults: list[str] = []
    missed = []
    for point, nth in points:
        for attempt in range(_TRIES):
            killed, wrong = trials.trial(point, nth, crowded=attempt < _TRIES - 1)
            faults += wrong
            if killed or wrong:
                break
        else:
            missed.append(f"{point} {nth}")
    told = {"points": points, "missed": missed, "ends": trials.ends, "faults": faults}
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
