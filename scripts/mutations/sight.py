"""The predicate that says what a caller sees, filter by filter."""

from .shape import GATE, STATUSES, STORE, In

_visible = In("memex_mcp/store/visible.py")
_VALUES = f"{STORE}visible_values.py::test_"
_HOSTILE = f"{_VALUES}no_value_widens_what_a_caller_sees"
_NARROWS = f"{_VALUES}each_filter_narrows"
_PATHS = f"{_VALUES}a_path_finds_what_names_it_or_something_below"
_ENDS = f"{STORE}visible.py::test_a_record_is_gone_from_its_last_moment_on"
_PAST = f"{STORE}visible.py::test_a_question_about_the_past_is_answered_by_what_was_true_then"
_UNTIL = (
    f"{STORE}visible.py::test_a_superseded_record_without_an_end_was_true_until_it_was_superseded"
)
_TIMES = (
    "tests/retrieval/test_language.py::test_before_ends_where_the_day_begins_and_after_begins_there"
)
_ASIDE = f"{STATUSES}a_record_put_aside_is_in_no_ordinary_answer"

MUTATIONS = (
    _visible(
        "visible.owner",
        'clauses.add_any_of("r.owner", access.owners(caller))\n    _add_status',
        'clauses.add("1=1")\n    _add_status',
        "everyone would find everything",
        _HOSTILE,
        quick=True,
    ),
    _visible(
        "visible.owner.by_id",
        'clauses.add_any_of("r.owner", access.owners(caller))\n    return',
        'clauses.add("1=1")\n    return',
        "whoever guesses an id would read the record",
        _HOSTILE,
        quick=True,
    ),
    _visible(
        "visible.nothing",
        'if values else "1=0"',
        'if values else "1=1"',
        "no status would show every status",
        f"{STORE}visible.py::test_no_status_shows_nothing",
    ),
    _visible(
        "visible.status",
        "_add_status(clauses, statuses, as_of)",
        "pass",
        "withdrawn records would be found",
        _ASIDE,
        quick=True,
    ),
    _visible(
        "visible.status.current",
        "    statuses: Sequence[Status] = CURRENT,",
        "    statuses: Sequence[Status] = tuple(Status),",
        "withdrawn records would be in the catalog",
        _ASIDE,
    ),
    _visible(
        "visible.status.as_of",
        "(r.status = 'superseded' AND coalesce(r.valid_to, r.updated_at) > ?)",
        "(coalesce(r.valid_to, r.updated_at) > ?)",
        "what was never true would have been true",
        _PAST,
    ),
    _visible(
        "visible.status.once",
        "(r.status = 'superseded' AND coalesce(r.valid_to, r.updated_at) > ?)",
        "(r.status = 'superseded' AND ?)",
        "a superseded record would be true for ever",
        _UNTIL,
    ),
    _visible(
        "visible.status.then",
        "if as_of is None or not statuses or Status.SUPERSEDED in statuses:",
        "if True:",
        "what was true would be hidden by what is true now",
        _PAST,
    ),
    _visible(
        "visible.expiry",
        'clauses.add("(r.expires_at IS NULL OR r.expires_at > ?)", moment)',
        "pass",
        "expired records would be found",
        _ENDS,
        quick=True,
    ),
    _visible(
        "visible.expiry.moment",
        "r.expires_at IS NULL OR r.expires_at > ?",
        "r.expires_at IS NULL OR r.expires_at >= ?",
        "a record would outlive its last moment",
        _ENDS,
    ),
    _visible(
        "visible.valid_to",
        "    elif not include_expired:",
        "    elif False:",
        "what is true no more would be found",
        _ENDS,
        quick=True,
    ),
    _visible(
        "visible.valid_to.moment",
        "r.valid_to > ? OR r.status = 'superseded'",
        "r.valid_to >= ? OR r.status = 'superseded'",
        "a truth would outlive its last moment",
        _ENDS,
    ),
    _visible(
        "visible.valid_to.superseded",
        " OR r.status = 'superseded')\"",
        ')"',
        "superseded records could not be asked for",
        f"{GATE}a_superseded_record_leaves_recall_and_names_its_successor",
    ),
    _visible(
        "visible.as_of",
        "clauses.add(_VALID_ON, to_ms(as_of), to_ms(as_of))",
        "pass",
        "a question about the past would be answered by all times",
        _PAST,
    ),
    _visible(
        "visible.valid_from",
        "(r.valid_from IS NULL OR r.valid_from <= ?)",
        "(1 OR r.valid_from <= ?)",
        "what was not true yet would have been true",
        _NARROWS,
    ),
    _visible(
        "visible.as_of.until",
        '(r.valid_to IS NULL OR r.valid_to > ?)"',
        '(1 OR r.valid_to > ?)"',
        "what was true no more would have been true",
        _NARROWS,
    ),
    *(
        _visible(f"visible.{name}", old, "pass", f"the filter {name} would hide nothing", test)
        for name, old, test in (
            ("believed_at", 'clauses.add("r.recorded_at <= ?", to_ms(believed_at))', _NARROWS),
            ("scope", 'clauses.add("r.scope = ?", scope.value)', _NARROWS),
            ("after", 'clauses.add("r.observed_at >= ?", to_ms(after))', _TIMES),
            ("before", 'clauses.add("r.observed_at < ?", to_ms(before))', _TIMES),
            ("kinds", 'clauses.add_any_of("r.kind", kinds)', _NARROWS),
            ("types", 'clauses.add_any_of("r.type", types)', _NARROWS),
            ("family", 'clauses.add("r.family = ?", storable(family))', _NARROWS),
            (
                "tags",
                "clauses.add(_TAGGED, storable(tag.strip().lower()))",
                f"{_VALUES}tags_are_asked_for_in_any_case",
            ),
            ("path", "clauses.add(_NAMED, json.dumps(beginnings))", _PATHS),
        )
    ),
    _visible(
        "visible.after.first",
        "r.observed_at >= ?",
        "r.observed_at > ?",
        "the first moment of a day would not be of it",
        _TIMES,
    ),
    _visible(
        "visible.before.last",
        "r.observed_at < ?",
        "r.observed_at <= ?",
        "the first moment of a day would be before it",
        _TIMES,
    ),
    _visible(
        "visible.tags.case",
        "storable(tag.strip().lower())",
        "storable(tag)",
        "a tag in capitals would find nothing",
        f"{_VALUES}tags_are_asked_for_in_any_case",
    ),
    _visible(
        "visible.path.segment",
        'for end in "/:#")',
        'for end in ("",))',
        "src/a would find src/ab",
        _PATHS,
    ),
    _visible(
        "visible.path.absolute",
        'spellings |= {f"./{asked}", f"{root}/{asked}"}',
        'spellings |= {f"./{asked}"}',
        "a relative path would not find what names it whole",
        _PATHS,
    ),
)
