"""Values that a name calls secret: ``password=…``, ``"apiKey": "…"``, ``--token …``, ``密码：…``."""

import re
from collections.abc import Iterator

from memex_mcp.text import secret_values
from memex_mcp.text.secret_rules import compiled, find

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
      | (?P<pair> [ \t]{{0,4}} ,? \s{{0,40}} \\{{0,3}}["']? value \\{{0,3}}["']? {_GAP} [:=] {_GAP} )
      | (?P<call> ,? [ \t]{{1,4}} (?= \\{{0,3}}["'] ) )
      | (?P<flag> [ \t]{{1,4}} )
    )
    (?: [rbfuRBFU]{{1,2}} (?= ["'] ) )?
    (?P<open> \\{{0,3}} ["'`“‘「『] )?
"""
_WAYS = ("sure", "said", "told", "element", "pair", "call", "flag")
_CLOSERS = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_LINE = r"\s\"'`\\，。；"
_BARE = r"\s\"'`\\,;<>()\[\]{}|&，。；：、！？）】》」』”’"
_LINE_END = re.compile(r"[.,;:?)\]}]{0,4}[ \t]*(?:$|[\r\n]|\\[nr])")
_LINE_START = re.compile(r"(?:^|[\n]|\\n)[ \t]*(?:- |export |set |[>+*-] ?)?[\"']?$")
_PASSWORD = re.compile(r"(?:word|wd|phrase|code)?s?(?![A-Za-z])|(?:word|phrase|code)?(?=[A-Z])")
_LOUD_PASSWORD = re.compile(r"(?:WORD|WD|PHRASE|CODE)?(?![A-Za-z])")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NO_VALUE_NAMES = frozenset(
    """
    age algorithm at attempts budget callback chars checksum class column cost count counter
    created digest dir directory enabled endpoint error exists expires expiry expiration field
    file filename fingerprint form format generator hash hint id ids index input invalid is key
    label len length limit list manager max message method min name names offset on output page
    parser path pattern placeholder plugin policy position prefix prompt provider rate ratio ref
    regex regexp required reset role rotation rounds score sha size source status store strength
    suffix title ttl type types updated uri url usage used validator version visible window
    """.split()
)
_KEY_BEFORE = re.compile(
    r"(?:api|access|secret|private|encrypt(?:ion)?|decrypt(?:ion)?|sign(?:ing)?|auth|account|master"
    r"|shared|service|licen[cs]e|ssh|deploy|client|admin|app(?:lication)?|webhook|storage|function"
    r"|subscription|host|crypt|cipher|hmac|jwt|aes|session|root|unseal|consumer|ingest)[-_. ]?$"
)
_QUIET_KEY_BEFORE = re.compile(
    r"(?:public|primary|foreign|cache|sort|partition|routing|dedupe|value|index|lookup|idempotency"
    r"|unique|row|group|object|s3|redis|hash|state|query|config|registry|event|message)[-_]$"
)
_DENIED_BEFORE = re.compile(
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
    if text[at : at + 4].lower() == "pass":
        found = (_LOUD_PASSWORD if text[at + 1].isupper() else _PASSWORD).match(text, end)
        return found.end() if found else -1
    end += kind == "credential" and text[end : end + 1] in ("s", "S")
    if kind == "auth" and lowered.startswith(b"orization", end):
        end += len("orization")
    if text[end : end + 1].isalpha() and text[end].isascii():
        # tokenCount goes on as a new word, tokenizer and TOKENS as the same.
        if text[end].islower() or text[end - 1].isupper():
            return -1
    before = lowered[max(0, at - 16) : at].decode("ascii")
    if kind != "key":
        return -1 if _DENIED_BEFORE.search(before) else end
    loud = text[at:end] == "KEY" and before.endswith("_") and not _QUIET_KEY_BEFORE.search(before)
    return end if loud or _KEY_BEFORE.search(before) else -1


def _value(text: str, at: int, name_end: int, kind: str) -> tuple[int, int] | None:
    head = compiled(_HEAD, re.VERBOSE).match(text, name_end)
    if head is None or _names_no_value(head["tail"]):
        return None
    way = next(way for way in _WAYS if head[way] is not None)
    first = _name_start(text, at)
    if way == "flag" and not text.startswith("--", first):
        return None
    start = head.end()
    loud = way == "sure" and text[at].isupper() and text[name_end - 1].isupper()
    end = _quoted(text, start, head["open"]) if head["open"] else -1
    quoted = end >= 0
    shape = ""
    if not quoted:
        shape = _shape(text, start, first, shell=loud and text[start - 1] == "=")
        end = _bare(text, start, shape, LOOK)
    value = text[start : min(end, start + LOOK)]
    if not value or not _secret(value, kind, quoted=quoted, plain=quoted or loud):
        return None
    alone = kind == "password" and text[first:name_end].lower() == "pass"
    if (alone or way in ("said", "call")) and not secret_values.mixed(value):
        return None
    return start, end if quoted or end < start + LOOK else _bare(text, start, shape, LONGEST)


def _secret(value: str, kind: str, *, quoted: bool, plain: bool) -> bool:
    if kind == "password":
        return secret_values.password(value, quoted=quoted, plain=plain)
    return secret_values.random_like(value, 16 if kind == "auth" else 8)


def _names_no_value(tail: str) -> bool:
    pieces = _PIECE.findall(tail)
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


def _shape(text: str, start: int, first: int, *, shell: bool) -> str:
    """Choose what an unquoted value is made of.

    A value that has its line to itself, or follows ``NAME=``, goes on to the next space; any
    other ends at the punctuation of code and prose.
    """
    if shell and (first == 0 or text[first - 1] in " \t\n\"'"):
        return _LINE
    if not _LINE_START.search(text[max(0, first - 24) : first]):
        return _BARE
    end = _bare(text, start, _LINE, LOOK)
    return _LINE if _LINE_END.match(text, end) else _BARE


def _bare(text: str, start: int, ends: str, longest: int) -> int:
    """Find the end of an unquoted value: the first of ``ends``, less the punctuation before it."""
    # A backslash goes on unless it starts an escape: text inside JSON has \n for a line end.
    part = f"[^{ends}]{{0,{longest}}}"
    found = compiled(rf"{part}(?:\\(?![nrtu\"'\\]){part}){{0,8}}").match(text, start)
    return start + len(found[0].rstrip(".,;:?)]}") if found else "")
