"""Questions for a time, and texts that say one."""

import re
from functools import lru_cache

from memex_mcp.text import lazily

_ASKS = lazily.pattern(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|time|year|month|day)\b"
    r"|什么时候|何时|几点|几月|几号|哪年|哪一年|哪天|哪一天|多久",
    re.IGNORECASE,
)
_SAYS = lazily.pattern(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|recently|morning|night"
    r"|weeks?|weekend|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:19|20)\d\d)\b"
    r"|[\d一二三四五六七八九十](?:年|月|日|号|点|周|天)|[昨今明前]天|[上下]周|:\d\d",
    re.IGNORECASE,
)


def asks_when(question: str) -> bool:
    """Whether a question wants to know a time."""
    return _ASKS.search(question) is not None


@lru_cache(maxsize=1024)
def says_when(text: str) -> bool:
    """Whether a text says a time."""
    return _SAYS.search(text) is not None
