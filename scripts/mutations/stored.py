"""What the store and its one door keep in step by themselves."""

from .shape import FILES, GRAVES, MUTANTS, REACH, STORE, In

_memory = In("memex_mcp/memory.py")
_writing = In("memex_mcp/writing.py")
_index = In("memex_mcp/store/index.py")
_audit = In("memex_mcp/store/audit.py")
_FILED = f"{MUTANTS}every_change_is_told_and_lies_in_its_file_when_the_call_returns"
_NO_TERM = f"{MUTANTS}no_word_of_an_earlier_version_stays_in_the_index"

MUTATIONS = (
    _index(
        "index.remove.card",
        "db.execute(_REMOVE_CARD, (n, *_card_terms(record)))",
        "pass",
        "aliases of the old version would find the new one",
        _NO_TERM,
    ),
    _index(
        "index.remove.body",
        "db.executemany(_REMOVE_BODY, _body_terms(record, spans))",
        "pass",
        "the words of the old version would stay",
        _NO_TERM,
        quick=True,
    ),
    _index(
        "index.remove.chunk",
        'db.execute("DELETE FROM chunk WHERE record_n = ?", (n,))',
        "pass",
        "chunks of the old version would stay",
        _NO_TERM,
    ),
    _index(
        "index.month",
        'yield n, f"{index_terms(body[start:stop])} {month}"',
        "yield n, index_terms(body[start:stop])",
        "a month would find nothing",
        f"{STORE}index.py::test_every_chunk_answers_to_the_month_it_was_observed_in",
    ),
    _index(
        "index.asked",
        "(*card.aliases, *card.questions)",
        "()",
        "aliases and questions would find nothing",
        f"{STORE}index.py::test_each_part_of_a_card_is_in_its_column",
    ),
    _writing(
        "index.ready",
        "    if index.stale(db):\n        index.rebuild(db)",
        "    pass",
        "terms would be taken out of an index that never held them",
        f"{MUTANTS}an_index_of_another_analyzer_is_built_anew_before_it_is_changed",
    ),
    _audit(
        "audit.chain",
        ' or row["previous"] != previous',
        "",
        "a rewritten history would pass",
        f"{STORE}audit.py",
    ),
    _audit(
        "audit.hash",
        'if row["hash"] != _digest(values[:-1]):',
        "if False:",
        "a changed row would pass",
        f"{STORE}audit.py",
    ),
    _memory(
        "memory.refusal",
        "if isinstance(written, Refused):",
        "if False:",
        "a writer would not hear of a refusal",
        f"{GRAVES}a_retracted_value_is_refused_however_it_is_spelled",
        quick=True,
    ),
    _writing(
        "writing.denied",
        "gate.Gate(db, caller, now()).denied(record_id)",
        "pass",
        "what was denied would leave no trace",
        f"{REACH}what_was_denied_is_on_record_and_changed_nothing",
    ),
    _writing(
        "writing.mask",
        "admission.admit(draft, caller, secrets=self._secrets)",
        'admission.admit(draft, caller, secrets="mask")',
        "the user's own choice would not count",
        f"{MUTANTS}a_secret_stays_only_where_the_user_said_so",
    ),
    _writing(
        "writing.mirror",
        "mirror.drain(self._database, limit=most, bodies=passage.bodies)",
        "pass",
        "files would wait for the next start",
        _FILED,
    ),
    _writing(
        "writing.listeners",
        "                listener(change)",
        "                pass",
        "no client would hear of a change",
        _FILED,
    ),
    _memory(
        "open.readonly",
        "if page.cursor is None and changes:",
        "if page.cursor is None:",
        "a read-only server would count openings",
        f"{REACH}a_read_only_caller_changes_nothing",
    ),
    _memory(
        "edits.open",
        "if changes and self._writer.take_edits(record_id):",
        "if False:",
        "who opens a record would not see what a person wrote into its file",
        f"{FILES}opening_a_record_takes_in_what_a_person_wrote_into_its_file",
    ),
    _memory(
        "edits.readonly",
        "if changes and self._writer.take_edits(record_id):",
        "if self._writer.take_edits(record_id):",
        "a read-only server would write what is in files",
        f"{FILES}opening_a_record_takes_in_what_a_person_wrote_into_its_file",
    ),
    _writing(
        "edits.gate",
        "(written,) = self.write([draft], caller)",
        "written = None",
        "hand edits would be lost",
        f"{FILES}a_hand_edit_is_a_revision_by_a_file_and_earns_no_trust",
    ),
)
