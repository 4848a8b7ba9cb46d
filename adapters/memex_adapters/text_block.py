"""A block of ours in a text file of somebody else's, between two marks.

Putting a block in and taking it out again gives back the file byte for byte.
"""

from memex_adapters.errors import Unclear

BEGIN = "<!-- memex:begin -->"
END = "<!-- memex:end -->"


def find(text: str) -> str | None:
    """What stands between the marks, ``None`` when there are none.

    Raises:
        Unclear: A mark is missing, doubled or out of order.
    """
    span = _span(text)
    if span is None:
        return None
    inner = text[span[0] + len(BEGIN) : span[1] - len(END)]
    return inner.replace("\r\n", "\n").strip("\n")


def put(text: str, body: str) -> str:
    """The text with the block last, or with a new body where the block already is.

    Raises:
        Unclear: As :func:`find`; also when the body itself holds a mark.
    """
    if _lines(body, BEGIN) or _lines(body, END):
        raise Unclear("the manual holds a mark of its own block")
    eol = newline(text)
    block = eol.join([BEGIN, *body.strip("\n").splitlines(), END])
    span = _span(text)
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    if text in ("", "\ufeff"):
        return text + block + eol
    # The newline after the block says whether the text had one at its end.
    return text + eol + block + eol if text.endswith("\n") else text + eol + eol + block


def drop(text: str) -> str:
    """The text without the block; one that has none stays as it is.

    Raises:
        Unclear: As :func:`find`.
    """
    span = _span(text)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    if not after:
        return _less_newline(_less_newline(before))
    return _less_newline(before) + after[2 if after.startswith("\r\n") else 1 :]


def newline(text: str) -> str:
    """How the lines of a text end: as its first one does."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _less_newline(text: str) -> str:
    if text.endswith("\r\n"):
        return text[:-2]
    return text.removesuffix("\n")


def _span(text: str) -> tuple[int, int] | None:
    begins, ends = _lines(text, BEGIN), _lines(text, END)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise Unclear(
            "the marks of our block are incomplete or doubled",
            f"Leave one line {BEGIN} and one line {END} after it, or neither.",
        )
    return begins[0], ends[0] + len(END)


def _lines(text: str, mark: str) -> list[int]:
    """Where lines start that are nothing but the mark."""
    found, at = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if bare.removeprefix("\ufeff") == mark:
            found.append(at + len(bare) - len(mark))
        at += len(line)
    return found
