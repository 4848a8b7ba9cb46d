"""All vectors of a space as one matrix, kept between questions while nothing changes.

What is kept is known by the number of its text, which never stands for another text, so a
change costs only what is new; and by the token of the snapshot it was read in, so what another
process wrote, or took away, is never overlooked.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memex_mcp.store import vector_rows
from memex_mcp.store.vector_rows import Place
from memex_mcp.store.vectors import Space, model_id
from memex_mcp.store.visible import Sight
from memex_mcp.values import dataclass

MOST_BYTES = 256 * 1024 * 1024
"""Memory for one matrix; vectors that need more are read anew for each question."""

_Numbers = NDArray[np.float32]
_Whole = NDArray[np.int64]
# How many of the best are looked at first, and at most, before every chunk in sight is listed.
_FIRST_LOOK, _LONGEST_LOOK = 256, 4_096
_AT_ONCE = 4_096
_SPARE = 1.25


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The vectors of one snapshot.

    Attributes:
        chunks: Their chunks by number, ascending.
        rows: For each of them its row in ``numbers``.
        numbers: Vectors of these and perhaps of other chunks.
    """

    chunks: _Whole
    rows: _Whole
    numbers: _Numbers


class _Kept:
    """The matrix of the space that was asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._space: Space | None = None
        self._token: int | None = None
        self._row_of: dict[int, int] = {}
        self._numbers: _Numbers = np.empty((0, 0), np.float32)
        self._loaded: _Loaded | None = None

    def current(self, db: sqlite3.Connection, space: Space) -> _Loaded | None:
        """The vectors of the snapshot that ``db`` is in; None when they need too much memory."""
        token = vector_rows.token(db)
        with self._lock:
            if (self._token, self._space) != (token, space):
                # What fails half-way must not pass for loaded.
                self._token = None
                self._loaded = self._load(db, space)
                self._token = token
            return self._loaded

    def _load(self, db: sqlite3.Connection, space: Space) -> _Loaded | None:
        model = model_id(db, space)
        known = vector_rows.contents(db, model)
        wanted = {content for _, content in known}
        too_many = len(wanted) * space.dimensions * 4 > MOST_BYTES
        if too_many or self._space != space or 2 * len(wanted) < len(self._row_of):
            self._space, self._row_of = space, {}
            self._numbers = np.empty((0, space.dimensions), np.float32)
        if too_many:
            return None
        missing = sorted(wanted - self._row_of.keys())
        self._make_room(len(missing))
        packed = vector_rows.stored(db, model, missing)
        while some := list(islice(packed, _AT_ONCE)):
            first = len(self._row_of)
            self._numbers[first : first + len(some)] = _unpacked(some, space.dimensions)
            self._row_of.update((content, first + i) for i, (content, _) in enumerate(some))
        return _Loaded(
            chunks=np.array([chunk for chunk, _ in known], np.int64),
            rows=np.array([self._row_of[content] for _, content in known], np.int64),
            numbers=self._numbers[: len(self._row_of)],
        )

    def _make_room(self, more: int) -> None:
        """Rows for what is new; those who still read the old matrix keep it as it was."""
        used = len(self._row_of)
        if used + more <= len(self._numbers):
            return
        grown = np.empty((int((used + more) * _SPARE), self._numbers.shape[1]), np.float32)
        grown[:used] = self._numbers[:used]
        self._numbers = grown


_kept = _Kept()


def ranked(
    db: sqlite3.Connection, question: Sequence[float], space: Space, sight: Sight, depth: int
) -> Iterator[tuple[float, Place]]:
    """Chunks that the sight admits with their similarities, nearest first.

    Whether a chunk is admitted is asked of the best first, since asking costs more than
    comparing.  At least ``depth`` records come, or all there are.
    """
    asked = np.asarray(question, np.float32)
    loaded = _kept.current(db, space)
    if loaded is None:
        return _streamed(db, asked, space, sight)
    # One thread, on purpose: the product that uses all of them takes 16 ms in place of 0.5 on
    # a machine that others use too.
    scores = np.einsum("ij,j->i", loaded.numbers, asked)[loaded.rows]
    places = _looked_up(db, loaded.chunks, scores, (sight, depth))
    if places is None:
        places = vector_rows.every(db, model_id(db, space), sight)
    found = scores[np.searchsorted(loaded.chunks, [place.chunk for place in places])]
    return _in_order(found, places)


def _looked_up(
    db: sqlite3.Connection, chunks: _Whole, scores: _Numbers, wanted: tuple[Sight, int]
) -> list[Place] | None:
    """The best chunks in sight; None when too many would have to be asked about."""
    sight, depth = wanted
    size = min(_FIRST_LOOK, len(scores))
    while size <= _LONGEST_LOOK:
        places = vector_rows.admitted(db, chunks[_best(scores, size)].tolist(), sight)
        records = len({place.n for place in places})
        if records >= depth or size == len(scores):
            return places
        # As far as the share in sight lets hope, and half as far again.
        size = min(max(2 * size, 3 * size * depth // (2 * records or 1)), len(scores))
    return None


def _best(scores: _Numbers, size: int) -> _Whole:
    """Positions of the greatest scores, the greatest first, then by position."""
    if size < len(scores):
        some = np.sort(np.argpartition(-scores, size)[:size])
    else:
        some = np.arange(len(scores))
    return some[np.argsort(-scores[some], kind="stable")]


def _streamed(
    db: sqlite3.Connection, asked: _Numbers, space: Space, sight: Sight
) -> Iterator[tuple[float, Place]]:
    rows = vector_rows.streamed(db, model_id(db, space), sight)
    places: list[Place] = []
    scores: list[_Numbers] = [np.empty(0, np.float32)]
    while some := list(islice(rows, _AT_ONCE)):
        places += [place for place, _ in some]
        scores.append(np.einsum("ij,j->i", _unpacked(some, space.dimensions), asked))
    return _in_order(np.concatenate(scores), places)


def _in_order(scores: _Numbers, places: Sequence[Place]) -> Iterator[tuple[float, Place]]:
    return ((float(scores[i]), places[i]) for i in _best(scores, len(scores)).tolist())


def _unpacked(some: Sequence[tuple[object, bytes]], dimensions: int) -> _Numbers:
    packed = np.frombuffer(b"".join([data for _, data in some]), "<f2")
    return packed.reshape(len(some), dimensions).astype(np.float32)
