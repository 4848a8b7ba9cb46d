"""What the advanced tools take."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from memex_mcp.model.browse import Browse, Grep
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.record import Link
from memex_mcp.server.arguments import Arguments, Include, as_id

Stated = Literal["related", "refines", "contradicts", "depends-on", "same-entity"]


class IndexArguments(Arguments):
    """Arguments of ``memory_index``."""

    kinds: tuple[Kind, ...] = ()
    statuses: Annotated[tuple[Include, ...], Field(description="default: current ones")] = ()
    scope: Scope | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: str | None = None

    def asked(self) -> Browse:
        """The same as a value of ours."""
        return Browse(
            kinds=self.kinds,
            statuses=self.statuses,
            scope=self.scope,
            limit=self.limit,
            cursor=self.cursor.strip().upper() if self.cursor else None,
        )


class GrepArguments(Arguments):
    """Arguments of ``memory_grep``."""

    pattern: Annotated[str, Field(description="one line at most")]
    regex: bool = False
    ignore_case: bool = False
    kinds: tuple[Kind, ...] = ()
    statuses: Annotated[tuple[Include, ...], Field(description="default: current ones")] = ()
    scope: Scope | None = None
    limit: Annotated[int, Field(ge=1, le=100, description="lines")] = 20
    cursor: str | None = None

    def asked(self) -> Grep:
        """The same as a value of ours."""
        return Grep(
            pattern=self.pattern,
            regex=self.regex,
            ignore_case=self.ignore_case,
            among=Browse(
                kinds=self.kinds,
                statuses=self.statuses,
                scope=self.scope,
                limit=self.limit,
                cursor=self.cursor,
            ),
        )


class LinkArguments(Arguments):
    """Arguments of ``memory_link``."""

    model_config = ConfigDict(populate_by_name=False)

    from_: Annotated[str, Field(alias="from", description="id")]
    to: Annotated[str, Field(description="id")]
    relation: Annotated[Stated, Field(description="what from is to to")]
    weight: Annotated[float, Field(gt=0, le=1)] = 0.7

    def link(self) -> Link:
        """The same as a value of ours.

        Raises:
            Invalid: An id has not the shape of one.
        """
        return Link(
            from_id=as_id(self.from_, "from"),
            to_id=as_id(self.to, "to"),
            relation=self.relation,
            weight=self.weight,
        )


class StatsArguments(Arguments):
    """Arguments of ``memory_stats``: there are none."""
