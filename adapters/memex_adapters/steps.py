"""The values of a plan: the steps, and what is on the receipts once they are done."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from memex_adapters.pieces import JsonEntry, State, TomlEntry
from memex_adapters.receipts import Receipts

_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
# Characters of a line that are compared word by word, which takes a while.
_LONGEST = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file to be written whole, or removed.

    Attributes:
        path: The real file.
        before: What it must hold when the edit is carried out; ``None`` for no file.
        after: What it holds then; ``None`` for no file.
        what: The pieces that go in or come out, for people.
        mode: Permission bits for a file that is new.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    what: tuple[str, ...]
    mode: int = 0o600

    @property
    def deed(self) -> str:
        """What happens to the file, in a word."""
        return "remove" if self.after is None else "change" if self.before else "write"

    def diff(self) -> str:
        """What changes, without what stands around it on the same line: it may be a secret."""
        old, new = (
            (content or b"").decode("utf-8", "replace").splitlines()
            for content in (self.before, self.after)
        )
        shown: list[str] = []
        for is_same, gone, come in _compared(old, new, roughly=True):
            if not is_same:
                was, now = _bare("\n".join(gone), "\n".join(come))
                shown += [f"-{line}" for line in was.splitlines()]
                shown += [f"+{line}" for line in now.splitlines()]
        return "\n".join(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One call of a client's own command.

    Attributes:
        entry: What it changes.
        leaves: In which state the entry must be when the command has ended.
    """

    command: tuple[str, ...]
    entry: JsonEntry | TomlEntry
    leaves: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps in the order in which they are carried out, all or none.

    Attributes:
        receipts: As they are to be once the steps are done.
        copies: What the receipts refer to: contents to be kept.
        folders: Folders that we made once and that go when they are empty.
        notes: What was left as it is, and why, for people.
    """

    steps: tuple[Edit | Run, ...]
    receipts: Receipts
    copies: tuple[bytes, ...] = ()
    folders: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def _bare(was: str, now: str) -> tuple[str, str]:
    """What only one of two texts holds, with a mark for all that both do."""
    if len(was) > _LONGEST:
        return "", f"… {len(now) - len(was):+,} characters in a line of {len(was):,} …"
    gone, come = "", ""
    for is_same, old, new in _compared(_WORDS.findall(was), _WORDS.findall(now)):
        gone += "…" if is_same else "".join(old)
        come += "…" if is_same else "".join(new)
    return gone if gone.strip("…") else "", come if come.strip("…") else ""


def _compared(
    old: Sequence[str], new: Sequence[str], *, roughly: bool = False
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """Two texts part by part: whether a part is the same in both, and how each has it.

    Most of a file stays, and lines such as a bracket alone stand in it thousands of times: to
    compare every one with every other would take minutes.  ``roughly`` does not look for these,
    and may call a part changed that is not.
    """
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    if head:
        yield True, old[:head], new[:head]
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=roughly)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag == "equal", inner_old[a:b], inner_new[c:d]
    if tail:
        yield True, old[len(old) - tail :], new[len(new) - tail :]
