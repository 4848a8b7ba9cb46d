"""Filters and dates in the words of a question."""

from .shape import In

_TESTS = "tests/retrieval/test_language.py::test_"
_LEAVES = f"{_TESTS}a_filter_leaves_the_question"
_STAYS = f"{_TESTS}what_is_no_filter_stays_a_word"
_WINS = f"{_TESTS}an_explicit_filter_wins_and_tags_and_times_both_apply"
_LISTS = f"{_TESTS}filters_alone_list_what_they_admit_newest_first_over_pages"
_DATES = "tests/retrieval/test_dates.py::test_"
_NONE = f"{_DATES}words_that_are_no_date_are_none"
_NEAR = f"{_DATES}closeness_halves_with_each_length_of_the_stretch"
_CLOCKS = f"{_DATES}the_nearest_stretch_and_either_clock_count"

_language = In("memex_mcp/retrieval/language.py")
_dates = In("memex_mcp/retrieval/dates.py")
_english = In("memex_mcp/retrieval/english_dates.py")
_near = In("memex_mcp/retrieval/near_misses.py")
_newest = In("memex_mcp/retrieval/newest.py")

MUTATIONS = (
    _language(
        "language.explicit",
        "kinds=query.kinds or found.kinds",
        "kinds=found.kinds or query.kinds",
        "the text of a question would widen what its caller narrowed",
        _WINS,
    ),
    _language(
        "language.tags",
        "tags=tuple(dict.fromkeys((*query.tags, *found.tags)))",
        "tags=found.tags or query.tags",
        "a tag in the text would lift the one that was given",
        _WINS,
    ),
    _language(
        "language.narrower",
        "before=_narrower(min, query.before, found.before)",
        "before=_narrower(max, query.before, found.before)",
        "of two ends the later would count",
        _WINS,
    ),
    _language(
        "language.quoted",
        "if key is None:",
        "if False:",
        "a phrase in quotes would break the search",
        _LEAVES,
    ),
    _language(
        "language.known",
        "return names if set(names) <= set(known) else []",
        "return [name for name in names if name in known]",
        "an unknown type would vanish from the question",
        _STAYS,
    ),
    _language(
        "language.tags.most",
        "if len(tags) <= MOST_TAGS else None",
        "if tags else None",
        "a question could name more tags than SQL takes",
        f"{_TESTS}of_two_paths_or_scopes_the_second_is_text_and_so_is_the_thirteenth_tag",
    ),
    _newest(
        "newest.filtered",
        "return State.FILTERED, told or _OTHER",
        "return State.NO_MATCH, None",
        "nobody would be told that a filter hides everything",
        _LISTS,
    ),
    _near(
        "language.near",
        "if known[0] == key.lower():",
        "if not known:",
        "a filter with a wrong value would be told to be spelled as it is",
        "tests/retrieval/test_near_misses.py::test_a_word_that_looks_like_a_filter_is_told_of",
    ),
    _newest(
        "newest.cursor",
        "write_cursor(query, offset + len(shown)) if more else None",
        "None",
        "a list would end with its first page",
        _LISTS,
    ),
    _newest(
        "newest.then",
        "both = sorted([*current, *past]",
        "both = sorted([*current]",
        "a list of then would lack what has changed since",
        f"{_TESTS}filters_alone_list_the_versions_of_then",
    ),
    _dates(
        "dates.inside",
        "        return 1.0\n",
        "        return 0.5\n",
        "a record of that very day would be no nearer than others",
        _NEAR,
    ),
    _dates(
        "dates.valid_from",
        "(observed_at, valid_from or observed_at)",
        "(observed_at, observed_at)",
        "when a thing became true would not count",
        _CLOCKS,
    ),
    _english(
        "dates.verbs",
        '_VERBS = {"may", "march"}',
        "_VERBS: set[str] = set()",
        "by march would be a month",
        _NONE,
    ),
)
