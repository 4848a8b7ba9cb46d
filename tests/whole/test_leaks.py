"""Nobody sees or changes what is not theirs: every scope, caller and path in or out.

All records share their words, all ids and cursors are known to the stranger, and each
cell first shows that the owner gets through on the same path.
"""

import json
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import TextResourceContents

from memex_mcp.embedding import Embedding
from memex_mcp.errors import MemexError
from memex_mcp.memory import Memory
from memex_mcp.model.browse import Grep
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Scope, Status, Surface
from memex_mcp.model.query import Page
from memex_mcp.model.record import Draft
from memex_mcp.model.times import iso, now
from memex_mcp.retrieval import grep
from memex_mcp.retrieval.plain import plain
from memex_mcp.retrieval.spread import spread
from memex_mcp.settings import Settings
from memex_mcp.store import records
from memex_mcp.store.visible import sight
from tests.card import card
from tests.llm.offline import Concepts
from tests.server.using import connect

SCOPES = tuple(Scope)
CALLERS = ("same session", "other session", "other workspace", "no workspace")
SEES = {
    Scope.SESSION: {"same session"},
    Scope.WORKSPACE: {"same session", "other session"},
    Scope.GLOBAL: set(CALLERS),
}
MARKER = "quetzal"
TEXT = f"The staging database of {MARKER} listens on port 5433."
LONG = f"{TEXT} " * 30
OTHERS = "The staging database of somebody listens on port 7000."
QUERY = "staging database listens port"
EVERY = [*Status, "expired"]
STORE_WIDE = {"waiting_files", "database_bytes"}
"""What ``memory_stats`` counts for the whole store."""


@dataclass(frozen=True)
class Who:
    """A caller, and how a server for it is started."""

    workspace: Path | None
    session: str
    caller: Caller


@dataclass
class World:
    """A store with one secret and, for each caller, a record of its own.

    Attributes:
        secret: Id of the owner's record, which has been revised once.
        cursor: Of the secret's second page.
    """

    memory: Memory
    scope: Scope
    people: dict[str, Who]
    owner: Who
    secret: str
    cursor: str
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def call(self, who: Who, tool: str, **arguments: object) -> dict[str, Any]:
        """What a tool answers to somebody, errors too."""
        async with connect(
            self.memory, who.workspace, structured=True, all_tools=True, session_id=who.session
        ) as client:
            content = (await client.call_tool(tool, arguments)).structured_content
        assert isinstance(content, dict)
        return content

    async def read(self, who: Who, uri: str) -> str:
        """What a resource says to somebody, errors too."""
        async with connect(self.memory, who.workspace, session_id=who.session) as client:
            try:
                [contents] = (await client.read_resource(uri)).contents
            except MCPError as error:
                return error.message
        assert isinstance(contents, TextResourceContents)
        return contents.text

    async def search(self, who: Who, **arguments: object) -> str:
        """All of a search's answer as text, the query not being part of it."""
        return json.dumps(await self.call(who, "memory_search", query=QUERY, **arguments))

    async def note(self, who: Who, text: str, **arguments: object) -> dict[str, Any]:
        """Write into the secret's scope."""
        return await self.call(who, "memory_write", text=text, scope=self.scope, **arguments)


