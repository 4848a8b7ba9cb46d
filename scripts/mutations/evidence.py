"""What keeps the lines of transcripts exact, without secrets and without what was withdrawn."""

from .shape import POLICY, STORE, In

_LINES = "tests/test_gate_lines.py::test_"
_CAPTURE = "tests/archive/test_capture.py::test_"
_ONCE = "tests/archive/test_once.py::test_"
_AT_ONCE = "tests/archive/test_at_once.py::test_"
_LEFT_OUT = f"{_LINES}a_withdrawn_statement_is_left_out_of_evidence_and_the_rest_is_kept"
_SECRET = f"{_LINES}a_secret_in_a_line_reaches_no_file_of_the_store"

_gate = In("memex_mcp/gate.py")
_events = In("memex_mcp/store/events.py")
_masking = In("memex_mcp/policy/masking.py")
_withdrawn = In("memex_mcp/policy/withdrawn.py")
_refusals = In("memex_mcp/store/refusals.py")
_authorise = In("memex_mcp/policy/authorise.py")
_writing = In("memex_mcp/writing.py")
_verdicts = In("memex_mcp/capture/verdicts.py")
_archive = In("memex_mcp/archive.py")
_sidecar = In("memex_mcp/store/sidecar.py")
_opening = In("memex_mcp/retrieval/opening.py")

KEPT = (
    _gate(
        "lines.stored",
        "self._changes.extend(written.id, passed.draft.events)",
        "pass",
        "what was said would not be kept to the byte",
        f"{_LINES}the_lines_of_a_span_come_back_to_the_byte",
        quick=True,
    ),
    _events(
        "lines.once",
        "fresh = [line for line in lines if line.sha256 not in known]",
        "fresh = list(lines)",
        "a replay would double the lines of a record",
        f"{_LINES}a_value_said_again_brings_its_new_lines_to_the_known_record",
    ),
    _events(
        "lines.owner",
        " WHERE r.owner = ?",
        " WHERE ? <> ''",
        "what another session said would count as known here",
        f"{STORE}events.py::test_lines_are_known_to_the_owner_of_their_record_only",
    ),
    _authorise(
        "lines.notes",
        "if draft.events:",
        "if False:",
        "a note would stand for lines",
        f"{_LINES}only_capture_hands_in_lines_and_only_for_evidence",
    ),
    _masking(
        "lines.masked",
        "lines = tuple(_line(line, found) for line in draft.events)",
        "lines = draft.events",
        "secrets would lie in the archive",
        _SECRET,
        quick=True,
    ),
    _masking(
        "lines.json",
        "if whole != data and literals.is_json(data) and not literals.is_json(whole):",
        "if False:",
        "a masked line would be no JSON any more",
        _SECRET,
    ),
    _sidecar(
        "lines.hash",
        "return line if is_whole(line) else None",
        "return line",
        "an edit of the file of lines would be taken in",
        f"{STORE}sidecar.py::test_of_changed_lines_none_is_taken_in_and_the_others_are",
    ),
    _opening(
        "lines.cursor",
        "return cls(record_id, text, stamp.sha256(text))",
        'return cls(record_id, text, "")',
        "a cursor would read on in another text",
        "tests/server/test_open_lines.py",
    ),
)

WITHDRAWN = (
    _refusals(
        "evidence.statement",
        "kept, left_out = _cleared(db, owners, draft)",
        "kept, left_out = draft, ()",
        "a withdrawn statement would come back with the turn it was said in",
        _LEFT_OUT,
        quick=True,
    ),
    _refusals(
        "evidence.left",
        "tombstone = against(db, owners, kept)",
        "tombstone = None",
        "a span that was withdrawn without a statement would come back",
        f"{_LINES}a_span_that_was_retracted_without_a_statement_stays_out_with_it",
    ),
    _refusals(
        "evidence.whole",
        "texts = [draft.text] if draft.kind in withdrawn.EVIDENCE else stamp.said(draft)",
        "texts = [] if draft.kind in withdrawn.EVIDENCE else stamp.said(draft)",
        "a retracted span would come back",
        f"{_LINES}a_retracted_piece_of_evidence_never_comes_back",
    ),
    _withdrawn(
        "evidence.lines",
        "events=lines(draft.events, refuses),",
        "",
        "a withdrawn statement would stay in the lines",
        _LEFT_OUT,
    ),
    _withdrawn(
        "evidence.title",
        '"title": _uncut(without(item.title, refuses), gone),',
        '"title": without(item.title, refuses),',
        "the beginning of a withdrawn statement would stay as the title",
        f"{_LINES}a_withdrawn_statement_leaves_nested_json_and_the_card",
    ),
    *(
        _withdrawn(
            f"evidence.found.{name.replace(' ', '_')}",
            old,
            new,
            f"a withdrawn {name} would stay",
            f"{POLICY}withdrawn.py",
        )
        for name, old, new in (
            ("paragraph", "if _is_one(text, *paragraph, refuses):", "if False:"),
            ("line", "if _is_one(text, start, stop, refuses):", "if False:"),
            ("quotation", "if quotes and _is_one(text, *piece, refuses):", "if False:"),
            ("sentence", "if _is_one(text, *run, refuses):", "if False:"),
            ("statement after a label", "    if lead:", "    if False:"),
        )
    ),
)

