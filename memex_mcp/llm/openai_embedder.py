"""Vectors from any endpoint that speaks the OpenAI protocol, on this machine or another."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memex_mcp.errors import Invalid, MemexError, Unavailable
from memex_mcp.llm.ports import Vector

if TYPE_CHECKING:
    import openai

    from memex_mcp.settings import EmbedderSettings

PAUSE = 30.0
"""Seconds without questions to an endpoint that kept one waiting."""

_BATCH = 64
_READ = 8_000
_PATIENCE = 30.0
_RETRIES = 2
# What says that this very text was the trouble, not the moment.
_REFUSED = (400, 413, 422)


class OpenAiEmbedder:
    """Asks ``/embeddings``; safe from many threads.

    A question gets one try and a deadline for everything, a slow answer or a slow name
    server included.  After a deadline was missed the next questions do not wait at all for
    half a minute.

    Attributes:
        name: Model and endpoint; two endpoints may call different models by one name.
        dimensions: Numbers of each vector; of a longer answer the first so many.
    """

    def __init__(
        self, settings: "EmbedderSettings", clock: Callable[[], float] = time.monotonic
    ) -> None:
        place = urlsplit(settings.base_url)
        self.name = f"{settings.model} at {place.netloc}{place.path.rstrip('/')}"
        self.dimensions = settings.dimensions
        self._settings = settings
        self._clock = clock
        self._opening = threading.Lock()
        self._client: openai.OpenAI | None = None
        self._silent_until = -math.inf

    def embed(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        """One vector for each text, in order; see :class:`~memex_mcp.llm.ports.Embedder`."""
        if query:
            return self._in_time(texts)
        client = self._opened().with_options(max_retries=_RETRIES, timeout=_PATIENCE)
        made: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            made += self._ask(client, texts[start : start + _BATCH])
        return made

    def _in_time(self, texts: Sequence[str]) -> list[Vector]:
        if self._clock() < self._silent_until:
            raise Unavailable("the embedding endpoint did not answer a moment ago")
        answered: list[list[Vector] | MemexError] = []

        def ask() -> None:
            try:
                answered.append(self._ask(self._opened(), texts))
            except MemexError as error:
                answered.append(error)

        # The timeouts of the client bound each wait, not their sum; a thread bounds the whole.
        asking = threading.Thread(target=ask, name="embedding a question", daemon=True)
        asking.start()
        asking.join(self._settings.timeout)
        if not answered:
            self._silent_until = self._clock() + PAUSE
            raise Unavailable("the embedding endpoint did not answer in time")
        (answer,) = answered
        if isinstance(answer, MemexError):
            raise answer
        return answer

    def _opened(self) -> "openai.OpenAI":
        """The client, made at the first use: the package takes most of a second to load."""
        with self._opening:
            if self._client is None:
                self._client = self._open()
            return self._client

    def _open(self) -> "openai.OpenAI":
        settings = self._settings
        if settings.key_env and not settings.key:
            raise Unavailable(
                f"the environment variable {settings.key_env} with the embedder's key is not set"
            )
        try:
            import openai
        except ImportError as error:
            raise Unavailable(
                "the package for embedding endpoints is not installed",
                "Install the extra `openai`, or set the embedder to off in config.toml.",
            ) from error
        return openai.OpenAI(
            # Without a key the package would look for one in variables nobody named.
            api_key=settings.key or "none",
            base_url=settings.base_url,
            # Longer than the deadline, which ends the waiting; this ends the thread.
            timeout=2 * settings.timeout,
            max_retries=0,
        )

    def _ask(self, client: "openai.OpenAI", texts: Sequence[str]) -> list[Vector]:
        import openai

        try:
            answer = client.embeddings.create(
                model=self._settings.model,
                input=[text[:_READ] for text in texts],
                encoding_format="float",
            )
        except openai.APIStatusError as error:
            told = f"the embedding endpoint refused with status {error.status_code}"
            raise (Invalid if error.status_code in _REFUSED else Unavailable)(told) from error
        except openai.APITimeoutError as error:
            raise Unavailable("the embedding endpoint did not answer in time") from error
        except (openai.OpenAIError, ValueError, TypeError) as error:
            raise Unavailable("the embedding endpoint cannot be reached or read") from error
        return self._read(answer, len(texts))

    def _read(self, answer: object, wanted: int) -> list[Vector]:
        """The vectors of an answer, which may be anything.

        Raises:
            Unavailable: They are not the vectors that were asked for.
        """
        try:
            rows = sorted(answer.data, key=lambda row: row.index)  # type: ignore[attr-defined]  # checked by failing
            vectors = [self._unit(row.embedding) for row in rows]
            places = [row.index for row in rows]
        except (AttributeError, TypeError, ValueError, OverflowError) as error:
            raise Unavailable("the embedding endpoint answered something else") from error
        if places != list(range(wanted)):
            raise Unavailable("the embedding endpoint answered for other texts")
        return vectors

    def _unit(self, numbers: Sequence[float]) -> Vector:
        kept = [float(number) for number in numbers[: self.dimensions]]
        length = math.hypot(*kept)
        if len(kept) < self.dimensions:
            raise Unavailable(
                f"the embedding endpoint answers with {len(kept)} dimensions",
                "Set that number in config.toml.",
            )
        if not (math.isfinite(length) and length > 0):
            raise ValueError("a vector without direction")
        return [number / length for number in kept]
