"""Every failure a caller can act on.

MemexError
├── NotFound     no such record here, or not yours to see
├── Denied       the caller may not do this
├── Invalid      the input can never work; change it
├── Conflict     someone wrote first; read again, then retry
├── Refused      the value was withdrawn; only a person lifts that
├── StaleCursor  the text changed since the first page
├── Unavailable  the store or an optional part cannot answer now
├── Disabled     memory is switched off here
└── Damaged      what is on disk disagrees with itself

``code`` is stable and for programs; ``hint`` is the next step.  Neither ever holds a
path, SQL or a stack trace.
"""

from typing import ClassVar


class MemexError(Exception):
    """A failure the caller can act on.

    Attributes:
        code: Stable name of the reaction it calls for.
        hint: What to do next, one sentence; may be empty.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def told(self) -> str:
        """The one-line form that every surface shows: ``code: message. hint``."""
        return f"{self.code}: {str(self).rstrip('.')}. {self.hint}".rstrip()


class NotFound(MemexError):
    """The record is gone, was never there, or lies outside what the caller may see."""

    code = "not_found"


class Denied(MemexError):
    """The caller may not do this."""

    code = "denied"


class Invalid(MemexError):
    """The input can never work."""

    code = "invalid"


class Conflict(MemexError):
    """Someone else changed the record first."""

    code = "conflict"


class Refused(MemexError):
    """The value carries a tombstone in this scope."""

    code = "refused"


class StaleCursor(MemexError):
    """The cursor belongs to an earlier text."""

    code = "stale_cursor"


class Unavailable(MemexError):
    """The store, or an optional part of the work, cannot answer now."""

    code = "unavailable"


class Disabled(MemexError):
    """Memory is switched off for this caller."""

    code = "disabled"


class Damaged(MemexError):
    """What is on disk disagrees with itself."""

    code = "damaged"