ARCHIVED = (
    _writing(
        "archive.decided_again",
        "if passage.ledger.state(batch.source.key) != batch.known:",
        "if False:",
        "two processes would archive a turn twice",
        f"{_AT_ONCE}what_was_decided_before_somebody_else_captured_is_not_written",
        quick=True,
    ),
    _writing(
        "archive.sources",
        "sources=(*derived.draft.sources, *ids)",
        "sources=derived.draft.sources",
        "a checkpoint would not say which turn it comes from",
        f"{_CAPTURE}a_checkpoint_names_the_spans_that_it_was_made_from",
    ),
    _writing(
        "archive.refused",
        "replace(mark, fate=left_out.get(mark.key, mark.fate))",
        "mark",
        "the ledger would say that a withdrawn turn is archived",
        f"{_CAPTURE}a_withdrawn_turn_stays_out_and_a_withdrawn_statement_leaves_it",
    ),
    _archive(
        "archive.wanted",
        "elif not self._wanted(caller):",
        "elif False:",
        "a transcript would be read while no level is on",
        f"{_CAPTURE}without_a_level_nothing_is_read_and_nothing_is_written",
        quick=True,
    ),
    _archive(
        "archive.asked_while_off",
        "self._switches.check_writing(db, caller)",
        "pass",
        "a transcript would be read while memory is off",
        f"{_CAPTURE}turns_from_while_memory_was_off_are_never_taken",
    ),
    _archive(
        "archive.anew",
        "if fingerprint(path, place.stop) == place.head_sha256 else 0",
        "",
        "a file that was written anew would be read on in the middle",
        f"{_ONCE}a_file_that_was_written_anew_is_read_from_its_start",
    ),
    _verdicts(
        "archive.parked",
        "if not allowed.write:",
        "if False:",
        "turns from while memory was off would be taken later",
        f"{_CAPTURE}turns_from_while_memory_was_off_are_never_taken",
        quick=True,
    ),
    _verdicts(
        "archive.before",
        "return Fate.CAPTURED if wanted else Fate.BEFORE, allowed",
        "return Fate.CAPTURED, allowed",
        "turns from before a level was on would count as empty",
        f"{_CAPTURE}turns_from_before_a_level_was_on_wait_until_somebody_asks",
    ),
    _verdicts(
        "archive.known",
        "if before in _DONE or (before in _LATER and not ruling.explicit):",
        "if False:",
        "a replay would write the ledger anew",
        f"{_ONCE}replaying_a_transcript_changes_nothing",
    ),
    _verdicts(
        "archive.grown",
        "return steps[number:] if number > 1 else steps",
        "return steps",
        "a turn that went on would be archived twice",
        f"{_ONCE}a_turn_that_goes_on_after_it_was_archived_is_not_doubled",
    ),
    _verdicts(
        "archive.ignored",
        "hide = ruling.withheld.withholds if ruling.withheld else None",
        "hide = None",
        "what .memexignore names would be archived",
        f"{_CAPTURE}what_memexignore_names_is_left_out",
    ),
    _verdicts(
        "archive.ignored.all",
        "if self.withheld is not None and self.withheld.everything:",
        "if False:",
        "a workspace that wants no memory would have one",
        f"{_CAPTURE}what_memexignore_names_is_left_out",
    ),
    _verdicts(
        "archive.capped",
        "spans=not capped[Level.L2],",
        "spans=True,",
        "a deployment could not keep turns out of the archive",
        f"{_CAPTURE}what_a_person_asks_for_needs_no_level_and_goes_where_it_should",
    ),
)

MUTATIONS = (*KEPT, *WITHDRAWN, *ARCHIVED)
