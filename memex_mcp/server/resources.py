"""Resources: the catalog, the store's state, records by id, windows by their question."""

import hashlib
import json
from functools import partial

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    Annotations,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    SubscribeRequestParams,
    TextResourceContents,
    UnsubscribeRequestParams,
)

from memex_mcp.errors import Disabled, Invalid, NotFound
from memex_mcp.memory import Cancel, Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.ids import is_id
from memex_mcp.model.query import Page
from memex_mcp.retrieval.plain import plain
from memex_mcp.server import told
from memex_mcp.server.callers import Callers, Context
from memex_mcp.server.events import (
    CATALOG_URI,
    STATUS_URI,
    WINDOW_URI,
    ChangeNotices,
    question_of,
    record_id_of,
    record_uri,
)
from memex_mcp.server.readers import Readers
from memex_mcp.server.threads import Threads
from memex_mcp.text.fence import Format, fenced, nonce

_PAGE = 50
_WINDOW_TOKENS = 2_000


class Resources:
    """Answers the resource requests of one server."""

    def __init__(
        self,
        memory: Memory,
        threads: Threads,
        callers: Callers,
        notices: ChangeNotices,
        readers: Readers,
    ) -> None:
        self._memory = memory
        self._threads = threads
        self._callers = callers
        self._notices = notices
        self._readers = readers

    async def list_all(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The three fixed resources, then the current records, newest first, in pages."""
        cursor = params.cursor if params else None
        if cursor is not None and not is_id(cursor):
            raise MCPError(INVALID_PARAMS, "the cursor is not one of ours")
        caller = await self._callers.of(context)
        try:
            listed = await self._threads.read(
                lambda cancel: self._memory.listing(
                    caller, limit=_PAGE, cursor=cursor, cancel=cancel
                )
            )
        except Disabled:
            # The state says why, whatever is off.
            return ListResourcesResult(resources=[_STATUS])
        records = [
            Resource(
                uri=record_uri(record.id),
                name=record.id,
                title=record.card.title,
                mime_type="text/markdown",
            )
            for record in listed.records
        ]
        fixed = [] if cursor else [_CATALOG, _STATUS, _WINDOW]
        return ListResourcesResult(resources=[*fixed, *records], next_cursor=listed.next_cursor)

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """The addresses of any record and of the window for any question."""
        return ListResourceTemplatesResult(resource_templates=[_RECORD, _QUESTION])

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The text behind an address."""
        caller = await self._callers.of(context)
        try:
            text, mime_type = await self._threads.read(partial(self._text, params.uri, caller))
        except (NotFound, Invalid) as error:
            raise MCPError(INVALID_PARAMS, error.told(), {"uri": params.uri}) from error
        contents = TextResourceContents(uri=params.uri, mime_type=mime_type, text=text)
        return ReadResourceResult(contents=[contents])

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Note that this client wants to hear of changes."""
        self._notices.subscribe(context.session, params.uri)
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Note that it does not any more."""
        self._notices.unsubscribe(context.session, params.uri)
        return EmptyResult()

    def _text(self, uri: str, caller: Caller, cancel: Cancel) -> tuple[str, str]:
        if uri == CATALOG_URI:
            who = self._readers.profile(caller)
            room = who.catalog_characters
            catalog = self._memory.catalog(caller, cancel, characters=room)
            return _fenced_catalog(catalog, who.format), "text/markdown"
        if uri == STATUS_URI:
            return self._status(caller), "application/json"
        question = question_of(uri)
        if question is not None:
            window = self._memory.window(question, _WINDOW_TOKENS, caller, cancel)
            return window.text, "text/markdown"
        record_id = record_id_of(uri)
        if record_id is None:
            raise MCPError(INVALID_PARAMS, "there is no such resource", {"uri": uri})
        opened = self._memory.open(record_id, caller, Page(max_tokens=2000), cancel)
        text, _ = told.opened(opened, nonce=nonce(), form=self._readers.form(caller))
        return text, "text/markdown"

    def _status(self, caller: Caller) -> str:
        """The state without what opens private records or says where this machine keeps things."""
        status = plain(self._memory.status(caller))
        del status["session_id"]
        status["workspace"] = caller.workspace.name if caller.workspace else None
        return json.dumps(status, ensure_ascii=False, indent=2)


def _fenced_catalog(catalog: str, form: Format) -> str:
    """Titles are recalled text too.  The nonce follows from the text, which has to stay the same.

    Nobody who writes a title knows it: the catalog holds ids that are not given yet.
    """
    derived = hashlib.sha256(catalog.encode("utf-8", "replace")).hexdigest()[:8]
    return fenced(catalog.rstrip("\n"), label="catalog", nonce=derived, format=form) + "\n"


_FOR_MODELS = Annotations(audience=["assistant"], priority=0.5)
_CATALOG = Resource(
    uri=CATALOG_URI,
    name="catalog",
    title="What is on record here",
    description="One line per record; the same bytes until something is written.",
    mime_type="text/markdown",
    annotations=_FOR_MODELS,
)
_STATUS = Resource(
    uri=STATUS_URI,
    name="status",
    title="State of the memory",
    description="Counts, levels and sizes.",
    mime_type="application/json",
    annotations=_FOR_MODELS,
)
_WINDOW = Resource(
    uri=WINDOW_URI,
    name="window",
    title="What always counts here",
    description="Pinned records, constraints, preferences and instructions.",
    mime_type="text/markdown",
    annotations=_FOR_MODELS,
)
_QUESTION = ResourceTemplate(
    uri_template=f"{WINDOW_URI}/{{query}}",
    name="window",
    title="A page for one question",
    description="What always counts, then excerpts that answer the question.",
    mime_type="text/markdown",
    annotations=_FOR_MODELS,
)
_RECORD = ResourceTemplate(
    uri_template="memory://record/{id}",
    name="record",
    title="One record",
    description="The first page of a record, with its history and links.",
    mime_type="text/markdown",
)
