"""What a model may add to a recall, and what it may not take."""

from .shape import In

_recall = In("memex_mcp/retrieval/recall.py")
_meaning = In("memex_mcp/retrieval/meaning.py")
_score = In("memex_mcp/retrieval/score.py")
_rows = In("memex_mcp/store/vector_rows.py")
_embedding = In("memex_mcp/embedding.py")
_keep = In("memex_mcp/store/vector_keep.py")
_JOIN = "tests/retrieval/test_meaning.py::test_"
_DENSE = "tests/retrieval/test_dense.py::test_"
_DOOR = "tests/test_meaning.py::test_"
_VECTORS = "tests/store/test_vectors.py::test_"
_HIDDEN = f"{_JOIN}meaning_never_shows_what_is_hidden"
_UNION = f"{_JOIN}no_embedder_pushes_what_words_found_best_off_the_page"
_FLOOR = f"{_JOIN}similarity_answers_from_its_floor_on_and_brings_company"

MUTATIONS = (
    _recall(
        "meaning.sight",
        "meaning.around(db, meant, sight, least)",
        'meaning.around(db, meant, Sight("1=1", ()), least)',
        "everything of everybody would be found by its meaning",
        _HIDDEN,
        quick=True,
    ),
    _rows(
        "meaning.admitted",
        'f"{_NAMED} WHERE {sight.where} ORDER BY named.key", (json.dumps(chunks), *sight.params)',
        'f"{_NAMED} ORDER BY named.key", (json.dumps(chunks),)',
        "the quick way to compare would show what is hidden",
        _HIDDEN,
        quick=True,
    ),
    _rows(
        "meaning.every",
        '{_EVERY} WHERE {sight.where}"\n    return',
        '{_EVERY} WHERE ({sight.where} OR 1)"\n    return',
        "the way through all that is in sight would show what is not",
        f"{_DENSE}every_way_of_comparing_finds_the_same_as_comparing_all",
    ),
    _rows(
        "meaning.streamed",
        '        f" WHERE {sight.where}"',
        '        f" WHERE ({sight.where} OR 1)"',
        "vectors that do not fit in memory would show what is hidden",
        f"{_DENSE}every_way_of_comparing_finds_the_same_as_comparing_all",
    ),
    _meaning(
        "meaning.guard",
        "blend.guard([*map(_row, hits)], rules, limit)",
        "[*map(_row, hits)]",
        "a model would push off the page what words found best",
        _UNION,
        quick=True,
    ),
    _score(
        "meaning.lenders",
        "for each in scored if each.candidate.n not in strange]",
        "for each in scored]",
        "scores of words would depend on the model",
        f"{_JOIN}what_the_meaning_brings_in_lends_nothing_to_its_neighbours",
    ),
    _recall(
        "meaning.across",
        "floor(across=search.wordings[0].foreign)",
        "floor(across=True)",
        "what is about something else would be answered, as if in another language",
        f"{_JOIN}a_question_in_another_language_needs_less",
    ),
    _meaning(
        "meaning.answer",
        "not any(each.similarity >= self.answer for each in self.near)",
        "not self.near",
        "what is about something else would be answered",
        _FLOOR,
    ),
    _meaning(
        "meaning.company",
        "if each.n not in known and each.similarity >= self.company",
        "if each.n not in known",
        "strangers would be read for nothing",
        f"{_JOIN}only_what_may_be_shown_is_read",
    ),
    _meaning(
        "meaning.company.shown",
        "{each.n for each in self.near if each.similarity >= self.company}",
        "{each.n for each in self.near}",
        "an answer would fill up with strangers",
        f"{_JOIN}what_words_found_too_little_of_is_no_company_either",
    ),
    _meaning(
        "meaning.noise",
        "noise.above(each) if noise else math.inf",
        "noise.above(each) if noise else -1.0",
        "everything would be an answer until the model is gauged",
        f"{_JOIN}while_the_noise_is_unknown_meaning_alone_answers_nothing",
    ),
    _meaning(
        "meaning.repeated",
        "and _row(each) not in repeated",
        "",
        "a statement would be shown twice",
        f"{_JOIN}what_repeats_a_hit_of_words_does_not_come_back_by_its_meaning",
    ),
    _recall(
        "meaning.skipped",
        "skipped = skipped if there else (*skipped, _MEANING)",
        "pass",
        "an answer would not say that its model failed",
        f"{_JOIN}without_its_vector_the_question_is_answered_by_words_and_the_answer_says_so",
    ),
    _embedding(
        "meaning.hook",
        "or caller.surface is Surface.HOOK",
        "",
        "a hook would wait for a model",
        f"{_DOOR}a_hook_asks_no_model",
    ),
    _embedding(
        "meaning.mask",
        "text = mask(text).text",
        "pass",
        "a secret in a question would leave the machine",
        f"{_DOOR}a_model_is_asked_the_question_alone_without_filters_and_secrets",
        quick=True,
    ),
    _keep(
        "meaning.kept",
        'db.execute("UPDATE chunk_vector SET chunk_n = -chunk_n")',
        "pass",
        "every rebuild would have to be paid for",
        f"{_VECTORS}a_rebuilt_index_keeps_each_vector_whatever_numbers_the_chunks_get",
    ),
    _keep(
        "meaning.kept.gone",
        'db.execute("DELETE FROM chunk_vector WHERE chunk_n < 0")',
        "pass",
        "vectors of texts that nobody says any more would stay",
        f"{_VECTORS}a_rebuilt_index_keeps_no_vector_of_what_is_not_said_any_more",
    ),
)
