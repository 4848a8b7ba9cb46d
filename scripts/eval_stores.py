"""Stores filled through the product's one door, kept between runs, and asked both ways."""

import hashlib
import json
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

from bench_common import ROOT, bare_env, script
from bench_peers import store_of
from bench_wire import Wire, text_of
from eval_data import DataSet, Item, Store

from memex_mcp import settings
from memex_mcp.errors import Invalid
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.query import Query
from memex_mcp.model.record import Draft
from memex_mcp.model.times import parse_time
from memex_mcp.policy.limits import TITLE_CHARACTERS, check_note_size
from memex_mcp.retrieval.render import render_search
from memex_mcp.retrieval.tuning import DEFAULT
from memex_mcp.store.schema import MIGRATIONS
from memex_mcp.text import tokens
from memex_mcp.text.words import ANALYZER_VERSION

CONFIG = {"off": "", "local": '[embedder]\nkind = "local"\n'}
"""What ``config.toml`` of a store says, by the embedder that is measured."""

BUDGET = 20_000
"""Tokens of an answer that is graded: ten hits always fit."""

# What decides which rows a write leaves behind.  Modules that only read are left out, so that
# work on the ranking does not fill every store anew.
_WRITES = ("gate.py", "model", "policy", "store", "text")
_ONLY_READ = (
    "store/search.py",
    "store/visible.py",
    "model/query.py",
    "model/window.py",
    "text/stop.py",
)
_HIT = re.compile(r"^\[\d+\] ([0-9A-HJKMNP-TV-Z]{26}) ", re.MULTILINE)
_CLIENT, _SESSION = "eval", "eval"
_NONCE = "0" * 8


class System(Protocol):
    """What is asked."""

    name: str

    def ask(self, question: str, limit: int) -> list[str]:
        """Names of records, best first."""
        ...

    def close(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True)
class Filled:
    """A store with records in it.

    Attributes:
        names: Id of each record to the items that it holds: equal texts are one record.
        told: How it was filled.
    """

    folder: Path
    names: Mapping[str, Sequence[str]]
    told: Mapping[str, float]

    def items(self, ids: Sequence[str], limit: int) -> list[str]:
        """Items in the order of the records; one of several items takes a place for each."""
        return [item for each in ids for item in self.names.get(each, ())][:limit]


class InProcess:
    """The product through ``Memory``."""

    name = "memex"

    def __init__(self, filled: Filled) -> None:
        self.tuning = DEFAULT
        self._filled = filled
        self._memory = Memory(settings.load(store_of(filled.folder), {}))
        self._caller = _agent(self._memory, filled.folder, _SESSION)

    def ask(self, question: str, limit: int, variants: tuple[str, ...] = ()) -> list[str]:
        """Ask with room for all hits."""
        query = Query(text=question, variants=variants, limit=limit, max_tokens=BUDGET)
        answer = self._memory.search(query, self._caller, tuning=self.tuning)
        return self._filled.items([hit.id for hit in answer.hits], limit)

    def ask_as_ever(self, question: str) -> tuple[list[str], int]:
        """Ask with limit and budget left out; what was found, and tokens of the answer."""
        answer = self._memory.search(Query(text=question), self._caller)
        shown = tokens.count(render_search(answer, nonce=_NONCE)).tokens
        return self._filled.items([hit.id for hit in answer.hits], len(answer.hits)), shown

    def close(self) -> None:
        """Close the store."""
        self._memory.close()


class OverStdio:
    """The product as a client meets it: its server, its tool, its text."""

    name = "memex"

    def __init__(self, filled: Filled) -> None:
        self._filled = filled
        folder = filled.folder
        (folder / "home").mkdir(exist_ok=True)
        command = [script("memex-mcp"), "serve", "--root", str(store_of(folder))]
        command += ["--workspace", str(folder / "work"), "--session", _SESSION]
        self._wire = Wire(command, env=bare_env(folder / "home"), cwd=folder / "work")
        self._wire.initialize()

    def ask(self, question: str, limit: int) -> list[str]:
        """Call ``memory_search`` and read the ids as a model would."""
        given = {"query": question, "limit": limit, "max_tokens": BUDGET}
        told = text_of(self._wire.call("memory_search", given))
        return self._filled.items(_HIT.findall(told), limit)

    def close(self) -> None:
        """End the server."""
        self._wire.close()


