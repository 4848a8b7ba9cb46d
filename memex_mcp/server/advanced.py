"""The tools for those who ask for more than four: what they say, and what a call does."""

from functools import partial

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.retrieval import lists
from memex_mcp.retrieval.plain import plain
from memex_mcp.server import outputs
from memex_mcp.server.advanced_arguments import (
    GrepArguments,
    IndexArguments,
    LinkArguments,
    StatsArguments,
)
from memex_mcp.server.readers import Readers
from memex_mcp.server.spec import Answer, Given, Handler, Spec
from memex_mcp.server.threads import Threads
from memex_mcp.text.fence import nonce

SPECS = (
    Spec(
        name="memory_grep",
        title="Search lines",
        description=(
            "Find lines that hold an exact text, or match a regular expression (regex), in every "
            "record. For strings that memory_search would take apart."
        ),
        arguments=GrepArguments,
        output=outputs.GrepOutput,
        writes=False,
    ),
    Spec(
        name="memory_index",
        title="List records",
        description="List what is on record, newest first, a page at a time (cursor).",
        arguments=IndexArguments,
        output=outputs.IndexOutput,
        writes=False,
    ),
    Spec(
        name="memory_link",
        title="Link two records",
        description=(
            "State what one record is to another. Searches then bring related records along; "
            "contradicts keeps both, and opening either names the other."
        ),
        arguments=LinkArguments,
        output=outputs.LinkOutput,
        writes=True,
    ),
    Spec(
        name="memory_stats",
        title="Count records",
        description="How much is on record here, by kind, status, tier and scope.",
        arguments=StatsArguments,
        output=outputs.StatsOutput,
        writes=False,
    ),
)


class Advanced:
    """Runs these tools of one memory."""

    def __init__(self, memory: Memory, threads: Threads, readers: Readers) -> None:
        self._memory = memory
        self._threads = threads
        self._readers = readers
        self.handlers: dict[str, Handler] = {
            "memory_grep": self._grep,
            "memory_index": self._index,
            "memory_link": self._link,
            "memory_stats": self._stats,
        }

    async def _grep(self, caller: Caller, given: Given) -> Answer:
        asked = GrepArguments.parse(given).asked()
        grepped = await self._threads.read(partial(self._memory.grep, asked, caller))
        return Answer(
            lists.render_grepped(grepped, nonce=nonce(), form=self._readers.form(caller)),
            plain(grepped),
        )

    async def _index(self, caller: Caller, given: Given) -> Answer:
        asked = IndexArguments.parse(given).asked()
        listed = await self._threads.read(partial(self._memory.index, asked, caller))
        return Answer(
            lists.render_listed(listed, nonce=nonce(), form=self._readers.form(caller)),
            plain(listed),
        )

    async def _link(self, caller: Caller, given: Given) -> Answer:
        link = LinkArguments.parse(given).link()
        linked = await self._threads.run(partial(self._memory.link, link, caller))
        return Answer(lists.render_linked(linked), plain(linked))

    async def _stats(self, caller: Caller, given: Given) -> Answer:
        StatsArguments.parse(given)
        stats = await self._threads.read(partial(self._memory.stats, caller))
        return Answer(lists.render_stats(stats), plain(stats))
