"""What is known of one model, and what follows from it for what it reads."""

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from typing import Literal

from memex_mcp.text.fence import Format
from memex_mcp.values import dataclass

UNKNOWN: Literal["unknown"] = "unknown"
DEFAULT = "default"

Figure = int | Literal["unknown"]
Digest = Literal["tags", "headings", "sentences"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Tokens that a text costs at most.

    Attributes:
        start: What a session is told at its beginning.
        prompt: What a prompt brings back by itself.
        catalog: The catalog of what is on record.
    """

    start: int
    prompt: int
    catalog: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenizer:
    """How much text a token of the model holds, and who says so.

    Attributes:
        chars_per_token: Characters of English prose.
    """

    chars_per_token: float
    source: str
    checked_on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the model takes and gives at once, in its own tokens, and who says so.

    Attributes:
        source: Where the figures stand; empty while all are unknown.
        checked_on: When they stood there.
    """

    context_window: Figure
    max_output: Figure
    source: str = ""
    checked_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One model, or a family of them.

    Attributes:
        name: Of its file.
        family: The profile just below ``default`` that it goes back to; itself, mostly.
        title: Its name, as people write it.
        aliases: Other names of exactly this one.
        prefixes: How the names of a family's models begin.
        format: How recalled text and manuals are written for it.
        language: In which language it is instructed.
        bilingual: It is told to search and to name things in Chinese and English.
        digest: How it is asked for a digest.
        budgets: Of what it reads without asking.
        tokenizer: For budgets that are counted in characters.
        limits: Only shown; nothing is derived from them.
        weights: What the features of a recall are worth for it, where not what is usual.
    """

    name: str
    family: str
    title: str
    aliases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    format: Format
    language: Literal["en", "zh"]
    bilingual: bool
    digest: Digest
    budgets: Budgets
    tokenizer: Tokenizer
    limits: Limits
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def catalog_characters(self) -> int:
        """The budget of the catalog as characters, which cost nothing to count."""
        return int(self.budgets.catalog * self.tokenizer.chars_per_token)
