"""What a recall looks through."""

from .shape import READS, RECALL, In

_recall = In("memex_mcp/retrieval/recall.py")
_legs = In("memex_mcp/retrieval/legs.py")
_search = In("memex_mcp/store/search.py")
_view = In("memex_mcp/retrieval/view.py")
_FOUND = f"{READS}a_search_finds_and_counts_what_its_caller_owns"
_EXACT = f"{RECALL}only_what_stands_there_word_for_word_counts_as_exact"
_VARIANT = f"{RECALL}a_rephrasing_finds_what_the_question_does_not"
_NEAR = f"{RECALL}what_the_caller_does_not_see_stands_between_no_two_neighbours"
_MANY = (
    "tests/retrieval/test_plan.py::test_a_phrase_whose_words_many_hold_is_found_where_it_is_seen"
)
_HIDDEN = "WHERE {sight.where}"
_SHOWN = "WHERE ({sight.where} OR 1)"

MUTATIONS = (
    _search(
        "legs.card.sight",
        f'f"{{_CARD}} {_HIDDEN} LIMIT ?"',
        f'f"{{_CARD}} {_SHOWN} LIMIT ?"',
        "titles and aliases of every scope would be found",
        _FOUND,
        quick=True,
    ),
    _search(
        "legs.body.sight",
        f'f"{{_BODY}} {_HIDDEN}"',
        f'f"{{_BODY}} {_SHOWN}"',
        "texts of every scope would be found",
        _FOUND,
        quick=True,
    ),
    _legs(
        "legs.exact.sight",
        "search.chunks(db, parts, sight, _EXACT_DEPTH, every=True)",
        'search.chunks(db, parts, type(sight)("1=1", ()), _EXACT_DEPTH, every=True)',
        "phrases of every scope would be found",
        _MANY,
        quick=True,
    ),
    _legs(
        "legs.exact.card.sight",
        "search.cards(db, parts, sight, _EXACT_DEPTH)",
        'search.cards(db, parts, type(sight)("1=1", ()), _EXACT_DEPTH)',
        "aliases of every scope would be found",
        _MANY,
    ),
    *(
        _search(
            f"legs.holding.{where}.sight",
            f'f"{{{part}}} AND {{sight.where}} LIMIT ?"',
            f'f"{{{part}}} AND ({{sight.where}} OR 1) LIMIT ?"',
            "the few rows that hold the words of a phrase would be those of every scope",
            _FOUND,
        )
        for where, part in (("body", "_HOLDING_BODY"), ("card", "_HOLDING_CARD"))
    ),
    _search(
        "legs.neighbour.sight",
        "_AFTER.format(where=sight.where, most=most)\n"
        "    rows = db.execute(sql, (*sight.params, json.dumps(moments)))",
        '_AFTER.format(where="1=1", most=most)\n    rows = db.execute(sql, (json.dumps(moments),))',
        "hidden records would move scores",
        _NEAR,
    ),
    _legs(
        "legs.exact.verify",
        "        if each.n not in found and phrase in fold(text):",
        "        if True:",
        "words in another order would count as a phrase",
        _EXACT,
    ),
    _legs(
        "legs.exact.card.verify",
        "and phrase in fold(card_text(db, each.n))",
        "and True",
        "words of a card in another order would count as a phrase",
        _EXACT,
    ),
    _recall(
        "recall.sight",
        "sight = sight_of(query, search.caller, search.at)",
        'sight = Sight("1=1", ())',
        "everyone would find everything",
        _FOUND,
        quick=True,
    ),
    _view(
        "recall.believed_at",
        "at=at if moment is None else moment,",
        "at=at,",
        "what expired since would not have been believed",
        f"{RECALL}what_expired_since_was_believed_before",
    ),
    _recall(
        "recall.variants",
        "texts = [query.text, *filter(str.strip, query.variants[:_MOST_VARIANTS])]",
        "texts = [query.text]",
        "a rephrasing would find nothing",
        _VARIANT,
    ),
    _recall(
        "recall.variants.most",
        "query.variants[:_MOST_VARIANTS]",
        "query.variants",
        "a search would cost as much as its caller likes",
        _VARIANT,
    ),
)
