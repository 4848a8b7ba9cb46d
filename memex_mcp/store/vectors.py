"""Vectors of chunks: what is still to be embedded, what is kept, and what goes with its text.

Vectors of different models lie side by side and never meet: everything here is about the
vectors of one :class:`Space`.
"""

import hashlib
import json
import math
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memex_mcp.model.kinds import Status
from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.records import body_text
from memex_mcp.store.visible import storable
from memex_mcp.values import dataclass

CLAIM = "vector_space"
"""Where the store names the space that it keeps up."""

_UNEMBEDDED = """
FROM chunk AS c JOIN record AS r ON r.n = c.record_n
WHERE r.status <> ? AND NOT EXISTS (
  SELECT 1 FROM chunk_vector AS v WHERE v.chunk_n = c.n AND v.model_id = ?
)"""
_PLACE = "SELECT c.n, c.record_n, c.start, c.stop, r.title"


@dataclass(frozen=True, slots=True)
class Space:
    """What makes vectors comparable: the model, and how many numbers each has."""

    name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Noise:
    """How similar a model finds texts that have nothing in common."""

    mean: float
    deviation: float

    def above(self, deviations: float) -> float:
        """The similarity that lies so many standard deviations above the mean."""
        return self.mean + deviations * self.deviation


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk that has no vector yet.

    Attributes:
        chunk: Its number.
        text: What is embedded: the record's title, then the chunk.
        content: The number of this text: the first 64 bits of its hash, signed.
        known: The vector is there already, from another chunk with the same text.
    """

    chunk: int
    text: str
    content: int
    known: bool


@dataclass(frozen=True, slots=True)
class Size:
    """How much the vectors take.

    Attributes:
        vectors: Of this space.
        pending: Chunks that have none yet.
        bytes: Of all spaces together.
    """

    vectors: int
    pending: int
    bytes: int


def claim(db: sqlite3.Connection, space: Space, noise: Noise) -> None:
    """Make a space the one that this store keeps up from now on.

    Args:
        db: A writing connection, within a transaction.
        space: The space.
        noise: What similarity means in it.
    """
    set_meta(db, CLAIM, _named(space))
    model = _made_id(db, space)
    db.execute(
        "UPDATE vector_model SET mean = ?, deviation = ? WHERE id = ?",
        (noise.mean, noise.deviation, model),
    )


def claimed(db: sqlite3.Connection, space: Space) -> bool:
    """Whether nobody has claimed the store for another space since."""
    return get_meta(db, CLAIM) == _named(space)


def noise(db: sqlite3.Connection, space: Space) -> Noise | None:
    """What similarity means in a space; None when nobody knows yet."""
    sql = "SELECT mean, deviation FROM vector_model WHERE id = ? AND mean IS NOT NULL"
    found = db.execute(sql, (model_id(db, space),)).fetchone()
    return None if found is None else Noise(float(found[0]), float(found[1]))


def pending(db: sqlite3.Connection, space: Space, limit: int) -> list[Piece]:
    """Chunks to embed, the newest first; what was withdrawn is left alone."""
    model = model_id(db, space)
    rows = db.execute(
        f"{_PLACE} {_UNEMBEDDED} ORDER BY c.n DESC LIMIT ?", (Status.RETRACTED, model, limit)
    ).fetchall()
    texts = [(int(row[0]), _text(db, row)) for row in rows]
    known = _known(db, model, {content_of(text) for _, text in texts})
    return [
        Piece(chunk, text, content_of(text), content_of(text) in known) for chunk, text in texts
    ]


def put(
    db: sqlite3.Connection,
    space: Space,
    pieces: Iterable[Piece],
    vectors: Mapping[int, Sequence[float]],
) -> int:
    """Give chunks their vectors; returns how many have one now that had none.

    A chunk whose text is no longer that of the piece, or that is gone, stays without.

    Args:
        db: A writing connection, within a transaction.
        space: What made the vectors.
        pieces: As :func:`pending` gave them, however long ago.
        vectors: By content, of any length; what is in none but already kept may be left out.
    """
    model = _made_id(db, space)
    done = 0
    for piece in pieces:
        if not _still_so(db, piece):
            continue
        if piece.content in vectors:
            data = pack(vectors[piece.content], space.dimensions)
            db.execute(
                "INSERT OR IGNORE INTO vector(model_id, content, data) VALUES (?, ?, ?)",
                (model, piece.content, data),
            )
        done += db.execute(
            "INSERT OR IGNORE INTO chunk_vector(chunk_n, model_id, content)"
            " SELECT ?, model_id, content FROM vector WHERE model_id = ? AND content = ?",
            (piece.chunk, model, piece.content),
        ).rowcount
    return done


def contents(db: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Every chunk by its number, and the number of its text."""
    rows = db.execute(f"{_PLACE} FROM chunk AS c JOIN record AS r ON r.n = c.record_n").fetchall()
    return ((int(row[0]), content_of(_text(db, row))) for row in rows)