def fill(
    place: Path, data: DataSet, store: Store, *, keep: bool = False, embedder: str = "off"
) -> Filled:
    """Fill a store, or take the one that an earlier run left, and embed what is not yet.

    Args:
        place: Folder for stores.
        data: The set, for the name of the folder.
        store: What to write.
        keep: Take what is there for the same items, schema and analyzer, whatever else the
            write path does now.
        embedder: A key of :data:`CONFIG`.
    """
    filled = _filled(place, data, store, keep=keep)
    home = store_of(filled.folder)
    (home / "config.toml").write_text(CONFIG[embedder], encoding="utf-8")
    memory = Memory(settings.load(home, {}))
    began = time.perf_counter()
    chunks = 0
    while memory.embedding is not None and (done := memory.embedding.embed_pending()):
        chunks += done
    memory.close()
    if not chunks:
        return filled
    told = {"chunks": chunks, "embedding_seconds": round(time.perf_counter() - began, 2)}
    marker = filled.folder / "filled.json"
    known = json.loads(marker.read_text(encoding="utf-8"))
    known["told"] |= told
    marker.write_text(json.dumps(known), encoding="utf-8")
    return replace(filled, told=known["told"])


def _filled(place: Path, data: DataSet, store: Store, *, keep: bool) -> Filled:
    folder = place / data.name / store.name
    marker = folder / "filled.json"
    # An index of another schema or analyzer would be searched in part only.
    key = f"{store.key} {folder} {_shape()}"
    if marker.exists():
        known = json.loads(marker.read_text(encoding="utf-8"))
        if known["items"] == key and (keep or known["writer"] == writer()):
            return Filled(folder, known["names"], known["told"])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    (folder / "data").mkdir()
    began, worked = time.perf_counter(), time.process_time()
    names = _write_all(folder, store.items)
    told = {
        "records": len(names),
        "merged": len(store.items) - len(names),
        "seconds": round(time.perf_counter() - began, 2),
        "processor_seconds": round(time.process_time() - worked, 2),
    }
    whole = {"items": key, "writer": writer(), "names": names, "told": told}
    marker.write_text(json.dumps(whole), encoding="utf-8")
    return Filled(folder, names, told)


@cache
def _shape() -> str:
    return hashlib.sha256(f"{MIGRATIONS}{ANALYZER_VERSION}".encode()).hexdigest()[:16]


@cache
def writer() -> str:
    """Changes when a write might leave other rows than before."""
    digest = hashlib.sha256()
    package = ROOT / "memex_mcp"
    for part in _WRITES:
        top = package / part
        for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
            if path.relative_to(package).as_posix() not in _ONLY_READ:
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _write_all(folder: Path, items: Sequence[Item]) -> dict[str, list[str]]:
    memory = Memory(settings.load(store_of(folder), {}))
    callers: dict[tuple[str, bool], Caller] = {}
    names: dict[str, list[str]] = {}
    for item in items:
        who = (item.session, item.said)
        if who not in callers:
            callers[who] = (_hook if item.said else _agent)(memory, folder, item.session)
        written = memory.write(_draft(item), callers[who])
        names.setdefault(written.id, []).append(item.id)
    memory.close()
    return names


def _draft(item: Item) -> Draft:
    observed = parse_time(item.time) if item.time else None
    said = item.said or not _fits(item.text)
    return Draft(
        text=item.text,
        kind=Kind.SPAN if said else Kind.NOTE,
        family="chat" if item.said else None,
        scope=Scope.WORKSPACE,
        title=item.title[:TITLE_CHARACTERS],
        observed_at=observed,
    )


def _fits(text: str) -> bool:
    try:
        check_note_size(text)
    except Invalid:
        return False
    return True


def _agent(memory: Memory, folder: Path, session: str) -> Caller:
    """An agent that works in the store's folder."""
    return memory.caller(
        Evidence(
            surface=Surface.TOOL,
            client=_CLIENT,
            workspace=folder / "work",
            session_id=session or None,
        )
    )


def _hook(memory: Memory, folder: Path, session: str) -> Caller:
    """A hook that archives what a session said."""
    return memory.caller(
        Evidence(
            surface=Surface.HOOK,
            client=_CLIENT,
            workspace=folder / "work",
            session_id=session or None,
            writes_as=Author.DERIVED,
        )
    )
