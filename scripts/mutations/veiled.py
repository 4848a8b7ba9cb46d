"""What hides from readers what was withdrawn after it was archived."""

from .shape import In

_VEILED = "tests/test_veiled.py::test_"
_NO_DOOR = f"{_VEILED}no_door_tells_what_was_withdrawn_later"

_veil = In("memex_mcp/store/veil.py")

MUTATIONS = (
    _veil(
        "veil.body",
        "return veil.text(records.body_text(db, n))[max(start, 0) : stop]",
        "return records.body_text(db, n)[max(start, 0) : stop]",
        "an excerpt would tell what was withdrawn later",
        _NO_DOOR,
    ),
    _veil(
        "veil.card",
        "card=veil.card(record.card), body",
        "body",
        "a title would tell what was withdrawn later",
        _NO_DOOR,
    ),
    _veil(
        "veil.whole",
        "body=veil.text(record.body))",
        "body=record.body)",
        "an opened record would tell what was withdrawn later",
        _NO_DOOR,
    ),
    _veil(
        "veil.lines",
        "return events if veil is None else veil.lines(events)",
        "return events",
        "the lines of a transcript would tell what was withdrawn later",
        _NO_DOOR,
    ),
    _veil(
        "veil.titles",
        "return said if veil is None else veil.card(Card(title=said)).title",
        "return said",
        "a receipt would tell what was withdrawn later",
        _NO_DOOR,
    ),
    _veil(
        "veil.forgotten",
        "if len(self.said) < len(self.keys):",
        "if False:",
        "what nobody remembers would be shown although it is refused",
        f"{_VEILED}it_is_hidden_too_where_nobody_knows_any_more_what_it_said",
    ),
    _veil(
        "veil.own",
        "or status == Status.RETRACTED:",
        "or not status:",
        "nobody could read what they withdrew",
        f"{_VEILED}a_note_and_whatever_was_itself_withdrawn_can_be_read",
    ),
    _veil(
        "veil.kinds",
        "or kind not in withdrawn.EVIDENCE or",
        "or",
        "a note that quotes a statement would lose it",
        f"{_VEILED}a_note_and_whatever_was_itself_withdrawn_can_be_read",
    ),
    _veil(
        "veil.owners",
        "owners = watched_owners(owner)",
        "owners = (owner,)",
        "what a project withdrew its sessions would still tell",
        _NO_DOOR,
    ),
)
