"""What hooks put before a model, and what keeps it from being archived with what is said."""

from .shape import TEXT, In

_PREVIEWS = "tests/retrieval/test_previews.py::test_"
_INJECTION = "tests/whole/test_injection.py::test_"
_PIECES = "tests/archive/test_pieces.py::test_"
_CLEAN = f"{TEXT}clean.py::test_"
_CLAUDE = "tests/capture/test_claude_lines.py::test_"

_view = In("memex_mcp/retrieval/view.py")
_visible = In("memex_mcp/store/visible.py")
_previews = In("memex_mcp/retrieval/previews.py")
_brief = In("memex_mcp/retrieval/brief.py")
_injection = In("memex_mcp/injection.py")
_values = In("memex_mcp/capture/transcripts/values.py")
_clean = In("memex_mcp/text/clean.py")
_blocks = In("memex_mcp/text/blocks.py")
_archive = In("memex_mcp/archive.py")
_reading = In("memex_mcp/capture/reading.py")

_CROWD = f"{_PREVIEWS}no_number_of_own_records_crowds_out_what_a_sibling_has"
_DECLARED = f"{_PREVIEWS}no_number_of_suggestions_crowds_out_what_was_written_on_purpose"
_ONCE = f"{_INJECTION}a_prompt_brings_a_record_back_once_until_the_context_is_new"
_WHOSE = f"{_PIECES}turns_belong_to_the_session_that_their_transcript_names"
_ENDED = f"{_PIECES}what_is_archived_when_a_capture_is_ended_stays_and_the_next_one_goes_on"

TOLD = (
    _previews(
        "previews.weights",
        "replace(_TUNING, weights=replace(_TUNING.weights, **manner.weights))",
        "_TUNING",
        "the weights of a profile would count for nothing",
        "tests/profiles/test_loading.py"
        "::test_the_weights_of_a_profile_decide_what_its_model_reads_first",
    ),
    _view(
        "previews.own",
        "if query.apart_from:",
        "if False:",
        "a prompt would bring back what its own session holds",
        _CROWD,
        quick=True,
    ),
    _visible(
        "previews.own.notes",
        "(r.session_id <> ? OR r.kind = '{Kind.NOTE}')",
        "(r.session_id <> ?)",
        "a note would be out of reach in the session that wrote it",
        _CROWD,
    ),
    _view(
        "previews.authors",
        "if query.authors:",
        "if False:",
        "a strict user would be told what nobody wrote on purpose",
        _DECLARED,
    ),
    _brief(
        "brief.authors",
        "admitted = notes_by(seen, only) if only else seen",
        "admitted = seen",
        "a strict user would begin with what nobody wrote on purpose",
        "tests/retrieval/test_brief.py::test_strict_leaves_out_what_nobody_wrote_on_purpose",
    ),
    _previews(
        "previews.off",
        "if manner.policy is Previews.OFF:",
        "if False:",
        "whoever wants no previews would get some",
        f"{_PREVIEWS}strict_shows_what_was_written_on_purpose_and_off_shows_nothing",
    ),
    _previews(
        "previews.seen",
        "fresh = [hit for hit in chosen if hit.id not in shown]",
        "fresh = chosen",
        "a session would be told the same again and again",
        f"{_PREVIEWS}what_was_shown_in_the_session_is_not_shown_again_and_nothing_takes_its_place",
    ),
    _injection(
        "injection.seen",
        "seen.mark(db, caller.workspace.id, caller.session_id, shown.ids, at)",
        "pass",
        "nobody would remember what was told",
        _ONCE,
    ),
    _injection(
        "injection.anew",
        "if source in _ANEW:",
        "if False:",
        "after a compaction nothing would be told again",
        _ONCE,
    ),
    _injection(
        "injection.off",
        "self._is_there() and self._switches.now(caller).recall",
        "self._is_there()",
        "a session that is off would be told what is on record",
        f"{_INJECTION}what_the_user_switched_off_is_not_told",
        quick=True,
    ),
)

LEFT_OUT = (
    _values(
        "feedback.results",
        "if own(name):\n        return recalled(text)",
        "if False:\n        return recalled(text)",
        "what a tool of ours returned would be archived as said",
        f"{_CLAUDE}what_memory_itself_returned_is_one_line_of_ids",
        quick=True,
    ),
    _clean(
        "feedback.foreign_results",
        "body = blocks.without_fences(text, recalled)",
        "body = text",
        "recalled text that another tool passed on would be archived as said",
        f"{_CLEAN}what_memory_returned_becomes_one_line_of_ids_wherever_it_stands",
    ),
    _clean(
        "feedback.answers",
        'return blocks.without_fences(text, lambda _: "").strip()',
        "return text.strip()",
        "recalled text that an assistant repeats would be archived as said",
        "tests/whole/test_feedback.py::test_ten_times_recalled_and_archived_is_once_archived",
    ),
    _blocks(
        "feedback.prompts",
        "if head:\n            return self._line_end(self.of_fence(head), opened)",
        "if False:\n            return self._line_end(self.of_fence(head), opened)",
        "recalled text in a prompt would be archived as the user's words",
        f"{_CLEAN}what_memory_put_in_is_taken_out_of_the_prompt_in_every_shape",
    ),
)

READ = (
    _archive(
        "capture.whose",
        "own is None or not _is_of(source.path, own)",
        "own is None",
        "turns of one session would go to whoever hands them in",
        _WHOSE,
        quick=True,
    ),
    _archive(
        "capture.copied",
        'session_id in (*path.parts, path.stem) or path.stem.endswith(f"-{session_id}")',
        "False",
        "a session that goes on in a file of its own would lose its turns to the one before",
        f"{_PIECES}a_session_that_goes_on_in_a_file_of_its_own_with_turns_of_another_is_itself",
    ),
    _archive(
        "capture.pieces",
        "reading.pieces(path, client, start, _PIECE)",
        "reading.pieces(path, client, start)",
        "a hook that is ended in a long transcript would begin anew for ever",
        _ENDED,
    ),
    _reading(
        "capture.waits",
        "if not stat.S_ISREG(path.stat().st_mode):",
        "if False:",
        "a hook would wait for a pipe",
        "tests/capture/test_pieces.py::test_nothing_that_is_no_file_is_waited_for",
    ),
)

MUTATIONS = (*TOLD, *LEFT_OUT, *READ)
