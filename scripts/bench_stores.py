"""Stores filled through the product's one door, kept when a work folder is given."""

import contextlib
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Generator as Yielding
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench_common import rounded
from bench_peers import store_of
from bench_text import Note

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.record import Draft
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.text.words import ANALYZER_VERSION

HOW = "one Memory.write after another"


@dataclass(frozen=True)
class Filled:
    """A store with records in it.

    Attributes:
        ids: Of the records, in the order of the texts they were made from.
        samples: Milliseconds of each write.
        how: In which way it was filled.
    """

    folder: Path
    ids: list[str]
    samples: list[float]
    how: str = HOW

    def open(self) -> Memory:
        """The store, opened anew."""
        return Memory(settings.load(store_of(self.folder), {}))


@contextlib.contextmanager
def workplace(given: Path | None) -> Yielding[Path]:
    """The folder for stores: the one that was asked for, or one that goes away."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="memex-bench-", ignore_cleanup_errors=True) as made:
        yield Path(made).resolve()


def agent(memory: Memory, folder: Path) -> Caller:
    """An agent that works in the folder."""
    evidence = Evidence(
        surface=Surface.TOOL, client="bench", workspace=folder / "work", session_id="bench"
    )
    return memory.caller(evidence)


def hook(memory: Memory, folder: Path) -> Caller:
    """A hook that archives what a session said."""
    evidence = Evidence(
        surface=Surface.HOOK,
        client="bench",
        workspace=folder / "work",
        session_id="bench",
        writes_as=Author.DERIVED,
    )
    return memory.caller(evidence)


def note_draft(note: Note) -> Draft:
    """What an agent hands in for a note."""
    return Draft(text=note.text, title=note.title, tags=note.tags)


def span_draft(text: str) -> Draft:
    """What a hook hands in for a stretch of conversation."""
    return Draft(text=text, kind=Kind.SPAN, scope=Scope.WORKSPACE)


def fill(memory: Memory, caller: Caller, drafts: Sequence[Draft]) -> tuple[list[str], list[float]]:
    """Write one after the other; ids and the milliseconds that each took."""
    ids, samples = [], []
    for draft in drafts:
        began = time.perf_counter()
        written = memory.write(draft, caller)
        samples.append((time.perf_counter() - began) * 1000)
        ids.append(written.id)
    return ids, samples


def filled(place: Path, name: str, drafts: Sequence[Draft], *, spans: bool = False) -> Filled:
    """A store with these records; one that an earlier run left is taken if it fits."""
    folder = place / name
    marker = folder / "filled.json"
    key = f"{_hash([draft.text for draft in drafts])} {_hash(MIGRATIONS)} {ANALYZER_VERSION}"
    if marker.exists():
        known = json.loads(marker.read_text(encoding="utf-8"))
        if known["key"] == key:
            return Filled(folder, known["ids"], known["samples"], known.get("how", HOW))
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    (folder / "data").mkdir()
    memory = Memory(settings.load(store_of(folder), {}))
    caller = hook(memory, folder) if spans else agent(memory, folder)
    print(f"  filling {name} with {len(drafts):,} records ...", flush=True)
    ids, samples = fill(memory, caller, drafts)
    memory.close()
    told = {"key": key, "ids": ids, "samples": rounded(samples)}
    marker.write_text(json.dumps(told), encoding="utf-8")
    return Filled(folder, ids, samples)


def _hash(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode())
    return f"{len(texts)}-{digest.hexdigest()[:16]}"


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of the database, its log, and the mirrored files, and how many files there are."""
    store = store_of(folder)
    files = [path for path in (store / "records").rglob("*") if path.is_file()]
    log = store / "memex.db-wal"
    return {
        "database": (store / "memex.db").stat().st_size,
        "wal": log.stat().st_size if log.exists() else 0,
        "files": sum(path.stat().st_size for path in files),
        "file_count": len(files),
    }
