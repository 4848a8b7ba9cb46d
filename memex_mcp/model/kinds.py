"""The closed vocabularies: one word per thing, the same in code, SQL and on the wire."""

from enum import StrEnum


class Kind(StrEnum):
    """What a record is."""

    NOTE = "note"
    SPAN = "span"
    CHECKPOINT = "checkpoint"
    DIGEST = "digest"
    SCENE = "scene"
    PERSONA = "persona"


class NoteType(StrEnum):
    """What a note states."""

    FACT = "fact"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    TASK = "task"
    EVENT = "event"
    METHOD = "method"
    ARTIFACT = "artifact"
    ENTITY = "entity"
    INSIGHT = "insight"
    TRAIT = "trait"


STABLE = (NoteType.CONSTRAINT, NoteType.PREFERENCE, NoteType.INSTRUCTION)
"""Types of notes that hold whatever is asked."""


class Scope(StrEnum):
    """Who may read a record: one session (L2), one workspace (L3), or everyone here."""

    SESSION = "session"
    WORKSPACE = "workspace"
    GLOBAL = "global"


LEVELS = {Scope.SESSION: "L2", Scope.WORKSPACE: "L3"}


class Tier(StrEnum):
    """How a body is kept; both are lossless and searchable."""

    HOT = "hot"
    COLD = "cold"


class Surface(StrEnum):
    """Where a call came in."""

    TOOL = "tool"
    HOOK = "hook"
    CLI = "cli"
    PANEL = "panel"
    IMPORT = "import"
    WORKER = "worker"


class Author(StrEnum):
    """Who wrote the text; stamped from the caller, never taken from input."""

    HUMAN = "human"
    AGENT = "agent"
    FILE = "file"
    DERIVED = "derived"
    LLM = "llm"


class Trust(StrEnum):
    """Whether a person stands behind the record."""

    UNTRUSTED = "untrusted"
    VERIFIED = "verified"


class Status(StrEnum):
    """Where a record is in its life; *expired* is computed from time, never stored."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    DISPUTED = "disputed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    ARCHIVED = "archived"


CURRENT = (Status.ACTIVE, Status.DISPUTED)
"""The statuses that ordinary recall, catalogs and injection show."""


class Outcome(StrEnum):
    """What a write did."""

    CREATED = "created"
    REVISED = "revised"
    REINFORCED = "reinforced"
    UNCHANGED = "unchanged"
    CANDIDATE = "candidate"


class Relation(StrEnum):
    """What one record is to another."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    PROPOSES = "proposes"
    RELATED = "related"
    REFINES = "refines"
    DEPENDS_ON = "depends-on"
    SAME_ENTITY = "same-entity"


STATED = (
    Relation.RELATED,
    Relation.REFINES,
    Relation.CONTRADICTS,
    Relation.DEPENDS_ON,
    Relation.SAME_ENTITY,
)
"""The relations that a caller may state; the others come with a change of a record."""


class State(StrEnum):
    """Why a search answered as it did."""

    OK = "ok"
    NO_MATCH = "no_match"
    EMPTY_ARCHIVE = "empty_archive"
    FILTERED = "filtered"
    DISABLED = "disabled"
    DEGRADED = "degraded"
