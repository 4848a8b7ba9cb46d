"""The dense leg: records whose text means something like the question, in whatever words."""

import sqlite3
import struct
from collections.abc import Iterable, Sequence
from operator import mul

from memex_mcp.store import vector_rows
from memex_mcp.store.vector_rows import Place
from memex_mcp.store.vectors import Space, model_id
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

DEPTH = 50
"""Records that the leg names at most."""


@dataclass(frozen=True, slots=True)
class Near:
    """One record by its nearest chunk.

    Attributes:
        n: Row number of the record.
        start: Where the chunk begins in the body, in characters.
        stop: Where it ends.
        similarity: Cosine of the angle between question and chunk, -1 to 1.
    """

    n: int
    start: int
    stop: int
    similarity: float


def nearest(
    db: sqlite3.Connection,
    question: Sequence[float],
    space: Space,
    sight: Sight,
    depth: int = DEPTH,
) -> list[Near]:
    """The records nearest to a question among all that the sight admits, nearest first.

    Exact, and about the snapshot that ``db`` is in: every vector is compared.

    Args:
        db: Snapshot to read.
        question: Its vector in this space, of length 1.
        space: Records that have no vector in it are not found.
        sight: What may be found at all; nothing else takes a place.
        depth: How many at most.
    """
    model = model_id(db, space)
    if model < 0:
        return []
    try:
        # Loaded once there is something to compare: numpy takes a sixth of a second.
        from memex_mcp.retrieval import matrix
    except ImportError:
        return plainly(db, question, model, sight, depth)
    return _firsts(matrix.ranked(db, question, space, sight, depth), depth)


def plainly(
    db: sqlite3.Connection, question: Sequence[float], model: int, sight: Sight, depth: int
) -> list[Near]:
    """The same without numpy: about 20 microseconds for each vector of 512 dimensions."""
    unpack = struct.Struct(f"<{len(question)}e").unpack
    compared = [
        (sum(map(mul, question, unpack(data))), place)
        for place, data in vector_rows.streamed(db, model, sight)
    ]
    compared.sort(key=lambda pair: (-pair[0], pair[1].chunk))
    return _firsts(compared, depth)


def _firsts(compared: Iterable[tuple[float, Place]], depth: int) -> list[Near]:
    """Each record where it comes first, up to a number of them."""
    found: dict[int, Near] = {}
    for similarity, place in compared:
        if place.n not in found:
            found[place.n] = Near(place.n, place.start, place.stop, float(similarity))
            if len(found) == depth:
                break
    return list(found.values())
