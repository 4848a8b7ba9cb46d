"""Record ids: sortable by time, unique without coordination."""

import os
import threading
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_lock = threading.Lock()
_last = 0


def encode(value: int) -> str:
    """The 26 characters of a 128-bit number in Crockford base 32."""
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


def new_id(milliseconds: int | None = None) -> str:
    """A fresh id: 48 bits of Unix milliseconds, then 80 random bits (the ULID layout).

    Ids made by one process always ascend, also within one millisecond.

    Args:
        milliseconds: Time to stamp; now when left out.

    Source:
        https://github.com/ulid/spec
    """
    global _last  # the one piece of state that keeps ids ascending
    stamp = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    with _lock:
        fresh = (stamp << 80) | int.from_bytes(os.urandom(10))
        if milliseconds is None:
            fresh = max(fresh, _last + 1)
            _last = fresh
        return encode(fresh)


def is_id(text: str) -> bool:
    """Whether ``text`` has the shape of a record id."""
    return len(text) == 26 and text[0] in "01234567" and all(c in _ALPHABET for c in text)


def new_session_id() -> str:
    """A session id for a process whose client names none; unguessable."""
    return "p-" + os.urandom(12).hex()
