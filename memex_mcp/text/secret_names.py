"""Values that a name calls secret: ``password=…``, ``"apiKey": "…"``, ``密码：…``."""

import re
from collections.abc import Iterator

from memex_mcp.text import secret_values
from memex_mcp.text.secret_rules import compiled, find
from memex_mcp.values import dataclass

LOOK = secret_values.LOOK
LONGEST = 16_384
ESCAPES = 8

_STEMS = (
    ("password", b"pass"),
    ("password", b"pwd"),
    ("secret", b"secret"),
    ("token", b"token"),
    ("key", b"key"),
    ("credential", b"credential"),
    ("auth", b"auth"),
)
_CHINESE = (
    ("password", "密码"),
    ("password", "口令"),
    ("key", "密钥"),
    ("key", "秘钥"),
    ("token", "令牌"),
    ("credential", "凭证"),
    ("credential", "凭据"),
)
_GAP = r"[ \t]{0,8}"
_HEAD = rf"""
    (?P<tail> [A-Za-z0-9_.-]{{0,40}} ) (?: \\{{0,3}}["'`] | [\])*] ){{0,4}}
    (?:
        (?P<sure> {_GAP} (?: => | :=? | ={{1,3}} | [：＝] ) \*{{0,3}} {_GAP} )
      | (?P<said> [ \t]{{1,3}} is (?: [ \t]{{0,2}}: )? [ \t]{{1,3}} )
      | (?P<told> {_GAP} [是为] {_GAP} [:：]? {_GAP} )
      | (?P<element> > (?= [^<\s]{{4,256}}</ ) )
      | (?P<pair> [ \t]{{0,4}} ,? \s{{0,40}} \\{{0,3}}["']? value \\{{0,3}}["']?
            {_GAP} [:=] {_GAP} )
      | (?P<call> ,? [ \t]{{1,4}} (?= \\{{0,3}}["'] ) )
      | (?P<flag> [ \t]{{1,4}} )
    )
    (?: (?i: token | apikey | api-key | bearer ) [ \t]{{1,4}} )?
    (?: [rbfuRBFU]{{1,2}} (?= ["'] ) )?
    (?P<open> \\{{0,3}} ["'`“‘「『] )?
"""
_WAYS = ("sure", "said", "told", "element", "pair", "call", "flag")
_CLOSERS = {"“": "”", "‘": "’", "「": "」", "『": "』"}
# An unquoted value ends at white space, quotes, and scripts and punctuation beyond Cyrillic.
_LINE = r"\s\"'`\\\x00-\x1f\x7f-\xa0\u0530-\U0010ffff"
_BARE = _LINE + r",;<>()\[\]{}|&"
# a=b=secret: the value of a is b's affair.
_ASSIGNMENT = r"[\w-]{0,20}?(?:[Pp]assw|PASSW|pwd|[Ss]ecret|[Tt]oken|[Kk]ey|密码)[\w-]{0,20}[=:：]"
_LINE_END = r"[.,;:?)\]}]{0,4}[ \t]*(?:$|[\r\n]|\\[nr])"
_LINE_START = r"(?:^|[\n]|\\n)[ \t]*(?:- |export |set |[>+*-] ?)?[\"']?$"
_ENDING = r"(?:[Ww]or[dt]|wd|[Pp]hrase|code)s?(?![a-z])|(?![A-Za-z])"
_LOUD_ENDING = r"(?:WORD|WD|PHRASE|CODE)?(?![A-Za-z])"
_SHORT_OWNER = r"(?:^|[^a-z]|user|db|smtp|mail|ftp|root|admin|http|my|proxy|ssh|sql)$"
_PIECE = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"
_NO_VALUE_NAMES_TEXT = """
    age algorithm at attempts budget callback chars checksum class column cost count counter
    created digest dir directory enabled endpoint error exists expires expiry expiration field
    file filename fingerprint form format generator hash hint id ids index input invalid is key
    label len length limit list manager max message method min name names offset on output page
    parser path pattern placeholder plugin policy position prefix prompt provider rate ratio ref
    regex regexp required reset role rotation rounds score sha size source status store strength
    suffix title ttl type types updated uri url usage used validator version visible window
"""
_NO_VALUE_NAMES = frozenset(_NO_VALUE_NAMES_TEXT.split())
_KEY_BEFORE = (
    r"(?:api|access|secret|private|encrypt(?:ion)?|decrypt(?:ion)?|sign(?:ing)?|auth|account|master"
    r"|shared|service|licen[cs]e|ssh|deploy|client|admin|app(?:lication)?|webhook|storage|function"
    r"|subscription|host|crypt|cipher|hmac|jwt|aes|session|root|unseal|consumer|ingest)[-_. ]?$"
)
_QUIET_KEY_BEFORE = (
    r"(?:public|primary|foreign|cache|sort|partition|routing|dedupe|value|index|lookup|idempotency"
    r"|unique|row|group|object|s3|redis|hash|state|query|config|registry|event|message)[-_]$"
)
_DENIED_BEFORE = (
    r"(?:page|next|continuation|cursor|sync|eos|bos|pad|unk|mask|stop|sep|cls|special|max|min|per"
    r"|num|change|total|input|output|completion|cached|tomb|by|com|encom|sur|tres|com)[-_ .]?$"
)


