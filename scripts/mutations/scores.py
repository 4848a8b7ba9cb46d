"""What a recall makes of what it found: the order and the floor."""

from .shape import ANSWER, GATE, RECALL, TEXT, In

_recall = In("memex_mcp/retrieval/recall.py")
_fuse = In("memex_mcp/retrieval/fuse.py")
_score = In("memex_mcp/retrieval/score.py")
_rerank = In("memex_mcp/retrieval/rerank.py")
_floor = In("memex_mcp/retrieval/floor.py")
_query = In("memex_mcp/retrieval/query.py")
_telling = In("memex_mcp/retrieval/telling.py")
_sentences = In("memex_mcp/retrieval/sentences.py")
_evidence = In("memex_mcp/retrieval/evidence.py")
_words = In("memex_mcp/text/words.py")
_TELLS = "tests/retrieval/test_telling.py::test_"
_ENOUGH = "tests/retrieval/test_floor.py::test_"
_FLOOR = f"{RECALL}a_single_common_word_is_no_answer"
_FUSED = f"{RECALL}two_rankings_that_agree_beat_one"
_CHOSEN = "tests/retrieval/test_fuse.py::test_"
_FEATURE = f"{RECALL}every_feature_raises_the_score"
_AGE = f"{RECALL}age_halves_and_use_helps_within_their_bounds"
_TOP = f"{ANSWER}the_best_text_and_the_reasons_come_on_request"

