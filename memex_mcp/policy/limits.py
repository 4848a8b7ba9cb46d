"""How much one write may hold.  What is too much is refused with the count, never cut."""

from memex_mcp.errors import Invalid
from memex_mcp.model.kinds import Kind
from memex_mcp.model.record import Draft
from memex_mcp.text import tokens
from memex_mcp.text.fold import is_blank

NOTE_TOKENS = 2048
CALL_CHARACTERS = 100_000
TITLE_CHARACTERS = 120
LINE_CHARACTERS = 400
LIST_ITEMS = 12


def check(draft: Draft) -> None:
    """Let the draft pass, or say which part is too long and how long it is.

    Raises:
        Invalid: Something is empty, too long or out of range.
    """
    if is_blank(draft.text):
        what = "has no visible character" if draft.text.strip() else "is empty"
        raise Invalid(f"text {what}", "Write the statement to remember.")
    _check_lines(draft)
    for name in ("tags", "aliases", "questions"):
        items: tuple[str, ...] = getattr(draft, name)
        if len(items) > LIST_ITEMS:
            raise Invalid(f"{name} has {len(items)} items", f"At most {LIST_ITEMS} are kept.")
    if draft.salience is not None and not 0 <= draft.salience <= 1:
        raise Invalid(f"salience is {draft.salience}", "It lies between 0 and 1.")
    if draft.valid_from and draft.valid_to and draft.valid_to <= draft.valid_from:
        raise Invalid("valid_to is not after valid_from", "Give the later time as valid_to.")
    if draft.kind is Kind.NOTE:
        check_note_size(draft.text)


def check_note_size(text: str) -> None:
    """Refuse a note over 2,048 tokens.

    Raises:
        Invalid: It is longer; the message holds the count.
    """
    if len(text) > CALL_CHARACTERS:
        raise Invalid(
            f"text has {len(text):,} characters", f"One call takes at most {CALL_CHARACTERS:,}."
        )
    # A token is at least one byte, so a short text needs no counting.
    if len(text.encode("utf-8", "surrogatepass")) > NOTE_TOKENS:
        counted = tokens.count(text)
        if counted.tokens > NOTE_TOKENS:
            raise Invalid(
                f"the note has {counted.tokens:,} tokens ({counted.method})",
                f"A note holds at most {NOTE_TOKENS:,}; write several, one statement each.",
            )


def _check_lines(draft: Draft) -> None:
    lines = [
        ("title", draft.title, TITLE_CHARACTERS),
        ("use_when", draft.use_when, LINE_CHARACTERS),
    ]
    lines += [("summary", draft.summary, LINE_CHARACTERS)]
    lines += [("source", draft.source, LINE_CHARACTERS)]
    lines += [("source_version", draft.source_version, LINE_CHARACTERS)]
    lines += [("dedupe_key", draft.dedupe_key or "", LINE_CHARACTERS)]
    for name in ("tags", "aliases", "questions"):
        lines += [(f"an item of {name}", item, LINE_CHARACTERS) for item in getattr(draft, name)]
    for name, value, limit in lines:
        if len(value) > limit:
            raise Invalid(f"{name} has {len(value)} characters", f"It holds at most {limit}.")
