"""The four tools: what the agent reads about each, and what a call does.

The descriptions are prompts.  They say when to call, in few words: every client sends them
with every request.
"""

from functools import partial

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.retrieval import render
from memex_mcp.retrieval.plain import plain
from memex_mcp.server import outputs, told
from memex_mcp.server.advanced import Advanced
from memex_mcp.server.arguments import (
    OpenArguments,
    SearchArguments,
    SetStatusArguments,
    WriteArguments,
)
from memex_mcp.server.readers import Readers
from memex_mcp.server.spec import Answer, Given, Handler, Spec
from memex_mcp.server.threads import Threads
from memex_mcp.text.fence import nonce

SPECS = (
    Spec(
        name="memory_search",
        title="Search memory",
        description=(
            "Find what earlier sessions in this workspace learned: decisions, constraints, "
            "preferences, how-to, names. Call before a task that may touch them. Any language; "
            "put rephrasings and translations in variants. no_match means nothing is on record."
        ),
        arguments=SearchArguments,
        output=outputs.SearchOutput,
        writes=False,
        always_load=True,
    ),
    Spec(
        name="memory_open",
        title="Open a record",
        description="Read one record whole, a page at a time (cursor), with its history and links.",
        arguments=OpenArguments,
        output=outputs.OpenOutput,
        writes=False,
    ),
    Spec(
        name="memory_write",
        title="Write to memory",
        description=(
            "Record what a later session should know: one self-contained statement, with its "
            "reason. supersedes replaces an outdated record; id revises one. scope session keeps "
            "it private to this session. Never secrets."
        ),
        arguments=WriteArguments,
        output=outputs.WriteOutput,
        writes=True,
        idempotent=False,
        always_load=True,
    ),
    Spec(
        name="memory_set_status",
        title="Correct a record",
        description=(
            "Mark a record retracted (wrong; its text is then refused for good), disputed, "
            "archived, or superseded by another."
        ),
        arguments=SetStatusArguments,
        output=outputs.SetStatusOutput,
        writes=True,
    ),
)


class Toolbox:
    """Runs the tools of one memory."""

    def __init__(self, memory: Memory, threads: Threads, readers: Readers) -> None:
        self._memory = memory
        self._threads = threads
        self._readers = readers
        self._handlers: dict[str, Handler] = {
            "memory_search": self._search,
            "memory_open": self._open,
            "memory_write": self._write,
            "memory_set_status": self._set_status,
            **Advanced(memory, threads, readers).handlers,
        }

    async def call(self, name: str, caller: Caller, given: Given) -> Answer:
        """Run one tool.

        Raises:
            MemexError: What the agent can act on.
        """
        return await self._handlers[name](caller, given)

    async def _search(self, caller: Caller, given: Given) -> Answer:
        query = SearchArguments.parse(given).query_value()
        how = self._readers.tuning(caller)
        answer = await self._threads.read(partial(self._memory.search, query, caller, tuning=how))
        return Answer(render.render_search(answer, nonce=nonce(), form=how.form), plain(answer))

    async def _open(self, caller: Caller, given: Given) -> Answer:
        arguments = OpenArguments.parse(given)
        opened = await self._threads.read(
            partial(self._memory.open, arguments.record_id(), caller, arguments.page())
        )
        text, opened = told.opened(opened, nonce=nonce(), form=self._readers.form(caller))
        structure = plain(opened)
        if arguments.events:
            # The text is the page; the hashes are of the lines that end on it.
            structure["events"] = told.ended_hashes(opened)
        return Answer(text, structure)

    async def _write(self, caller: Caller, given: Given) -> Answer:
        draft = WriteArguments.parse(given).draft()
        written = await self._threads.run(partial(self._memory.write, draft, caller))
        return Answer(
            told.written(written, nonce=nonce(), form=self._readers.form(caller)), plain(written)
        )

    async def _set_status(self, caller: Caller, given: Given) -> Answer:
        arguments = SetStatusArguments.parse(given)
        moved = await self._threads.run(
            partial(
                self._memory.set_status,
                arguments.record_id(),
                arguments.to_status(),
                caller,
                reason=arguments.reason,
                superseded_by=arguments.successor(),
            )
        )
        return Answer(told.moved(moved), plain(moved))
