"""What of the ranking is answered, and how it is told."""

from .shape import ANSWER, GATE, RECALL, STATUSES, In

_recall = In("memex_mcp/retrieval/recall.py")
_diversify = In("memex_mcp/retrieval/diversify.py")
_hits = In("memex_mcp/retrieval/hits.py")
_cursor = In("memex_mcp/retrieval/cursor.py")
_render = In("memex_mcp/retrieval/render.py")
_links = In("memex_mcp/store/links.py")
_rivals = In("memex_mcp/retrieval/rivals.py")
_TURNS = f"{RECALL}what_is_current_comes_first_and_sessions_take_turns"
_BUDGET = f"{ANSWER}an_answer_keeps_to_its_limit_and_its_budget_and_goes_on_from_its_cursor"
_WHY = f"{ANSWER}an_answer_without_hits_says_why"
_TOP = f"{ANSWER}the_best_text_and_the_reasons_come_on_request"
_FENCED = f"{ANSWER}recalled_text_is_fenced_and_labelled"
_RIVALS = "tests/retrieval/test_rivals.py::test_"
_TOLD = f"{ANSWER}a_hit_tells_session_level_and_end"

CHOSEN = (
    _diversify(
        "diversify",
        "        if not stated.isdisjoint(keys):\n            continue\n        if said.whole:\n"
        "            if _repeats(said, whole):\n                continue\n",
        "        if said.whole:\n",
        "one statement would take several places",
        f"{RECALL}one_statement_in_two_scopes_is_one_hit",
        quick=True,
    ),
    _diversify(
        "diversify.stale",
        "sorted(range(len(ranked)), key=lambda position: ranked[position].stale)",
        "range(len(ranked))",
        "what is superseded would come before what is current",
        _TURNS,
    ),
    _diversify(
        "diversify.sessions",
        "(later if session[1] and count > most else first)",
        "first",
        "one session would take all places",
        _TURNS,
    ),
    _diversify(
        "diversify.notes",
        'record.session_id if record.kind in _ARCHIVE else ""',
        "record.session_id",
        "notes would wait for archives",
        f"{RECALL}notes_of_one_session_wait_for_nobody",
    ),
    _diversify(
        "diversify.whole",
        "if said.whole:",
        "if True:",
        "two long records that begin alike would be one",
        _TURNS,
    ),
    _diversify(
        "diversify.alike",
        "if shared < SAME * (len(one.terms) + len(better.terms) - shared):",
        "if True:",
        "what says the same in other words would take several places",
        _TURNS,
    ),
    _diversify(
        "diversify.telling",
        "not any(_TELLING.search(term) for term in one.terms ^ better.terms)",
        "True",
        "a statement and its opposite would be one",
        _TURNS,
    ),
    _recall(
        "recall.stale",
        "return record.status not in CURRENT or expired(record, search.moment)",
        "return False",
        "what is superseded would come before what is current",
        f"{RECALL}what_was_replaced_comes_after_what_replaced_it",
    ),
    _recall(
        "budget",
        "hits.within(told, left, room(best, tuning.form), tuning.form)",
        "told",
        "an answer would cost more than was asked",
        _BUDGET,
        quick=True,
    ),
    _hits(
        "budget.shortened",
        "            each = _shortened(each, left, form)",
        "            pass",
        "the first hit would cost more than was asked",
        f"{ANSWER}even_a_single_hit_fits_its_budget",
    ),
    _recall(
        "budget.top",
        "left -= tokens.count(inside(top_block(best), tuning.form)).tokens if best else 0",
        "pass",
        "the best text would be free",
        f"{ANSWER}the_best_text_is_paid_for_by_the_hits",
    ),
    _recall(
        "recall.limit",
        "ranked[offset : offset + page_size(query)]",
        "ranked[offset:]",
        "an answer would have more hits than were asked",
        _BUDGET,
    ),
    _recall(
        "recall.cursor",
        "offset = read_offset(query)",
        "offset = 0",
        "the second page would be the first",
        _BUDGET,
    ),
    _cursor(
        "recall.cursor.question",
        " or match[2] != fingerprint(query)",
        "",
        "a cursor would go on in another question",
        _BUDGET,
    ),
)

