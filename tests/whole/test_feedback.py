"""What memory brought back into a conversation is not archived with it, however often."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex_mcp.hooks.payload import Asked
from memex_mcp.hooks.run import Progress, attend
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.query import Page
from memex_mcp.settings import Settings
from memex_mcp.text.words import index_terms
from tests.capture.made import CLIENTS, Call, Exchange, write_session
from tests.card import card
from tests.hooks.payloads import context, payload
from tests.process import Serving, memex
from tests.server.wire import ROOT

pytestmark = pytest.mark.timeout(300)

ROUNDS = 10
PORT = "The staging database listens on port 5433, behind the heron proxy."
RULE = "Always restart the heron proxy before the staging database."
ASKED = "Which port does the staging database listen on?"
ANSWERED = "I looked it up and wrote it into the settings."
BEFORE = Exchange(
    prompt="How do we reach the staging database from Lisbon?",
    answer="Over the staging tunnel, and the database port is forwarded by the heron proxy.",
)
TOOL_NAMES = {
    "claude": "mcp__memex__{}",
    "codex": "mcp__memex__{}",
    "gemini": "mcp_memex_{}",
    "qwen": "mcp__memex__{}",
    "copilot": "memex-{}",
}
# Only memory said these; whoever finds one in what was archived found something recalled.
# Four digits alone also stand in some hash.
TOLD = ("heron", "port 5433", "tunnel", "lisbon", "forwarded", "restart")


@dataclass
class Told:
    """What memory put before the model in one session."""

    start: str
    prompt: str
    calls: list[Call] = field(default_factory=list)


@dataclass
class Project:
    """A store with both levels on, a folder to work in, and the home folder of the clients.

    Attributes:
        note: Id of what a session asks for.
        here: Hooks run in this process, which takes a tenth of the time.
    """

    folder: Path
    client: str
    server: Serving
    note: str = ""
    here: bool = False

    @property
    def root(self) -> Path:
        return self.folder / "store"

    @property
    def cwd(self) -> Path:
        return self.folder / "project"

    def session(self, number: int) -> str:
        return f"{number:08d}-0000-4000-8000-000000000000"

    def switch_on(self) -> None:
        with closing(Memory(Settings(home=self.root))) as memory:
            person = memory.caller(
                Evidence(surface=Surface.CLI, client="cli", workspace=self.cwd, human=True)
            )
            for level in Level:
                memory.switches.turn_on(level, person)

    def hook(self, event: str, number: int, transcript: Path, prompt: str = "") -> str:
        typed = payload(
            self.client,
            event,
            cwd=self.cwd,
            transcript=transcript,
            prompt=prompt,
            session=self.session(number),
        )
        # The end of a session may leave a process behind, which is nobody's here to wait for.
        run = self._attended if self.here and event != "session-end" else self._ran
        return context(self.client, event, run(event, json.dumps(typed)))

    def _ran(self, event: str, typed: str) -> str:
        options = ("--client", self.client, "--root", str(self.root), "--timeout", "30")
        ran = memex("hook", event, *options, typed=typed)
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    def _attended(self, event: str, typed: str) -> str:
        told: list[str] = []
        call = Asked(event=event, client=self.client, root=str(self.root), timeout=30)
        attend(call, typed.encode("utf-8"), told.append, Progress())
        return "".join(told)

    def transcript(self, number: int, turns: list[Exchange]) -> Path:
        began = datetime.now(UTC) + timedelta(seconds=1)
        return write_session(
            self.folder / "home",
            self.client,
            self.session(number),
            turns,
            cwd=str(self.cwd),
            began=began,
        )

    def round(self, number: int) -> Told:
        """A session that asks, is told, looks further with tools, answers and is archived."""
        none = self.folder / "none.jsonl"
        told = Told(
            self.hook("session-start", number, none),
            self.hook("user-prompt-submit", number, none, ASKED),
        )
        query: dict[str, object] = {"query": "staging database port heron", "open_top": True}
        found = self.server.text("memory_search", **query)
        one: dict[str, object] = {"id": self.note}
        opened = self.server.text("memory_open", **one)
        name = TOOL_NAMES[self.client]
        told.calls = [
            Call(name=name.format("memory_search"), arguments=query, result=found),
            Call(name=name.format("memory_open"), arguments=one, result=opened),
        ]
        turn = Exchange(
            prompt=self._prompted(told),
            answer=f"{told.prompt}\n\n{ANSWERED}" if number % 2 else ANSWERED,
            calls=tuple(told.calls),
            injected=self._spelled(told.prompt),
        )
        self.hook("stop", number, self.transcript(number, [turn]))
        return told

    def _prompted(self, told: Told) -> str:
        """The prompt as the client writes it; Gemini puts a session's brief before it."""
        if self.client != "gemini" or not told.start:
            return ASKED
        return f"<hook_context>{self._spelled(told.start)}</hook_context>\n\n{ASKED}"

    def _spelled(self, text: str) -> str:
        if self.client != "gemini":
            return text
        return text.replace("<", "&lt;").replace(">", "&gt;")

    def holding(self, word: str) -> dict[str, int]:
        """How many chunks, cards and bodies have a word."""
        terms = f'"{index_terms(word)}"'
        with closing(sqlite3.connect(self.root / "memex.db")) as db:
            counts = {
                table: db.execute(
                    f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (terms,)
                ).fetchone()[0]
                for table in ("body_index", "card_index")
            }
        files = [path for path in (self.root / "records").rglob("*.md") if path.is_file()]
        named = [path for path in files if word in path.read_text(encoding="utf-8").lower()]
        return counts | {"files": len(named)}

    def shared(self) -> list[tuple[str, str, int]]:
        """Kind, hash and length of everything that other sessions may read."""
        with closing(sqlite3.connect(self.root / "memex.db")) as db:
            sql = "SELECT kind, body_sha256, tokens FROM record WHERE scope <> 'session' ORDER BY n"
            return db.execute(sql).fetchall()

    def spans(self, number: int) -> list[str]:
        """Bodies of what is archived of a session, with the ids in them made alike."""
        with closing(Memory(Settings(home=self.root))) as memory:
            asking = memory.caller(
                Evidence(
                    surface=Surface.TOOL,
                    client=self.client,
                    workspace=self.cwd,
                    session_id=self.session(number),
                )
            )
            records = memory.listing(asking, every=True, limit=200).records
            own = [each.id for each in records if each.scope == "session"]
            return [memory.open(each, asking, Page(max_tokens=10_000)).text for each in own]