def assigned(text: str, lowered: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each value that stands beside the name of a secret.

    Args:
        text: What is searched.
        lowered: The same in lower-case ASCII, one byte per code point.
    """
    for kind, stem in _STEMS:
        rest = 0
        while (at := find(lowered, stem, rest)) >= 0:
            rest = at + len(stem)
            end = _name_end(kind, text, lowered, at, rest)
            if end >= 0 and (span := _value(text, at, end, kind)):
                yield (*span, kind)
                rest = span[1]
    if text.isascii():
        return
    for kind, name in _CHINESE:
        rest = 0
        while (at := text.find(name, rest)) >= 0:
            rest = at + len(name)
            if span := _value(text, at, rest, kind):
                yield (*span, kind)
                rest = span[1]


def _name_end(kind: str, text: str, lowered: bytes, at: int, end: int) -> int:
    """Find where the word of the name ends; -1 if it names no secret."""
    before = lowered[max(0, at - 16) : at].decode("ascii")
    if text[at : at + 4].lower() == "pass":
        found = compiled(_LOUD_ENDING if text[at + 1].isupper() else _ENDING).match(text, end)
        short = found and found.end() == end
        if found is None or (short and not compiled(_SHORT_OWNER).search(before)):
            return -1
        return found.end()
    end += kind == "credential" and text[end : end + 1] in ("s", "S")
    if kind == "auth" and lowered.startswith(b"orization", end):
        end += len("orization")
    # tokenCount goes on with a new word, tokenizer and TOKENS with the same.
    following, last = text[end : end + 1], text[end - 1]
    if following.isascii() and (following.islower() or (following.isupper() and last.isupper())):
        return -1
    if kind != "key":
        return -1 if compiled(_DENIED_BEFORE).search(before) else end
    loud = (
        text[at:end] == "KEY"
        and before.endswith("_")
        and not compiled(_QUIET_KEY_BEFORE).search(before)
    )
    return end if loud or compiled(_KEY_BEFORE).search(before) else -1


def _value(text: str, at: int, name_end: int, kind: str) -> tuple[int, int] | None:
    head = compiled(_HEAD, re.VERBOSE).match(text, name_end)
    if head is None or _names_no_value(head["tail"]):
        return None
    first = _name_start(text, at)
    if text.endswith("::", 0, first):
        return None
    way = next(way for way in _WAYS if head[way] is not None)
    if way == "flag" and not text.startswith("--", first):
        return None
    start = head.end()
    end = _quoted(text, start, head["open"]) if head["open"] else -1
    place = _Place(
        kind=kind,
        quoted=end >= 0,
        loud=way == "sure" and text[at].isupper() and text[name_end - 1].isupper(),
        unsure=way in ("said", "call") or text[first:name_end].lower() == "pass",
    )
    if place.quoted:
        return (start, end) if place.holds(text[start : min(end, start + LOOK)]) else None
    ends = _ends(text, start, first, shell=place.loud and text[start - 1] == "=")
    end = _bare(text, start, ends, LOOK)
    code = text[end : end + 1] in ("(", "[") or compiled(_ASSIGNMENT).match(text, start, end)
    if code or not place.holds(text[start:end]):
        return None
    return start, end if end < start + LOOK else _bare(text, start, ends, LONGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What is known of the place where a value stands.

    Attributes:
        loud: An upper-case name and a separator before it: ``DB_PASSWORD=``.
        unsure: Prose or a call: ``password is …``, ``set("token", "…")``.
    """

    kind: str
    quoted: bool
    loud: bool
    unsure: bool

    def holds(self, value: str) -> bool:
        """Tell whether a value in this place is a secret."""
        if not value or (self.unsure and not secret_values.mixed(value)):
            return False
        if self.kind == "password":
            plain = self.quoted or self.loud
            return secret_values.password(value, quoted=self.quoted, plain=plain)
        if not self.quoted and secret_values.names_secret(value):
            return False
        return secret_values.random_like(value, 16 if self.kind == "auth" else 8)


def _names_no_value(tail: str) -> bool:
    pieces = compiled(_PIECE).findall(tail)
    return bool(pieces) and pieces[-1].lower() in _NO_VALUE_NAMES


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - 40) and (text[start - 1].isalnum() or text[start - 1] in "_-."):
        start -= 1
    return start


def _quoted(text: str, start: int, opened: str) -> int:
    """Find the end of a quoted value on the same line; -1 if it does not close there."""
    close = opened[:-1] + _CLOSERS.get(opened[-1], opened[-1])
    line_end = text.find("\n", start, start + LONGEST)
    limit = start + LONGEST if line_end < 0 else line_end
    end = text.find(close, start, limit)
    for _ in range(ESCAPES):
        if end <= start or text[end - 1] != "\\":
            break
        end = text.find(close, end + 1, limit)
    return end


def _ends(text: str, start: int, first: int, *, shell: bool) -> str:
    """Choose what ends an unquoted value.

    A value that has its line to itself, or follows ``NAME=``, goes on to the next space; any
    other ends at the punctuation of code and prose.
    """
    if shell and (first == 0 or text[first - 1] in " \t\n\"'"):
        return _LINE
    if not compiled(_LINE_START).search(text[max(0, first - 24) : first]):
        return _BARE
    end = _bare(text, start, _LINE, LOOK)
    return _LINE if compiled(_LINE_END).match(text, end) else _BARE


def _bare(text: str, start: int, ends: str, longest: int) -> int:
    """Find the end of an unquoted value: the first of ``ends``, less the punctuation before it."""
    # A backslash goes on unless it starts an escape: text inside JSON has \n for a line end.
    part = f"[^{ends}]{{0,{longest}}}"
    found = compiled(rf"{part}(?:\\(?![nrtu\"'\\]){part}){{0,8}}").match(text, start)
    value = found[0] if found else ""
    return start + len(value if len(value) >= longest else value.rstrip(".,;:?)]}"))