def forget(db: sqlite3.Connection, n: int) -> int:
    """Take away the vectors of one record in every space; returns how many chunks had one.

    Nobody has to: they go with the chunks, and with the record.
    """
    chunks = "SELECT n FROM chunk WHERE record_n = ?"
    return db.execute(f"DELETE FROM chunk_vector WHERE chunk_n IN ({chunks})", (n,)).rowcount


def retire(db: sqlite3.Connection, space: Space, limit: int) -> bool:
    """Take the vectors of other spaces from up to ``limit`` chunks; True when some are left."""
    model = model_id(db, space)
    gone = db.execute(
        "DELETE FROM chunk_vector WHERE (chunk_n, model_id) IN"
        " (SELECT chunk_n, model_id FROM chunk_vector WHERE model_id <> ? LIMIT ?)",
        (model, limit),
    ).rowcount
    if gone == limit:
        return True
    db.execute("DELETE FROM vector_model WHERE id <> ?", (model,))
    return False


def others(db: sqlite3.Connection, space: Space) -> bool:
    """Whether there is another space than this one."""
    row = db.execute("SELECT 1 FROM vector_model WHERE id <> ?", (model_id(db, space),)).fetchone()
    return row is not None


def size(db: sqlite3.Connection, space: Space) -> Size:
    """How many vectors there are and what they take."""
    model = model_id(db, space)
    (vectors,) = db.execute("SELECT count(*) FROM vector WHERE model_id = ?", (model,)).fetchone()
    (waiting,) = db.execute(f"SELECT count(*) {_UNEMBEDDED}", (Status.RETRACTED, model)).fetchone()
    (taken,) = db.execute("SELECT coalesce(sum(length(data)), 0) FROM vector").fetchone()
    return Size(vectors=int(vectors), pending=int(waiting), bytes=int(taken))


def model_id(db: sqlite3.Connection, space: Space) -> int:
    """The number of a space; -1 while it has no vector."""
    row = db.execute(
        "SELECT id FROM vector_model WHERE name = ? AND dimensions = ?",
        (space.name, space.dimensions),
    ).fetchone()
    return -1 if row is None else int(row[0])


def content_of(text: str) -> int:
    """The number of a text: the first 64 bits of its SHA-256, signed."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def pack(vector: Sequence[float], dimensions: int) -> bytes:
    """A vector as it is kept: of length 1, each number in two bytes, the lower one first.

    Raises:
        ValueError: It has another number of dimensions, or no direction.
    """
    numbers = [float(number) for number in vector]
    length = math.hypot(*numbers)
    if len(numbers) != dimensions or not (math.isfinite(length) and length > 0):
        raise ValueError("that is no vector of this space")
    return struct.pack(f"<{dimensions}e", *(number / length for number in numbers))


def _named(space: Space) -> str:
    return f"{space.name} {space.dimensions}"


def _made_id(db: sqlite3.Connection, space: Space) -> int:
    db.execute(
        "INSERT OR IGNORE INTO vector_model(name, dimensions) VALUES (?, ?)",
        (space.name, space.dimensions),
    )
    return model_id(db, space)


def _known(db: sqlite3.Connection, model: int, contents: Iterable[int]) -> set[int]:
    rows = db.execute(
        "SELECT content FROM vector"
        " WHERE model_id = ? AND content IN (SELECT value FROM json_each(?))",
        (model, json.dumps(list(contents))),
    )
    return {int(content) for (content,) in rows}


def _still_so(db: sqlite3.Connection, piece: Piece) -> bool:
    """Whether the chunk has the text of the piece; its number may be another's by now."""
    row = db.execute(
        f"{_PLACE} FROM chunk AS c JOIN record AS r ON r.n = c.record_n WHERE c.n = ?",
        (piece.chunk,),
    ).fetchone()
    return row is not None and _text(db, row) == piece.text


def _text(db: sqlite3.Connection, row: sqlite3.Row) -> str:
    _, n, start, stop, title = row
    return storable(f"{title}\n{body_text(db, n, start, stop)}")
