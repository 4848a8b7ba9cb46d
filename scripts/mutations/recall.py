"""The steps of a recall."""

from .shape import GATE, READS, RECALL, In

_recall = In("memex_mcp/retrieval/recall.py")
_legs = In("memex_mcp/retrieval/legs.py")
_search = In("memex_mcp/store/search.py")
_fuse = In("memex_mcp/retrieval/fuse.py")
_score = In("memex_mcp/retrieval/score.py")
_rerank = In("memex_mcp/retrieval/rerank.py")
_diversify = In("memex_mcp/retrieval/diversify.py")
_hits = In("memex_mcp/retrieval/hits.py")
_query = In("memex_mcp/retrieval/query.py")
_render = In("memex_mcp/retrieval/render.py")
_view = In("memex_mcp/retrieval/view.py")
_FOUND = f"{READS}a_search_finds_and_counts_what_its_caller_owns"
_EXACT = f"{RECALL}only_what_stands_there_word_for_word_counts_as_exact"
_VARIANT = f"{RECALL}a_rephrasing_finds_what_the_question_does_not"
_FLOOR = f"{RECALL}a_single_common_word_is_no_answer"
_FUSED = f"{RECALL}two_rankings_that_agree_beat_one"
_FEATURE = f"{RECALL}every_feature_raises_the_score"
_AGE = f"{RECALL}age_halves_and_use_helps_within_their_bounds"
_TURNS = f"{RECALL}what_is_current_comes_first_and_sessions_take_turns"
_BUDGET = f"{RECALL}an_answer_keeps_to_its_limit_and_its_budget_and_goes_on_from_its_cursor"
_WHY = f"{RECALL}an_answer_without_hits_says_why"
_TOP = f"{RECALL}the_best_text_and_the_reasons_come_on_request"
_FENCED = f"{RECALL}recalled_text_is_fenced_and_labelled"
_TOLD = f"{RECALL}a_hit_tells_session_level_and_end"
_NEAR = f"{RECALL}what_the_caller_does_not_see_stands_between_no_two_neighbours"
_HIDDEN = "WHERE {sight.where}"
_SHOWN = "WHERE ({sight.where} OR 1)"