def caller(memory: Memory, workspace: Path | None, session: str) -> Who:
    evidence = Evidence(
        surface=Surface.TOOL, client="agent-a", workspace=workspace, session_id=session
    )
    return Who(workspace, session, memory.caller(evidence))


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two workspaces; the process itself stands where no workspace can be."""
    folders = (tmp_path / "a", tmp_path / "b")
    for folder in (*folders, tmp_path / "home"):
        folder.mkdir()
    monkeypatch.chdir(tmp_path / "home")
    return folders


def made(root: Path, places: tuple[Path, Path], scope: Scope) -> World:
    memory = Memory(Settings(home=root, global_writers=("agent-a",)))
    here, elsewhere = places
    people = {
        "same session": caller(memory, here, "s-1"),
        "other session": caller(memory, here, "s-2"),
        "other workspace": caller(memory, elsewhere, "s-1"),
        "no workspace": caller(memory, None, "s-1"),
    }
    owner = people["same session"]
    for name, who in people.items():
        if who.workspace is not None:
            memory.write(Draft(text=f"{OTHERS} Says {name}.", scope=Scope.SESSION), who.caller)
    draft = Draft(text=f"{LONG} Once.", scope=scope, dedupe_key="port", tags=("db",))
    secret = memory.write(draft, owner.caller).id
    memory.write(Draft(text=LONG, id=secret, scope=scope), owner.caller)
    cursor = memory.open(secret, owner.caller, Page(max_tokens=60)).next_cursor
    assert cursor is not None
    return World(memory, scope, people, owner, secret, cursor)


@contextmanager
def meant(memory: Memory) -> Generator[None]:
    """A memory that searches by meaning, all of it embedded."""
    memory.embedding = embedding = Embedding(memory._database, Concepts())
    while embedding.embed_pending():
        pass
    try:
        yield
    finally:
        memory.embedding = None


Reading = Callable[[World, Who], Awaitable[str]]
READS: dict[str, Reading] = {}
"""Ways to read; what comes back holds the marker if the secret shows."""

DISTURBING: set[str] = set()
"""Those that change the store on the way."""


def reading(name: str, *, disturbs: bool = False) -> Callable[[Reading], Reading]:
    def kept(function: Reading) -> Reading:
        READS[name] = function
        if disturbs:
            DISTURBING.add(name)
        return function

    return kept


@reading("search")
async def _(world: World, who: Who) -> str:
    return await world.search(who)


@reading("search its own word")
async def _(world: World, who: Who) -> str:
    answer = await world.call(who, "memory_search", query=MARKER)
    return json.dumps(answer)


@reading("search the scope")
async def _(world: World, who: Who) -> str:
    return await world.search(who, scope=world.scope)


@reading("search every status")
async def _(world: World, who: Who) -> str:
    return await world.search(who, include=EVERY, limit=50, open_top=True, explain=True)


@reading("search by tag")
async def _(world: World, who: Who) -> str:
    return await world.search(who, tags=["db"])


@reading("search as of")
async def _(world: World, who: Who) -> str:
    return await world.search(who, as_of=iso(now()))


@reading("search as believed")
async def _(world: World, who: Who) -> str:
    return await world.search(who, believed_at=iso(now()), include=EVERY)


@reading("search by meaning")
async def _(world: World, who: Who) -> str:
    """The question shares no word with the secret, whose vector is there."""
    with meant(world.memory):
        answer = await world.call(who, "memory_search", query="which socket number")
    return json.dumps(answer)


@reading("window by meaning")
async def _(world: World, who: Who) -> str:
    with meant(world.memory):
        return world.memory.window("which socket number", 2_000, who.caller).text


@reading("search what is hidden")
async def _(world: World, who: Who) -> str:
    """A hint that something would match must not count what the caller cannot see."""
    answer = await world.call(who, "memory_search", query=MARKER, types=["event"])
    return MARKER if answer["state"] == "filtered" else ""


@reading("searched count", disturbs=True)
async def _(world: World, who: Who) -> str:
    before = (await world.call(who, "memory_search", query=QUERY))["searched"]
    await world.note(world.owner, f"Staging database {next(world.numbers)} of the owner.")
    after = (await world.call(who, "memory_search", query=QUERY))["searched"]
    return MARKER if before != after else ""


@reading("open")
async def _(world: World, who: Who) -> str:
    return json.dumps(await world.call(who, "memory_open", id=world.secret))


@reading("open a revision")
async def _(world: World, who: Who) -> str:
    return json.dumps(await world.call(who, "memory_open", id=world.secret, revision=1))


@reading("open with a cursor")
async def _(world: World, who: Who) -> str:
    opened = await world.call(who, "memory_open", id=world.secret, cursor=world.cursor)
    return json.dumps(opened)


@reading("open near a word")
async def _(world: World, who: Who) -> str:
    return json.dumps(await world.call(who, "memory_open", id=world.secret.lower(), query=MARKER))


@reading("list")
async def _(world: World, who: Who) -> str:
    return str(world.memory.listing(who.caller, limit=200))


@reading("list all")
async def _(world: World, who: Who) -> str:
    return str(world.memory.listing(who.caller, every=True, limit=200))


@reading("list after a cursor")
async def _(world: World, who: Who) -> str:
    return str(world.memory.listing(who.caller, every=True, cursor="7" + "Z" * 25))


@reading("catalog")
async def _(world: World, who: Who) -> str:
    return world.memory.catalog(who.caller)


@reading("catalog resource")
async def _(world: World, who: Who) -> str:
    return await world.read(who, "memory://catalog")


@reading("window")
async def _(world: World, who: Who) -> str:
    return world.memory.window(QUERY, 2_000, who.caller).text


@reading("window resource")
async def _(world: World, who: Who) -> str:
    return await world.read(who, f"memory://window/{QUERY}")


@reading("prompt")
async def _(world: World, who: Who) -> str:
    """A session is shown nothing twice, so it has to forget first."""
    world.memory.injection.forget(who.caller)
    return world.memory.injection.prompt(who.caller, QUERY, budget=2_000)


@reading("session start")
async def _(world: World, who: Who) -> str:
    return world.memory.injection.start(who.caller, source="startup")


@reading("record resource")
async def _(world: World, who: Who) -> str:
    return await world.read(who, f"memory://record/{world.secret}")


@reading("resource list")
async def _(world: World, who: Who) -> str:
    async with connect(world.memory, who.workspace, session_id=who.session) as client:
        return str((await client.list_resources()).resources)


@reading("status counts", disturbs=True)
async def _(world: World, who: Who) -> str:
    async def counts() -> dict[str, Any]:
        status = json.loads(await world.read(who, "memory://status"))
        return {name: status[name] for name in ("by_status", "levels", "global_records")}

    before = await counts()
    await world.note(world.owner, f"Staging database {next(world.numbers)} of the owner.")
    return MARKER if before != await counts() else ""


@reading("lines")
async def _(world: World, who: Who) -> str:
    return json.dumps(await world.call(who, "memory_grep", pattern="listens on port"))


@reading("lines by pattern, every status")
async def _(world: World, who: Who) -> str:
    given = {"pattern": "^the stag.*5[0-9]+", "regex": True, "ignore_case": True}
    return json.dumps(await world.call(who, "memory_grep", **given, statuses=EVERY))


@reading("lines of the scope from a known record on")
async def _(world: World, who: Who) -> str:
    """Whoever knows an id can make up a cursor that stands there."""
    asked = Grep(pattern="database")
    cursor = grep._write_cursor(asked, grep._Mark(world.secret, 0))
    return json.dumps(
        await world.call(who, "memory_grep", pattern="database", scope=world.scope, cursor=cursor)
    )


@reading("index")
async def _(world: World, who: Who) -> str:
    return json.dumps(await world.call(who, "memory_index", scope=world.scope))


@reading("index of every status from the newest on")
async def _(world: World, who: Who) -> str:
    return json.dumps(
        await world.call(who, "memory_index", statuses=EVERY, limit=200, cursor="7" + "Z" * 25)
    )


@reading("stats", disturbs=True)
async def _(world: World, who: Who) -> str:
    async def counts() -> dict[str, Any]:
        told = await world.call(who, "memory_stats")
        return {name: told[name] for name in told if name not in STORE_WIDE}

    before = await counts()
    await world.note(world.owner, f"Staging database {next(world.numbers)} of the owner.")
    return MARKER if before != await counts() else ""


@reading("stats of links", disturbs=True)
async def _(world: World, who: Who) -> str:
    told = await world.call(who, "memory_stats")
    before = told["links"]
    await world.note(world.owner, f"Another {next(world.numbers)}.", tags=["db"])
    mine = (await world.call(world.owner, "memory_stats"))["links"]
    assert mine["automatic"] > 0
    return MARKER if before != (await world.call(who, "memory_stats"))["links"] else ""


@reading("what links lead to", disturbs=True)
async def _(world: World, who: Who) -> str:
    """Somebody knows the row of the record that the secret is linked to."""
    other = await world.note(world.owner, f"Another {next(world.numbers)}.")
    ends = {"from": world.secret, "to": other["id"], "relation": "refines"}
    await world.call(world.owner, "memory_link", **ends)
    with world.memory._database.read() as db:
        rows = [records.number(db, each) or 0 for each in (world.secret, other["id"])]
        found = spread(db, {rows[1]: 1.0}, sight(who.caller, at=now()))
    return MARKER if rows[0] in {each.n for each in found} else ""


@reading("tombstones", disturbs=True)
async def _(world: World, who: Who) -> str:
    await world.call(
        world.owner, "memory_set_status", id=world.secret, status="retracted", reason="wrong"
    )
    counted = json.loads(await world.read(who, "memory://status"))["tombstones"]
    listed = [grave.record_id for grave in world.memory.tombstones(who.caller)]
    assert counted == len(listed)
    return MARKER if world.secret in listed else ""


@reading("open what is retracted", disturbs=True)
async def _(world: World, who: Who) -> str:
    await world.call(
        world.owner, "memory_set_status", id=world.secret, status="retracted", reason="wrong"
    )
    return json.dumps(await world.call(who, "memory_open", id=world.secret))


@reading("similar records told by a write", disturbs=True)
async def _(world: World, who: Who) -> str:
    """A writer is told what is close to its note, in its own scope owner."""
    told = await world.note(who, f"{TEXT} So says {who.session}, {next(world.numbers)}.")
    return json.dumps([told.get("similar"), told.get("conflicts")])


@pytest.fixture(scope="module")
def kept_worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Scope], World]]:
    """A world for each scope, for all the readings that leave it as it is."""
    folder = tmp_path_factory.mktemp("kept")
    worlds: dict[Scope, World] = {}

    def kept(scope: Scope) -> World:
        if scope not in worlds:
            places = (folder / f"{scope}-a", folder / f"{scope}-b")
            for place in places:
                place.mkdir()
            worlds[scope] = made(folder / f"{scope}-store", places, scope)
        return worlds[scope]

    yield kept
    for world in worlds.values():
        world.memory.close()


@card("scope.matrix")
@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("scope", SCOPES)
async def test_a_record_is_read_by_those_it_belongs_to(
    root: Path,
    places: tuple[Path, Path],
    kept_worlds: Callable[[Scope], World],
    scope: Scope,
    name: str,
    path: str,
) -> None:
    world = made(root, places, scope) if path in DISTURBING else kept_worlds(scope)

    seen = MARKER in await READS[path](world, world.people[name])
    owner_sees = MARKER in await READS[path](world, world.owner)

    assert owner_sees
    # A prompt from nowhere is told nothing: nobody could say what was told before.
    assert seen is (name in SEES[scope] and (name, path) != ("no workspace", "prompt"))


Writing = Callable[[World, Who], Awaitable[object]]
WRITES: dict[str, Writing] = {}


def writing(name: str) -> Callable[[Writing], Writing]:
    def kept(function: Writing) -> Writing:
        WRITES[name] = function
        return function

    return kept


@writing("revise by id")
async def _(world: World, who: Who) -> object:
    return await world.note(who, "Nothing listens there.", id=world.secret)


@writing("revise by id alone")
async def _(world: World, who: Who) -> object:
    """The scope is that of the record, so the right to write there is asked for."""
    return await world.call(who, "memory_write", text="Nothing listens.", id=world.secret)


@writing("supersede")
async def _(world: World, who: Who) -> object:
    return await world.note(who, "Nothing listens there.", supersedes=world.secret)


@writing("write under its key")
async def _(world: World, who: Who) -> object:
    return await world.note(who, "Nothing listens there.", dedupe_key="port")


@writing("repeat its text")
async def _(world: World, who: Who) -> object:
    return await world.note(who, LONG)


@writing("dispute")
async def _(world: World, who: Who) -> object:
    return await world.call(
        who, "memory_set_status", id=world.secret, status="disputed", reason="hm"
    )


@writing("retract")
async def _(world: World, who: Who) -> object:
    return await world.call(
        who, "memory_set_status", id=world.secret, status="retracted", reason="hm"
    )


@writing("pin")
async def _(world: World, who: Who) -> object:
    asking = caller(world.memory, who.workspace, who.session).caller
    try:
        return plain(world.memory.pin(world.secret, asking))
    except MemexError as error:
        return {"error": error.told()}


@writing("link from it")
async def _(world: World, who: Who) -> object:
    mine = await world.note(who, f"Staging database {next(world.numbers)} stays.")
    ends = {"from": world.secret, "to": mine.get("id", world.secret)}
    return await world.call(who, "memory_link", **ends, relation="refines")


@writing("link to it")
async def _(world: World, who: Who) -> object:
    mine = await world.note(who, f"Staging database {next(world.numbers)} stays.")
    ends = {"from": mine.get("id", world.secret), "to": world.secret}
    return await world.call(who, "memory_link", **ends, relation="contradicts")


@writing("name as successor")
async def _(world: World, who: Who) -> object:
    mine = await world.note(who, f"Staging database {next(world.numbers)} is gone.")
    return await world.call(
        who,
        "memory_set_status",
        id=mine.get("id", world.secret),
        status="superseded",
        reason="hm",
        superseded_by=world.secret,
    )


@writing("supersede by its successor")
async def _(world: World, who: Who) -> object:
    mine = await world.note(who, f"Staging database {next(world.numbers)} stays.")
    return await world.call(
        who,
        "memory_set_status",
        id=world.secret,
        status="superseded",
        reason="hm",
        superseded_by=mine.get("id", world.secret),
    )


@card("scope.changes")
@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("scope", SCOPES)
async def test_a_record_is_changed_by_those_it_belongs_to(
    root: Path,
    places: tuple[Path, Path],
    scope: Scope,
    name: str,
    path: str,
) -> None:
    world = made(root, places, scope)
    before = as_owned(world)

    told = await WRITES[path](world, world.people[name])
    after = as_owned(world)

    assert (after != before) is (name in SEES[scope])
    if name not in SEES[scope]:
        assert MARKER not in json.dumps(told)
        await WRITES[path](world, world.owner)
        assert as_owned(world) != before


def as_owned(world: World) -> object:
    """All that the owner can tell of the secret, but for the times it was opened."""
    opened = world.memory.open(world.secret, world.owner.caller, Page(max_tokens=5_000))
    record = replace(opened.record, opened_count=0, last_opened_at=None)
    return replace(opened, record=record), world.memory.tombstones(world.owner.caller)


@pytest.mark.parametrize("path", WRITES)
async def test_a_global_record_is_changed_by_global_writers_only(
    root: Path, places: tuple[Path, Path], path: str
) -> None:
    world = made(root, places, Scope.GLOBAL)
    before = as_owned(world)
    stranger = replace(world, memory=Memory(Settings(home=root)))

    told = await WRITES[path](stranger, world.people["other session"])
    unchanged = as_owned(world)
    await WRITES[path](world, world.people["other session"])

    assert "error" in json.dumps(told)
    assert unchanged == before
    assert as_owned(world) != before


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", CALLERS)
async def test_a_withdrawn_text_is_refused_where_the_tombstone_stands(
    root: Path, places: tuple[Path, Path], scope: Scope, name: str
) -> None:
    world = made(root, places, scope)
    who = world.people[name]
    await world.call(
        world.owner, "memory_set_status", id=world.secret, status="retracted", reason="wrong"
    )

    owner = await world.note(world.owner, LONG)
    told = await world.note(who, LONG)

    assert owner["error"]["code"] == "refused"
    code = told["error"]["code"] if "error" in told else "ok"
    if name in SEES[scope]:
        assert code == "refused"
    else:
        assert code in {"ok", "denied"}