@pytest.fixture(params=CLIENTS)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "project").mkdir()
    place = ("--workspace", str(tmp_path / "project"))
    with Serving(tmp_path / "store", *place, cwd=ROOT, client=request.param) as server:
        made = Project(tmp_path, request.param, server)
        made.switch_on()
        made.note = server.write(PORT)
        server.write(RULE, type="instruction")
        made.hook("stop", 100, made.transcript(100, [BEFORE]))
        yield made


@pytest.mark.skipif(os.name == "nt", reason="made for POSIX paths")
@card("evidence.not_recalled")
def test_ten_times_recalled_and_archived_is_once_archived(project: Project) -> None:
    before = {word: project.holding(word) for word in TOLD}
    first, second = project.round(1), project.round(2)
    shared, told = project.shared(), project.round(3)
    project.here = True
    for number in range(4, ROUNDS + 1):
        again = project.round(number)
        assert (again.start, again.prompt) == (told.start, told.prompt)

    # It was told, by hooks and by tools alike.
    for each in (first, second, told):
        assert PORT in each.prompt
        assert RULE in each.start
        assert all(PORT in call.result for call in told.calls)
    # And nothing of it is on record but what was before.
    assert {word: project.holding(word) for word in TOLD} == before
    assert project.shared() == shared
    bodies = [project.spans(number) for number in range(1, ROUNDS + 1)]
    assert [len(each) for each in bodies] == [1] * ROUNDS
    for [body] in bodies:
        assert ASKED in body
        assert ANSWERED in body
        assert "[memory_search]" in body
        assert "[recalled: " in body
        assert len(body) < len(bodies[0][0]) + 1_500
    assert before["heron"]["body_index"] > 0


def test_a_replay_of_what_was_recalled_changes_nothing(project: Project) -> None:
    told = project.round(1)
    transcript = project.transcript(
        2, [Exchange(prompt=ASKED, answer=ANSWERED, injected=told.prompt)]
    )
    project.hook("stop", 2, transcript)
    kept = _dump(project)
    project.here = True
    for event in ("pre-compact", "stop", "session-end", "session-start", "stop"):
        project.hook(event, 2, transcript)
    assert _dump(project) == kept


def _dump(project: Project) -> list[str]:
    with closing(sqlite3.connect(project.root / "memex.db")) as db:
        # That a brief was told once more is noted, and nothing else.
        told = ("recall_seen", "injected")
        rows = [line for line in db.iterdump() if not any(each in line for each in told)]
    files = sorted(path for path in (project.root / "records").rglob("*") if path.is_file())
    return rows + [f"{path}: {path.read_bytes()!r}" for path in files]
