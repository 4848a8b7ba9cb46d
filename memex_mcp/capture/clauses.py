"""What a user said, cut into clauses, without what is not the user's own word.

Code, quotations, pasted output and what a client puts into a message are left out, and every
clause knows whether it asks.
"""

import re
import unicodedata
from collections.abc import Iterator

from memex_mcp.values import dataclass

LEAST, MOST = 6, 400

# Beyond this, a message or a line was pasted.
_MESSAGE, _LINE = 8_000, 2_000
_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
# From an opening tag to its end, which may be missing.
_TAGGED = re.compile(
    r"^[ \t]*<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.MULTILINE
)
# How clients begin what nobody typed; it goes on to the end.
_NOT_TYPED = re.compile(
    r"^[ \t]*(?:this session is being continued|caveat: the messages below"
    r"|base directory for this skill"
    r"|\[request interrupted|# ?agents\.md instructions|context from my ide setup"
    r"|\[image|stop hook feedback|<(?:command-|local-command|bash-))",
    re.IGNORECASE | re.MULTILINE,
)
# Lines that were pasted: quotations, shells, traces, diffs, tables, logs, code.
_PASTED = re.compile(
    r"\s*(?:[>|$#%@]|\+\+|--|[+-]\S|//|/\*|\*/|at \S+ ?\(|File \"|Traceback\b|\w*(?:Error"
    r"|Exception)\b"
    r"|\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b"
    r"|(?:if|for|while|switch)\s*\(|(?:assert|import|from|def|class|return|const|let|var|throw"
    r"|SELECT|INSERT|UPDATE)\s+\S+\s*[=({,;]|assert\b)"
)
_CODE_END = re.compile(r"(?:[;{}]|=>|\)\s*:)\s*$")
# What announces that the rest is somebody else's text.
_ANNOUNCES = re.compile(
    r"(?:\b(?:logs?|output|error|trace(?:back)?|stack|message|quote|diff|prompt|ticket|issue"
    r"|readme"
    r"|docs?|says|said|wrote|following|below|here it is)\b|报错|日志|输出|错误|信息|如下|原文"
    r"|写着|说)\W*:\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(.+?)([。!?]+|\.+(?=\s|$)|;(?=\s|$)|；|$)", re.DOTALL)
_FILLER = re.compile(
    r"(?:(?:no|right|yes|yeah|sure|good|great)\b\s*[,.!:-]+\s*"
    r"|(?:ok(?:ay)?|well|so|also|and|but|oh|hey|hi|thanks|thank you"
    r"|hmm+|btw|by the way|fyi|again|personally|just so you know|for the record"
    r"|for future reference"
    r"|one more thing|one thing|p\.?s\.?)\b\s*[,.:!-]*\s*"
    r"|(?:好的?|嗯+|哦|对了|另外|还有|顺便说一下|顺便|那么|那|所以|其实|谢谢|行|可以|总之"
    r"|补充一下|顺带一提)"
    r"(?:[,。:!、\s]+|(?=我)))+",
    re.IGNORECASE,
)
_EDGES = " \t,，、-*•"


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence of a user, and whether it ends as a question."""

    text: str
    asks: bool


def clauses(message: str) -> Iterator[Clause]:
    """The sentences of a message that are 6 to 400 characters long, in their order."""
    if len(message) > _MESSAGE:
        return
    text = unicodedata.normalize("NFKC", message)
    if put_in := _NOT_TYPED.search(text):
        text = text[: put_in.start()]
    text = _TAGGED.sub("\n", _FENCE.sub("\n", text))
    for line in _typed(text):
        for sentence in _SENTENCE.finditer(line):
            said = sentence[1].strip(_EDGES)
            if filler := _FILLER.match(said):
                said = said[filler.end() :].strip(_EDGES)
            if LEAST <= len(said) <= MOST:
                yield Clause(said, "?" in sentence[2])


def _typed(text: str) -> Iterator[str]:
    """The lines that the user wrote, up to where something pasted is announced."""
    for line in text.split("\n"):
        if len(line) > _LINE or _PASTED.match(line) or _CODE_END.search(line):
            continue
        if _ANNOUNCES.search(line):
            return
        yield line
