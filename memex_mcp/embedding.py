"""Keeps the vectors of a store up to date, in the background and in nobody's way."""

import math
import threading
from collections.abc import Mapping, Sequence

from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.llm.configured import embedder_for
from memex_mcp.llm.ports import Embedder, Vector
from memex_mcp.llm.unrelated import SENTENCES, noise_of
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Surface
from memex_mcp.model.query import Query
from memex_mcp.retrieval import language
from memex_mcp.retrieval.aids import NONE, Aids, Meaning
from memex_mcp.retrieval.meaning import LEG
from memex_mcp.retrieval.tuning import DEFAULT as TUNING
from memex_mcp.retrieval.tuning import Tuning
from memex_mcp.settings import Settings
from memex_mcp.store import vectors
from memex_mcp.store.database import Database
from memex_mcp.store.home import EMBEDDING_LOCK
from memex_mcp.store.lock import FileLock
from memex_mcp.store.vectors import Noise, Piece, Size, Space
from memex_mcp.store.visible import storable
from memex_mcp.text.fold import is_blank
from memex_mcp.text.secrets import mask

_READ = 2_000
_RETIRED_AT_ONCE = 1_000


def embedding_for(settings: Settings, database: Database) -> "Embedding | None":
    """The embedding of a store with the model that its settings name; None when it is off."""
    embedder = embedder_for(settings)
    if embedder is None:
        return None
    return Embedding(database, embedder, mask_secrets=settings.mask_secrets)


def aids_for(
    embedding: "Embedding | None", query: Query, caller: Caller, tuning: Tuning = TUNING
) -> Aids:
    """What models add to a search; asked before its snapshot is taken, since they take time."""
    # A hook has no time for a model.
    if embedding is None or LEG not in tuning.legs or caller.surface is Surface.HOOK:
        return NONE
    return Aids(embedding.question(query))


class Embedding:
    """Embeds what a store has no vectors of yet.

    Models are asked outside of any transaction; what they answer is written in one short one,
    to the chunks that still have the same text.  Of all processes one at a time embeds, and
    one that was started with another model since ends the work of this one.

    Attributes:
        space: Where the vectors lie.
    """

    def __init__(
        self, database: Database, embedder: Embedder, *, mask_secrets: bool = True
    ) -> None:
        self.space = Space(embedder.name, embedder.dimensions)
        self._database = database
        self._embedder = embedder
        self._mask_secrets = mask_secrets
        self._closed = threading.Event()
        self._claimed = False
        self._refused: set[int] = set()

    @property
    def is_closed(self) -> bool:
        """Whether nothing more will be written."""
        return self._closed.is_set()

    def close(self) -> None:
        """Write nothing more; a model that is being asked is not waited for."""
        self._closed.set()

    def question(self, query: Query) -> Meaning | None:
        """What a question means; None when nothing but filters is left of it.

        The agent's variants are not asked about: a model needs no rephrasing.  A secret in the
        question does not reach the model either.
        """
        text = storable(language.applied(query).text[:_READ])
        if is_blank(text):
            return None
        if self._mask_secrets:
            text = mask(text).text
        try:
            (vector,) = self._embedder.embed([text], query=True)
        except (Unavailable, Invalid):
            return Meaning(self.space)
        length = math.hypot(*vector)
        if len(vector) != self.space.dimensions or not (math.isfinite(length) and length > 0):
            return Meaning(self.space)
        return Meaning(self.space, tuple(number / length for number in vector))

    def warm_up(self) -> None:
        """Have the model ready before the first question.

        Raises:
            Unavailable: It cannot be used now.
        """
        self._embedder.embed(SENTENCES[:1], query=False)

    def size(self) -> Size:
        """How many vectors there are, and how many chunks wait for one."""
        with self._database.read() as db:
            return vectors.size(db, self.space)

    def embed_pending(self, limit: int = 64) -> int:
        """Give up to ``limit`` chunks their vectors, the newest first.

        Returns:
            How many chunks were dealt with; 0 when nothing is left to do, or after ``close``.

        Raises:
            Unavailable: The model or the store cannot be used now, or another thread or
                process is embedding; try again later.
        """
        if self._closed.is_set() or not self._is_ours():
            return 0
        with FileLock(self._database.home / EMBEDDING_LOCK, 0.0):
            with self._database.read() as db:
                some = vectors.pending(db, self.space, limit + len(self._refused))
            pieces = [piece for piece in some if piece.content not in self._refused][:limit]
            if not pieces:
                self._clear_up()
                return 0
            made = self._made(pieces)
            if self._closed.is_set():
                return 0
            with self._database.write() as db:
                vectors.put(db, self.space, pieces, made)
            return len(pieces)

    def _is_ours(self) -> bool:
        """Whether this model is the one to embed with; whoever starts last decides that."""
        with self._database.read() as db:
            ours, known = vectors.claimed(db, self.space), vectors.noise(db, self.space)
        if self._claimed:
            return ours
        noise = known or Noise(*noise_of(self._embedder))
        if known is None or not ours:
            with self._database.write() as db:
                vectors.claim(db, self.space, noise)
        self._claimed = True
        return True

    def _made(self, pieces: Sequence[Piece]) -> Mapping[int, Vector]:
        """The vectors that have to be made, by content."""
        texts = {piece.content: piece.text for piece in pieces if not piece.known}
        try:
            made = self._embedder.embed(list(texts.values()), query=False) if texts else []
        except Invalid:
            return self._one_by_one(texts)
        return dict(zip(texts, made, strict=True))

    def _one_by_one(self, texts: Mapping[int, str]) -> Mapping[int, Vector]:
        """Find the text that the model never takes, so that it does not hold up the others."""
        made: dict[int, Vector] = {}
        for content, text in texts.items():
            if self._closed.is_set():
                break
            try:
                (made[content],) = self._embedder.embed([text], query=False)
            except Invalid:
                self._refused.add(content)
        return made

    def _clear_up(self) -> None:
        """Let go of the vectors of an earlier model, a few at a time."""
        with self._database.read() as db:
            left = vectors.others(db, self.space)
        while left and not self._closed.is_set():
            with self._database.write() as db:
                left = vectors.claimed(db, self.space) and vectors.retire(
                    db, self.space, _RETIRED_AT_ONCE
                )