LEGS = (
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
        "_bodies(db, match, sight, _EXACT_DEPTH)",
        '_bodies(db, match, type(sight)("1=1", ()), _EXACT_DEPTH)',
        "phrases of every scope would be found",
        _FOUND,
        quick=True,
    ),
    _legs(
        "legs.exact.card.sight",
        "_cards(db, match, sight, _EXACT_DEPTH)",
        '_cards(db, match, type(sight)("1=1", ()), _EXACT_DEPTH)',
        "aliases of every scope would be found",
        _FOUND,
    ),
    _search(
        "legs.neighbour.sight",
        '{_AFTER} AND {sight.where} ORDER BY r.observed_at, r.id LIMIT ?",\n'
        "        (*session, moment, record.id, *sight.params, most)",
        '{_AFTER} ORDER BY r.observed_at, r.id LIMIT ?",\n'
        "        (*session, moment, record.id, most)",
        "hidden records would move scores",
        _NEAR,
    ),
    _legs(
        "legs.exact.verify",
        "        if phrase in fold(around):",
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
        "wordings += [ask(db, each) for each in query.variants[:_MOST_VARIANTS] if each.strip()]",
        "pass",
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

SCORED = (
    _fuse(
        "fuse",
        "scores.get(found.n, 0.0) + ranking.weight",
        "ranking.weight",
        "agreement of the rankings would not count",
        _FUSED,
    ),
    _fuse(
        "fuse.weight",
        "ranking.weight / (k + rank) / best",
        "1 / (k + rank) / best",
        "a rephrasing would count like the question",
        _FUSED,
    ),
    _fuse(
        "fuse.order",
        "sorted(scores.items(), key=lambda item: -item[1])",
        "scores.items()",
        "candidates would be taken in no order",
        _FUSED,
    ),
    *(
        _rerank(
            f"rerank.{name}",
            f'"{name}": scale * weights.{name} * features.{name},',
            f'"{name}": 0.0,',
            f"{name} would not count",
            _FEATURE,
        )
        for name in (
            *("fused", "coverage", "wording", "closeness"),
            *("title", "asked", "exact", "recency", "usage"),
        )
    ),
    _rerank(
        "rerank.salience",
        "(0.8 + 0.4 * features.salience) *",
        "1.0 *",
        "salience would not count",
        _FEATURE,
    ),
    _rerank(
        "rerank.confidence",
        "* (0.8 + 0.4 * features.confidence)",
        "* 1.0",
        "confidence would not count",
        _FEATURE,
    ),
    _rerank(
        "rerank.age",
        "return max(OLDEST, float(0.5 ** max(0.0, days / HALF_LIFE_DAYS[kind])))",
        "return 1.0",
        "old and new would count alike",
        _AGE,
    ),
    _rerank(
        "rerank.oldest",
        "return max(OLDEST, float(0.5 ** max(0.0, days / HALF_LIFE_DAYS[kind])))",
        "return float(0.5 ** max(0.0, days / HALF_LIFE_DAYS[kind]))",
        "an old record would sink without end",
        _AGE,
    ),
    _rerank(
        "rerank.future",
        "max(0.0, days / HALF_LIFE_DAYS[kind])",
        "days / HALF_LIFE_DAYS[kind]",
        "a record from the future would outweigh all others",
        _AGE,
    ),
    _rerank(
        "rerank.neighbour",
        "max(scores.get(other, 0.0) / distance for other, distance in near)",
        "0.0",
        "neighbours would not count",
        f"{RECALL}a_neighbour_gains_from_the_best_near_it_by_distance",
    ),
    _recall(
        "floor",
        "score.above_floor(score.with_neighbours(db, scored, sight))",
        "score.with_neighbours(db, scored, sight)",
        "a search for what is not there would find something",
        _FLOOR,
        quick=True,
    ),
    _recall(
        "floor.early",
        "if query.believed_at is None and not score.answerable(search.wordings):",
        "if query.believed_at is None and score.answerable(search.wordings):",
        "a question that can be answered would be given up",
        f"{GATE}a_write_is_found_at_once_by_another_process",
    ),
    _score(
        "rerank.variant",
        "VARIANT if position else 1.0)",
        "1.0)",
        "a rephrasing would count like the question",
        _VARIANT,
    ),
    _score(
        "rerank",
        "sorted(ranked, key=lambda each: (-each.score, each.candidate.record.id))",
        "ranked[::-1]",
        "the best would not come first",
        _TOP,
    ),
)

CHOSEN = (
    _diversify(
        "diversify",
        "if not any(_repeats(ranked[position], ranked[earlier]) for earlier in kept):",
        "if True:",
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
        "(later if session[1] and count > PER_SESSION else first)",
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
        "if one.stale != better.stale or not (one.whole and better.whole):",
        "if one.stale != better.stale:",
        "two long records that begin alike would be one",
        _TURNS,
    ),
    _diversify(
        "diversify.alike",
        "if len(one.terms & better.terms) < SAME * len(one.terms | better.terms):",
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
        "hits.within([_hit(db, each, search) for each in page], left, room(best))",
        "[_hit(db, each, search) for each in page]",
        "an answer would cost more than was asked",
        _BUDGET,
        quick=True,
    ),
    _hits(
        "budget.shortened",
        "            each = _shortened(each, left)",
        "            pass",
        "the first hit would cost more than was asked",
        f"{RECALL}even_a_single_hit_fits_its_budget",
    ),
    _recall(
        "budget.top",
        "left -= tokens.count(defused(top_block(best))).tokens if best else 0",
        "pass",
        "the best text would be free",
        f"{RECALL}the_best_text_is_paid_for_by_the_hits",
    ),
    _recall(
        "recall.limit",
        "ranked[offset : offset + _limit(query)]",
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
    _query(
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
        "parts=made.parts if search.query.explain else None",
        "parts=made.parts",
        "reasons would come unasked",
        _TOP,
    ),
    _recall(
        "recall.expired",
        "expired=gone, ",
        "",
        "an expired hit would not say so",
        f"{GATE}an_expired_record_leaves_recall_at_that_moment",
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
        f"{RECALL}an_answer_from_half_an_index_says_so",
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
    _render(
        "fence",
        'fenced("\\n".join(shown), label="recall", nonce=nonce)',
        '"\\n".join(shown)',
        "recalled text would pass for instructions",
        _FENCED,
        quick=True,
    ),
    _render(
        "fence.record",
        'fenced(text, label="record", nonce=nonce)',
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
        f"{RECALL}an_answer_is_never_longer_than_clients_take",
    ),
)

MUTATIONS = (*LEGS, *SCORED, *CHOSEN, *ANSWERED)
