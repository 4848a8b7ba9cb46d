"""Eight processes, two of them servers, carry out 500 mixed operations each on one store."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.record import Draft
from memex_mcp.store import audit, inspect, records, revisions
from memex_mcp.store.database import Database
from memex_mcp.store.visible import owners_clause
from tests.card import card
from tests.whole.worker import OPERATIONS, Entry

PROCESSES = 8
SERVERS = 2
_ACTIONS = {
    "created": "create",
    "revised": "revise",
    "reinforced": "reinforce",
    "retracted": "status:retracted",
    "refused": "refuse",
}


@card("store.many_processes")
@pytest.mark.timeout(180)
def test_eight_processes_lose_nothing_double_nothing_and_agree(
    memory: Memory, agent: Caller, root: Path, project: Path
) -> None:
    entries, shared = begin(memory, agent)
    memory.close()

    for journal in run_all(root, project, shared):
        assert len(journal) == OPERATIONS
        entries += journal
    assert [asdict(entry) for entry in entries if entry.fault] == []

    assert memory.refresh() == []
    check_contents(memory, agent, entries)
    check_audit(memory.settings.home, entries)
    memory.close()
    assert [finding for finding in inspect.examine(root) if not finding.ok] == []


def begin(memory: Memory, agent: Caller) -> tuple[list[Entry], dict[str, list[str]]]:
    """Write what all will change: the journal of it, and the ids."""
    entries = []
    shared: dict[str, list[str]] = {}
    for name in ("boards", "heads"):
        texts = [f"The {name} begin with number {number}." for number in range(6)]
        written = [memory.write(Draft(text=text), agent) for text in texts]
        shared[name] = [one.id for one in written]
        entries += [
            Entry("begin", "created", one.id, 1, text)
            for one, text in zip(written, texts, strict=True)
        ]
    return entries, shared


def run_all(root: Path, project: Path, shared: dict[str, list[str]]) -> list[list[Entry]]:
    """Start all processes, then let them go at once; returns their journals."""
    crowd = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.whole.worker", root, project, str(number), way],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for number in range(PROCESSES)
        for way in ["server" if number < SERVERS else "memory"]
    ]
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write(json.dumps(shared) + "\n")
        process.stdin.flush()
    said = [process.communicate(timeout=170)[0] for process in crowd]
    assert [process.returncode for process in crowd] == [0] * PROCESSES
    return [[Entry(**json.loads(line)) for line in out.splitlines()] for out in said]


def check_contents(memory: Memory, agent: Caller, entries: list[Entry]) -> None:
    """Every acknowledged version is there as acknowledged, and nothing else is."""
    did = {name: Counter(e.id for e in entries if e.did == name) for name in _ACTIONS}
    replaced = Counter(e.replaced for e in entries if e.did == "created" and e.replaced)
    texts = {(e.id, e.version): e.text for e in entries if e.did in ("created", "revised")}
    assert len(texts) == did["created"].total() + did["revised"].total()
    assert set(replaced.values()) == {1}
    assert set(did["created"].values()) == {1}
    database = Database(memory.settings.home)
    with database.read() as db:
        rows = db.execute("SELECT id FROM record").fetchall()
        assert {row["id"] for row in rows} == did["created"].keys()
        for record_id in did["created"]:
            record = records.get(db, record_id, owners_clause(agent))
            assert record is not None
            changes = did["revised"][record_id] + did["retracted"][record_id]
            assert record.version == 1 + changes + replaced[record_id]
            assert record.observations == 1 + did["reinforced"][record_id]
            assert (record.status == "superseded") == bool(replaced[record_id])
            assert (record.status == "retracted") == bool(did["retracted"][record_id])
        for (record_id, version), text in texts.items():
            kept = revisions.at_version(db, record_id, version)
            current = records.get(db, record_id, owners_clause(agent))
            assert current is not None
            assert (kept or current).body == text
        assert one(db, "SELECT count(*) FROM revision") == sum(
            did[name].total() for name in ("revised", "retracted")
        ) + len(replaced)
        assert _doubled(db) == []
    database.close()


def check_audit(home: Path, entries: list[Entry]) -> None:
    """Exactly one row for each change of a record, in an unbroken chain."""
    told = Counter((_ACTIONS[e.did], e.id) for e in entries if e.did in _ACTIONS and e.id)
    told += Counter(("supersede", e.replaced) for e in entries if e.did == "created" and e.replaced)
    refused = sum(e.did == "refused" for e in entries)
    database = Database(home)
    with database.read() as db:
        rows = db.execute("SELECT action, record_id FROM audit WHERE action <> 'refuse'")
        assert Counter((row["action"], row["record_id"]) for row in rows) == told
        assert one(db, "SELECT count(*) FROM audit WHERE action = 'refuse'") == refused > 0
        assert one(db, "SELECT sum(refused) FROM tombstone") == refused
        assert audit.verify(db) is None
        assert one(db, "PRAGMA integrity_check") == "ok"
    database.close()


def one(db: Any, question: str) -> Any:
    return db.execute(question).fetchone()[0]


def _doubled(db: Any) -> list[Any]:
    """Values that two live records state."""
    rows = db.execute(
        "SELECT value_key FROM record WHERE status IN ('active', 'disputed', 'candidate')"
        " GROUP BY value_key HAVING count(*) > 1"
    )
    return [row["value_key"] for row in rows]
