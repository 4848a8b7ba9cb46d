"""How a store is doing."""

from memex_mcp.model.levels import Injected, Standing
from memex_mcp.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelUse:
    """How full one level is for this caller, in tokens of record bodies."""

    level: str
    records: int
    hot_tokens: int
    cold_tokens: int
    capacity_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """How the store is doing, as far as the caller may see.

    Attributes:
        disabled: Why memory is off; empty when it is on.
        injected: What hooks told the caller's session; None without one.
        switches: How levels, mode and master switch stand for the caller.
        by_status: Records the caller sees, by status.
        by_origin: The same records by where they came from.
        levels: Private archive of the session (L2) and shared archive of the workspace (L3).
        global_records: Records that every workspace sees.
        token_method: How token counts are made at present.
        waiting_files: Records whose Markdown file is still to be written.
        embedder: Model that search by meaning asks; empty when it is off.
        vectors: Distinct texts of the whole store that have a vector of this model.
        waiting_vectors: Chunks of the whole store that wait for theirs.
        database_bytes: Size of the database with its log.
    """

    disabled: str
    workspace: str | None
    session_id: str | None
    injected: Injected | None
    switches: Standing
    by_status: dict[str, int]
    by_origin: dict[str, int]
    levels: tuple[LevelUse, ...]
    global_records: int
    tombstones: int
    token_method: str
    waiting_files: int
    embedder: str
    vectors: int
    waiting_vectors: int
    database_bytes: int
    version: str
    schema_version: int
    analyzer_version: str
