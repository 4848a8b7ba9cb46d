"""What is archived is read by those it belongs to: every path of the other records, and its own.

The secret is a turn of one session.  Its span is the session's alone, whatever is on; what was
asked and answered in it goes where the user lets it.
"""

from collections.abc import Callable, Generator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memex_mcp.errors import MemexError, NotFound
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller, Evidence
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.levels import Level
from memex_mcp.model.query import Page
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.settings import Settings
from tests.card import card
from tests.claude_file import ClaudeFile
from tests.whole.test_leaks import (
    CALLERS,
    DISTURBING,
    LONG,
    MARKER,
    OTHERS,
    QUERY,
    READS,
    SEES,
    TEXT,
    Who,
    World,
    caller,
)

# Of an archive there is no tag, no revision and nothing that a type would hide; what is stable
# and pinned, and what a prompt brings back, are not the session's own turns.
NOT_OF_SPANS = {
    *("search by tag", "search as believed", "search what is hidden", "open a revision"),
    *("catalog", "catalog resource", "prompt", "session start"),
}
PATHS = [name for name in READS if name not in DISTURBING and name not in NOT_OF_SPANS]

Kept = Callable[[str], World]


def archived(folder: Path, level: str) -> World:
    """A store in which each session said something of its own, and one of them the secret."""
    here, elsewhere = folder / "a", folder / "b"
    for place in (here, elsewhere):
        place.mkdir(parents=True)
    memory = Memory(
        Settings(home=folder / "store", capture_level="l2" if level == "l2" else "deepest")
    )
    people = {
        "same session": caller(memory, here, "s-1"),
        "other session": caller(memory, here, "s-2"),
        "other workspace": caller(memory, elsewhere, "s-1"),
        "no workspace": caller(memory, None, "s-1"),
    }
    for who in people.values():
        if who.workspace is not None:
            person = Evidence(
                surface=Surface.CLI, client="cli", workspace=who.workspace, human=True
            )
            for each in Level:
                memory.switches.turn_on(each, memory.caller(person))
    secret = ""
    for name, who in people.items():
        if who.workspace is None:
            continue
        talk = ClaudeFile(folder / f"{name}.jsonl", who.workspace, session=who.session, began=now())
        talk.at += timedelta(seconds=1)
        mine = name == "same session"
        talk.turn(LONG if mine else f"{OTHERS} Says {name}.", TEXT if mine else OTHERS)
        ids = memory.archive.capture(talk.path, "claude", hook(memory, who)).ids
        assert len(ids) == 2
        secret = secret or ids[0]
    owner = people["same session"]
    cursor = memory.open(secret, owner.caller, Page(max_tokens=60)).next_cursor
    assert cursor is not None
    return World(memory, Scope.SESSION, people, owner, secret, cursor)


def hook(memory: Memory, who: Who) -> Caller:
    return memory.caller(
        Evidence(
            surface=Surface.HOOK,
            client="claude",
            workspace=who.workspace,
            session_id=who.session,
            writes_as=Author.DERIVED,
        )
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    worlds: dict[str, World] = {}

    def one(level: str) -> World:
        if level not in worlds:
            worlds[level] = archived(tmp_path_factory.mktemp(level), level)
        return worlds[level]

    yield one
    for world in worlds.values():
        world.memory.close()


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """The process itself stands where no workspace can be."""
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    yield


@card("scope.archive")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", CALLERS)
async def test_a_turn_is_read_by_its_own_session(kept: Kept, name: str, path: str) -> None:
    world = kept("l2")

    seen = MARKER in await READS[path](world, world.people[name])
    owner_sees = MARKER in await READS[path](world, world.owner)

    assert owner_sees
    assert seen is (name in SEES[Scope.SESSION])


def lines(world: World, who: Who) -> str:
    return str(world.memory.open(world.secret, who.caller, Page(events=True, max_tokens=9_000)))


def receipt(world: World, who: Who) -> str:
    return world.memory.archive.receipt(who.caller)


def start(world: World, who: Who) -> str:
    return world.memory.injection.start(who.caller, source="compact", budget=9_000)


@pytest.mark.parametrize("read", [lines, receipt, start])
@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("level", ["l2", "l3"])
def test_lines_and_receipts_are_the_sessions_own(
    kept: Kept, level: str, name: str, read: Callable[[World, Who], str]
) -> None:
    world = kept(level)

    try:
        seen = read(world, world.people[name])
    except MemexError as error:
        seen = str(error)

    assert MARKER in read(world, world.owner)
    shared = level == "l3" and read is start and name == "other session"
    assert (MARKER in seen) is (name == "same session" or shared)


@card("scope.archive")
@pytest.mark.parametrize("level", ["l2", "l3"])
@pytest.mark.parametrize("name", CALLERS)
def test_what_was_asked_comes_back_in_other_sessions_where_it_is_shared_and_nowhere_else(
    kept: Kept, level: str, name: str
) -> None:
    world = kept(level)
    who = world.people[name]
    world.memory.injection.forget(who.caller)

    told = world.memory.injection.prompt(who.caller, f"{QUERY} {MARKER}")
    begun = world.memory.injection.start(who.caller, source="startup")

    shared = level == "l3" and name == "other session"
    assert (MARKER in told) is shared
    assert (MARKER in begun) is shared
    assert world.secret not in told + begun


@pytest.mark.parametrize("level", ["l2", "l3"])
def test_a_checkpoint_that_is_shared_opens_no_way_to_its_span(kept: Kept, level: str) -> None:
    world = kept(level)
    sibling = world.people["other session"]
    seen = world.memory.listing(sibling.caller, every=True, limit=200).records
    theirs = [record for record in seen if MARKER in record.card.title]

    assert [record.kind for record in theirs] == ([Kind.CHECKPOINT] if level == "l3" else [])
    for record in theirs:
        opened = world.memory.open(record.id, sibling.caller, Page(events=True))
        assert opened.events == ()
        # It names what it was made from; a name opens nothing.
        assert opened.sources == (world.secret,)
        with pytest.raises(NotFound):
            world.memory.open(world.secret, sibling.caller, Page(events=True))
    control = world.memory.write(Draft(text=TEXT), world.owner.caller)
    assert world.memory.open(control.id, sibling.caller).text == TEXT
