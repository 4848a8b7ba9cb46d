"""How many tokens a text costs at most, for budgets that nothing may go beyond.

An estimate is right on average; what stands in a record is not average: hashes, rare scripts
and letters at random cost several times what words of their length do.
"""

import math
import re
import string
from collections.abc import Callable
from itertools import pairwise

from memex_mcp.text import lazily, tokens
from memex_mcp.text.fold import simplified

# Pairs of letters that make up 96.5 % of those in the longer words of o200k's vocabulary.
_FOLLOWERS = {
    "a": "abcdfghijklmnprstuvwyz",
    "b": "aeilorsu",
    "c": "acehiklortuy",
    "d": "adeilorsu",
    "e": "abcdefghiklmnopqrstuvwxyz",
    "f": "aefilortu",
    "g": "aeghilnorsu",
    "h": "aeiortu",
    "i": "abcdefgjklmnoprstvz",
    "j": "aeou",
    "k": "aeilostu",
    "l": "adeilostuy",
    "m": "abeimopsu",
    "n": "acdefghiknostuvyz",
    "o": "abcdefgiklmnoprstuvw",
    "p": "aehiloprstu",
    "q": "u",
    "r": "abcdefgiklmnoprstuvy",
    "s": "acehiklmopstuwy",
    "t": "acehilorstuy",
    "u": "abcdefgiklmnprst",
    "v": "aeio",
    "w": "aeino",
    "x": "ipt",
    "y": "aenops",
    "z": "aeio",
}
_USUAL = {one + other for one, others in _FOLLOWERS.items() for other in others}

_WAYS = (
    "(?P<word>[A-Z]?[a-z]+|[A-Z]+(?![a-z]))"
    "|(?P<digits>[0-9]{1,3})"
    "|(?P<han>[\u3400-\u4dbf\u4e00-\u9fff])"
    "|(?P<gap>[ \t]*[\r\n]\\s*|[ \t]{2,})"
    f"|(?P<same>{'|'.join(f'{re.escape(sign)}+' for sign in string.punctuation)})"
    "|(?P<living>[\u0370-\u052f\u0590-\u065f\u0900-\u0dff\u0e00-\u0e7f\u3041-\u30ff"
    "\uac00-\ud7a3])"
    "|(?P<wide>[\u2010-\u2027\u3000-\u303f\uff00-\uff65])"
    "|(?P<rest>[^\x00-\x7f])"
    "|(?P<control>[\x00-\x08\x0b-\x1f\x7f])"
)
_PARTS = lazily.pattern(_WAYS)
# The same without names: found strings come from C, and most were met before.
_PIECES = lazily.pattern(re.sub(r"\?P<\w+>", "?:", _WAYS))
_SHORT = 3
_LONG = 7
_PER_NAME = 0.3


def at_most(text: str) -> int:
    """Tokens that a text costs at most: the exact count where one is loaded.

    Source:
        Fitted against o200k_base so that no text of the tests, natural or at random, costs
        more; prose comes out a fifth to a third too high.
    """
    if tokens.method() == tokens.METHOD_EXACT:
        return tokens.count(text).tokens
    cost = sum(map(_known_costs.__getitem__, _PIECES.findall(text)))
    return max(math.ceil(cost), 1 if text else 0)


def _word(piece: str) -> float:
    if piece.isupper():
        return 0.6 * len(piece) + 0.5
    low = piece.lower()
    odd = sum([one + other not in _USUAL for one, other in pairwise(low)])
    # Names are rarer than words.
    name = _PER_NAME * max(0, len(low) - _SHORT) if low != piece else 0.0
    return 1.05 + 0.8 * odd + 0.2 * max(0, len(low) - _LONG) + name


def _gap(piece: str) -> float:
    """A line break and its indentation are cheap, blanks of all kinds in turn are not."""
    changes = sum([one != other for one, other in pairwise(piece)])
    return 1.0 + len(piece) / 40 + 0.5 * max(0, changes - 1)


def _han(piece: str) -> float:
    """Characters of daily use are cheap; the first table of GB 2312 has them."""
    if _is_daily(piece):
        return 1.0
    return 1.5 if _is_daily(simplified(piece)) else 2.5


def _is_daily(piece: str) -> bool:
    code = piece.encode("gb2312", "ignore")
    return len(code) == 2 and code[0] < 0xD8


def _rest(piece: str) -> float:
    size = len(piece.encode("utf-8", "surrogatepass"))
    if size == 4 or "\ue000" <= piece <= "\uf8ff":
        return float(size)
    return 1.75 if size == 2 else 2.2


_COSTS: dict[str, Callable[[str], float]] = {
    "word": _word,
    "digits": lambda _: 1.5,
    "han": _han,
    "gap": _gap,
    "same": lambda piece: 0.9 + len(piece) / 20,
    "living": lambda _: 0.55,
    "wide": lambda _: 1.4,
    "control": lambda _: 1.1,
    "rest": _rest,
}


def _cost(piece: str) -> float:
    match = _PARTS.fullmatch(piece)
    return _COSTS[match.lastgroup or "rest"](piece) if match else _rest(piece)


_known_costs = tokens.Costs(_cost)