MUTATIONS = (
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
    _fuse(
        "fuse.company",
        "own + COMPANY * max(score(n - 1, 0.0), score(n + 1, 0.0))",
        "own",
        "what stands beside a good match would be left out",
        f"{_CHOSEN}what_stands_beside_a_good_match_is_looked_at_before_what_stands_alone",
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
            *("card", "body", "coverage", "wording", "closeness", "sentence"),
            *("title", "asked", "exact", "date", "subject", "timed", "recency", "usage"),
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
        "score.above_floor(words, tuning.floor)",
        "words",
        "a search for what is not there would find something",
        _FLOOR,
        quick=True,
    ),
    _recall(
        "floor.early",
        "and hopeless and meant is None:",
        "and not hopeless and meant is None:",
        "a question that can be answered would be given up",
        f"{GATE}a_write_is_found_at_once_by_another_process",
    ),
    *(
        _floor(f"floor.{name}", old, new, why, f"{_ENOUGH}{test}")
        for name, old, new, why, test in (
            (
                "alone",
                "- (_ALONE if coverage.count <= 1 else 0.0)",
                "",
                "one word would count like several",
                "more_words_are_evidence_and_long_texts_and_large_stores_take_some_away",
            ),
            (
                "length",
                "- worth.length * log1p(coverage.length)",
                "",
                "a long text would hold anybody's words",
                "more_words_are_evidence_and_long_texts_and_large_stores_take_some_away",
            ),
            (
                "size",
                "- worth.size * min(",
                "- 0.0 * min(",
                "a large store would answer anything",
                "more_words_are_evidence_and_long_texts_and_large_stores_take_some_away",
            ),
            (
                "stranger",
                "- (_STRANGER if coverage.stranger else 0.0)",
                "",
                "a question about somebody unknown would be answered",
                "more_words_are_evidence_and_long_texts_and_large_stores_take_some_away",
            ),
            *(
                (
                    name,
                    f"{term}",
                    "",
                    f"{name} would not count",
                    "what_tells_more_than_words_is_evidence",
                )
                for name, term in (
                    ("named", "+ (_NAMED if coverage.named else 0.0)"),
                    ("content", "+ worth.content * coverage.content"),
                    ("run", "+ worth.per_character * min(coverage.run, _MOST_CHARACTERS)"),
                    ("row", "+ _PER_ROW * min(coverage.row, _MOST_ROW)"),
                    ("unknown", "- worth.unknown * coverage.unknown"),
                    ("lost", "- (_LOST if coverage.lost else 0.0)"),
                    ("across", "+ (_ACROSS if coverage.across else 0.0)"),
                )
            ),
            (
                "character",
                "if count else share >= _NOTHING_ELSE",
                "",
                "one character of a pair would be an answer",
                "one_character_of_two_is_no_evidence_unless_nothing_else_is_asked",
            ),
            (
                "lone",
                " and able(each)",
                "",
                "a single word of a long question would be an answer",
                "a_single_word_answers_only_as_a_good_part_of_the_question",
            ),
            (
                "lone.content",
                "max(coverage.whole, coverage.content)",
                "coverage.whole",
                "a name between question words would be no answer",
                "a_single_word_answers_only_as_a_good_part_of_the_question",
            ),
            (
                "unspaced",
                "_UNSPACED if coverage.unspaced else _SPACED",
                "_SPACED",
                "pairs of characters would be weighed like words",
                "a_question_without_blanks_is_weighed_by_what_it_comes_apart_into",
            ),
            (
                "first",
                "for each in coverages[:FIRST]",
                "for each in coverages",
                "the last of many would be reason enough",
                "one_of_the_best_has_to_answer",
            ),
            (
                "company",
                "coverage.whole > 0 and evidence(coverage) >= floor.company",
                "evidence(coverage) >= floor.company",
                "what holds nothing of the question would be shown",
                "company_needs_less_and_something_of_the_question",
            ),
        )
    ),
    _telling(
        "floor.names",
        "found if 2 * len(found) <= len(text.split()) else []",
        "found",
        "a question in capitals would name strangers only",
        f"{_ENOUGH}a_question_that_names_a_stranger_needs_more",
    ),
    _telling(
        "telling.glue",
        "_GLUE.isdisjoint(term)",
        "True",
        "pairs that are no word would weaken a question",
        f"{_TELLS}pairs_that_hold_a_joining_character_carry_nothing",
    ),
    _telling(
        "telling.friends",
        "if not known.isdisjoint(terms)]",
        "]",
        "a stranger would be taken for a friend",
        f"{_TELLS}a_name_on_record_is_a_friend_and_another_is_a_stranger",
    ),
    _evidence(
        "evidence.subject",
        "and not candidate.more",
        "",
        "the first word of a long text would be its subject",
        f"{_TELLS}a_short_text_is_about_its_first_word",
    ),
    _sentences(
        "sentences.known",
        " and counts.get(term, 1)]",
        "]",
        "a word that no record holds would weaken its sentence",
        "tests/retrieval/test_sentences.py::test_what_no_record_holds_does_not_weaken_a_sentence",
    ),
    _query(
        "floor.language",
        "foreign = _other_language(db, han - latin, store, size)",
        "foreign = False",
        "a question in another language would find nothing",
        f"{_ENOUGH}a_question_in_another_language_is_answered_by_the_names_it_shares",
        "tests/retrieval/test_meaning.py::test_a_question_in_another_language_needs_less",
    ),
    _query(
        "floor.borders",
        " and (term.start, term.end) not in borders",
        "",
        "two characters that are no word would weaken a question",
        f"{_ENOUGH}two_characters_that_are_no_word_do_not_weaken_a_question",
    ),
    _words(
        "floor.asked",
        "CHINESE | CHINESE_PAIRS | CHINESE_ASKED",
        "CHINESE | CHINESE_PAIRS",
        "words that only ask would weaken a Chinese question",
        f"{TEXT}words.py",
    ),
    _fuse(
        "fuse.relative",
        "share = ranking.weight * found.score / best",
        "share = found.score / best",
        "a rephrasing would count like the question",
        f"{_ENOUGH}a_leg_is_heard_by_what_it_thinks_of_the_best",
    ),
    _score(
        "rerank.variant",
        "VARIANT if position else 1.0)",
        "1.0)",
        "a rephrasing would count like the question",
        f"{_ENOUGH}a_match_with_a_rephrasing_is_worth_less_than_one_with_the_question",
    ),
    _score(
        "rerank",
        "sorted(ranked, key=lambda each: (-each.score, each.candidate.record.id))",
        "ranked[::-1]",
        "the best would not come first",
        _TOP,
    ),
)