ANSWERED = (
    _recall(
        "recall.top",
        "if page and query.open_top else None",
        "if page else None",
        "the best text would come unasked",
        _TOP,
    ),
    _recall(
        "recall.explain",
        "explain = search.query.explain",
        "explain = True",
        "reasons would come unasked",
        _TOP,
    ),
    _hits(
        "recall.expired",
        "        expired=expired(record, moment),\n",
        "",
        "an expired hit would not say so",
        f"{STATUSES}an_expired_record_leaves_recall_at_that_moment",
    ),
    _recall(
        "recall.empty",
        "    elif not any(records.tally(db, owners(search.caller), tuple(Status)).values()):\n"
        "        state = State.EMPTY_ARCHIVE\n",
        "",
        "an empty archive would look like a miss",
        _WHY,
    ),
    _recall(
        "recall.filtered",
        "hint = _hidden(db, search)",
        "hint = None",
        "nobody would hear that a filter hides the match",
        _WHY,
    ),
    _recall(
        "recall.rebuilding",
        "    if index.stale(db):\n        skipped = (*skipped, _REBUILDING)\n",
        "",
        "half an index would pass for the whole",
        f"{ANSWER}an_answer_from_half_an_index_says_so",
    ),
    _hits(
        "hits.session",
        "own = record.session_id and record.session_id == caller.session_id",
        "own = True",
        "every record would be the session's own",
        _TOLD,
    ),
    _hits(
        "hits.replaced_by",
        "replaced_by=record.superseded_by if record.status is Status.SUPERSEDED else None,",
        "",
        "a superseded hit would not name its successor",
        f"{GATE}a_superseded_record_leaves_recall_and_names_its_successor",
    ),
    _links(
        "rivals.sight",
        "WHERE {{where}} ORDER BY e.id",
        "WHERE ({{where}} OR 1) ORDER BY e.id",
        "what was withdrawn would contradict a hit",
        f"{_RIVALS}only_what_is_current_contradicts",
    ),
    _rivals(
        "rivals.successor",
        " if each != hit.replaced_by",
        "",
        "what replaced a hit would be told twice",
        f"{_RIVALS}what_replaced_a_hit_is_not_told_twice",
    ),
    _rivals(
        "rivals.believed",
        "if query.believed_at is not None or not hits:",
        "if not hits:",
        "what was on record once would be told against by what came later",
        f"{_RIVALS}a_filter_hides_no_contradiction_and_earlier_knowledge_has_none",
    ),
    _render(
        "fence",
        'fenced("\\n".join(shown), label="recall", nonce=nonce, format=form)',
        '"\\n".join(shown)',
        "recalled text would pass for instructions",
        _FENCED,
        quick=True,
    ),
    _render(
        "fence.record",
        'fenced(text, label="record", nonce=nonce, format=form)',
        "text",
        "an opened record would pass for instructions",
        _FENCED,
    ),
    _render(
        "render.trust",
        "marks = [what, hit.status, hit.trust, ",
        "marks = [what, hit.status, ",
        "a hit would not say whether a person stands behind it",
        _FENCED,
    ),
    _render(
        "render.trust.record",
        "marks = [what, record.status, record.trust, ",
        "marks = [what, record.status, ",
        "a record would not say whether a person stands behind it",
        _FENCED,
    ),
    _render(
        "render.length",
        "            break\n        shown = longer",
        "            pass\n        shown = longer",
        "clients would cut the answer, each in its own way",
        f"{ANSWER}an_answer_is_never_longer_than_clients_take",
    ),
)

MUTATIONS = (*CHOSEN, *ANSWERED)
