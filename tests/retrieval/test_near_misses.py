"""A word that was probably meant as a filter is told of."""

from tests.retrieval.using import ask as search
from tests.retrieval.using import store


def test_a_word_that_looks_like_a_filter_is_told_of() -> None:
    with store("The bogus crane befor 2026 stands at the harbour.") as db:
        value = search(db, "harbour crane type:bogus")
        key = search(db, "harbour crane befor:2026")
        nothing = search(db, "giraffe type:bogus")
        plain = search(db, "harbour crane http://x/y std::vector at 12:30 note: this")
        right = search(db, "harbour crane before:2099")

    assert value.hits
    assert value.hint == "type:bogus was read as text: type: takes no such value."
    assert key.hint == "befor:2026 was read as text; for a filter write before:2026."
    assert nothing.hint == value.hint
    assert (plain.hint, right.hint) == (None, None)
