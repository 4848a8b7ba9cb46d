"""What a store folder holds, and what is left of it when it was removed."""

from collections.abc import Mapping

from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a database holds, of all workspaces and sessions together.

    Attributes:
        records: By kind, the most frequent first.
    """

    records: Mapping[str, int]
    workspaces: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What lies in a store folder.

    Attributes:
        counts: None where the database cannot be read.
        files: How many of them are memex's.
        bytes: In those files.
        foreign: What is not memex's, relative to the folder; a folder ends in a slash.
    """

    counts: Counts | None
    files: int
    bytes: int
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What came of a removal.

    Attributes:
        files: How many were removed.
        failed: Those that could not be, relative to the folder.
        foreign: What is not memex's and was left alone, named in the same way.
    """

    files: int
    failed: tuple[str, ...]
    foreign: tuple[str, ...]
