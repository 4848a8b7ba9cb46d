"""Where one word ends and the next begins: scripts with spaces, and those without."""

import re

from memex_mcp.text import lazily
from memex_mcp.text.fold import MARKS
from memex_mcp.text.names import JOINT

# Han, kana, Hangul and their kin, and Thai, Lao, Burmese and Khmer: written without spaces.
_UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6"
    "\u1000-\u102a\u103f\u1050-\u1055\u1780-\u17b3\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029"
    "\u3031-\u3035\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48c"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
# Of these, the ones that unicode61 takes in every SQLite; most runs hold nothing else.
PLAIN = lazily.pattern("[々〇ーぁ-ゔァ-ヺ㐀-䶵一-龥가-힣]+")
UNIT = lazily.pattern(f".[{MARKS}]*", re.DOTALL)

_ENDING = r"(?:\+\+|#(?!\w))?"
# Each mention of the unspaced ones takes a millisecond to compile.
_SPACED = rf"(?![{MARKS}])(?:[^\W_{_UNSPACED}]++|[{MARKS}]++)++"
ASCII_WORD = lazily.pattern(rf"[A-Za-z0-9]+(?:{JOINT}{{1,4}}[A-Za-z0-9]+)*{_ENDING}")
WORD = lazily.pattern(
    rf"((?:[{_UNSPACED}]++[{MARKS}]*+)++)"
    rf"|({_SPACED}(?:{JOINT}{{1,4}}{_SPACED})*{_ENDING})"
)
