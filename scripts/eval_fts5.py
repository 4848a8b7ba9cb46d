"""Plain BM25, what SQLite gives to anybody in an afternoon: the line to be above.

Latin words are stemmed by SQLite's own porter; a run of Chinese characters is indexed as its
characters and their pairs.  The words of a question are joined by OR.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from eval_data import Item

_UNSPACED = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


class Plain:
    """An index of one store in memory."""

    name = "fts5"

    def __init__(self, items: Sequence[Item]) -> None:
        self._names = [item.id for item in items]
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE held USING fts5(words, content='', tokenize='porter unicode61')"
        )
        rows = ((" ".join(words(f"{item.title}\n{item.text}")),) for item in items)
        self._db.executemany("INSERT INTO held (words) VALUES (?)", rows)

    def ask(self, question: str, limit: int) -> list[str]:
        """Names of the records that match best."""
        sought = dict.fromkeys(words(question))
        if not sought:
            return []
        match = " OR ".join(f'"{word}"' for word in sought)
        found = self._db.execute(
            "SELECT rowid FROM held WHERE held MATCH ? ORDER BY bm25(held) LIMIT ?", (match, limit)
        )
        return [self._names[n - 1] for (n,) in found]

    def close(self) -> None:
        """Let go of the memory."""
        self._db.close()


def words(text: str) -> Iterable[str]:
    """Words in lower case; characters and pairs where a script has no blanks."""
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).lower()):
        if not _IS_UNSPACED.match(run):
            yield run
            continue
        yield from run
        yield from map("".join, pairwise(run))
