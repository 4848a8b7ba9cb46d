"""What each tool takes: parsed once here, trusted below.

Field descriptions are read by the model in every request, so they are few and short.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import is_id
from memex_mcp.model.kinds import Kind, NoteType, Scope, Status
from memex_mcp.model.query import Page, Query
from memex_mcp.model.record import Draft
from memex_mcp.model.times import parse_time
from memex_mcp.policy.limits import CALL_CHARACTERS

Include = Literal[
    "active", "disputed", "candidate", "superseded", "retracted", "archived", "expired"
]
Target = Literal["active", "disputed", "superseded", "retracted", "archived"]

_STAMPS = {
    "author",
    "trust",
    "verified",
    "status",
    "surface",
    "client",
    "workspace",
    "workspace_id",
    "session",
    "session_id",
    "recorded_at",
    "updated_at",
    "owner",
    "level",
    "pinned",
}


class Arguments(BaseModel):
    """Arguments of one tool call; anything that is not named here is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def parse(cls, given: Mapping[str, object] | None) -> Self:
        """Read what the client sent; null stands for an argument left out.

        Raises:
            Invalid: An argument is missing, unknown or out of range; the message names it.
                Or all of them together are too long.
        """
        present = {name: value for name, value in (given or {}).items() if value is not None}
        _check_length(present)
        try:
            return cls.model_validate(present)
        except ValidationError as error:
            raise _told(error, cls) from None


class SearchArguments(Arguments):
    """Arguments of ``memory_search``."""

    query: str
    variants: Annotated[
        list[str], Field(max_length=6, description="2-4 rephrasings, synonyms or translations")
    ] = []
    limit: Annotated[int, Field(ge=1, le=50)] = 8
    kinds: list[Kind] = []
    types: list[NoteType] = []
    tags: list[str] = []
    path: Annotated[str, Field(description="file or folder it is about")] = ""
    scope: Scope | None = None
    include: list[Include] = []
    as_of: Annotated[str | None, Field(description="what was true then (ISO)")] = None
    believed_at: Annotated[str | None, Field(description="what was on record then")] = None
    max_tokens: Annotated[int, Field(ge=200, le=20_000)] = 2000
    open_top: Annotated[bool, Field(description="add the best hit's text")] = False
    explain: bool = False
    cursor: str | None = None

    def query_value(self) -> Query:
        """The same as a value of ours."""
        return Query(
            text=self.query,
            variants=tuple(self.variants),
            limit=self.limit,
            kinds=tuple(self.kinds),
            types=tuple(self.types),
            tags=tuple(tag.strip().lower() for tag in self.tags),
            path=self.path,
            scope=self.scope,
            include=tuple(self.include),
            as_of=_moment(self.as_of, "as_of"),
            believed_at=_moment(self.believed_at, "believed_at"),
            max_tokens=self.max_tokens,
            open_top=self.open_top,
            explain=self.explain,
            cursor=self.cursor,
        )


class OpenArguments(Arguments):
    """Arguments of ``memory_open``."""

    id: str
    cursor: str | None = None
    max_tokens: Annotated[int, Field(ge=50, le=20_000)] = 2000
    query: Annotated[str, Field(description="start near these words")] = ""
    revision: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    events: Annotated[bool, Field(description="its transcript lines instead")] = False

    def record_id(self) -> str:
        """The id, if it has the shape of one.

        Raises:
            Invalid: It has not.
        """
        return as_id(self.id, "id")

    def page(self) -> Page:
        """Which part of the record is asked for."""
        return Page(
            cursor=self.cursor,
            max_tokens=self.max_tokens,
            query=self.query,
            revision=self.revision,
            events=self.events,
        )


class WriteArguments(Arguments):
    """Arguments of ``memory_write``."""

    text: Annotated[str, Field(description="one self-contained statement")]
    title: str = ""
    type: NoteType | None = None
    tags: list[str] = []
    use_when: Annotated[str, Field(description="situation in which it helps")] = ""
    aliases: Annotated[list[str], Field(description="other names for it")] = []
    questions: Annotated[list[str], Field(description="questions it answers")] = []
    source: Annotated[str, Field(description="file:line, URL or person")] = ""
    source_version: str = ""
    observed_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    supersedes: Annotated[str | None, Field(description="id it replaces")] = None
    dedupe_key: Annotated[str | None, Field(min_length=1, description="upsert key")] = None
    id: Annotated[str | None, Field(description="revise this record")] = None
    scope: Annotated[Scope | None, Field(description="default workspace")] = None
    salience: Annotated[float | None, Field(ge=0, le=1)] = None

    def draft(self) -> Draft:
        """The same as a value of ours."""
        return Draft(
            text=self.text,
            title=self.title,
            type=self.type,
            tags=tuple(self.tags),
            use_when=self.use_when,
            aliases=tuple(self.aliases),
            questions=tuple(self.questions),
            source=self.source,
            source_version=self.source_version,
            observed_at=_moment(self.observed_at, "observed_at"),
            valid_from=_moment(self.valid_from, "valid_from"),
            valid_to=_moment(self.valid_to, "valid_to"),
            expires_at=_moment(self.expires_at, "expires_at"),
            supersedes=as_id(self.supersedes, "supersedes") if self.supersedes else None,
            dedupe_key=self.dedupe_key,
            id=as_id(self.id, "id") if self.id else None,
            scope=self.scope,
            salience=self.salience,
        )


class SetStatusArguments(Arguments):
    """Arguments of ``memory_set_status``."""

    id: str
    status: Target
    reason: Annotated[str, Field(min_length=1, max_length=400)]
    superseded_by: str | None = None

    def record_id(self) -> str:
        """The id, if it has the shape of one.

        Raises:
            Invalid: It has not.
        """
        return as_id(self.id, "id")

    def to_status(self) -> Status:
        """The status to move to."""
        return Status(self.status)

    def successor(self) -> str | None:
        """The id of the record that takes the old one's place."""
        return as_id(self.superseded_by, "superseded_by") if self.superseded_by else None


def _check_length(given: Mapping[str, object]) -> None:
    parts: list[object] = []
    for value in given.values():
        parts += value if isinstance(value, list) else [value]
    length = sum(len(part) for part in parts if isinstance(part, str))
    if length > CALL_CHARACTERS:
        raise Invalid(
            f"the arguments have {length:,} characters",
            f"One call takes at most {CALL_CHARACTERS:,}.",
        )


def _moment(text: str | None, name: str) -> datetime | None:
    return parse_time(text, name) if text else None


def as_id(text: str, name: str) -> str:
    """A record id in the case that ids have.

    Raises:
        Invalid: It has not the shape of one; the message names the argument.
    """
    wanted = text.strip().upper()
    if not is_id(wanted):
        raise Invalid(f"{name} is not a record id", "Use an id that a search returned.")
    return wanted


def _told(error: ValidationError, cls: type[Arguments]) -> Invalid:
    """The first thing wrong, in words that name the argument and repeat no value."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    if first["type"] == "missing":
        return Invalid(f"argument {name} is missing", f"{name} is required.")
    if first["type"] == "extra_forbidden":
        if name in _STAMPS:
            return Invalid(f"argument {name} is set by the server", "Leave it out.")
        known = ", ".join(field.alias or name for name, field in cls.model_fields.items())
        return Invalid(f"argument {name[:60]!r} is unknown", f"Known are: {known}.")
    return Invalid(f"argument {name}: {first['msg']}", "Change it and call again.")
