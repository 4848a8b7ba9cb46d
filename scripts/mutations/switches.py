"""Who may put a switch, and what one that is off holds back."""

from .shape import In

_memory = In("memex_mcp/memory.py")
_care = In("memex_mcp/care.py")
_store = In("memex_mcp/store/switches.py")
_switches = In("memex_mcp/switches.py")
_writing = In("memex_mcp/writing.py")
_app = In("memex_mcp/server/app.py")

_MODES = "tests/test_modes.py::test_"
_NOTHING = f"{_MODES}whoever_is_off_reads_nothing_and_leaves_no_trace"
_UNTOUCHED = f"{_MODES}memory_that_is_switched_off_from_outside_touches_nothing"
_PUT = "tests/test_switches.py::test_"
_OF_RECORD = (
    "with self._writer.denials(caller, record_id), self._writer.passage(caller) as passage:\n"
    "            "
)
_KEPT = "tests/store/test_switches.py::test_"
_READS = {
    "open": "opened = opening",
    "grep": "return grep.grep",
    "index": "return browse.listed",
    "stats": "return browse.stats",
    "listing": "return catalog.page",
    "catalog": "return catalog.build",
}

SWITCHED_OFF = (
    _care(
        "disabled",
        "    def _awake(self) -> None:\n"
        '        """Touch nothing at all where the environment or the settings say so."""\n'
        "        check_enabled(self.settings)",
        "    def _awake(self) -> None:\n        pass",
        "memory that is off would make a store",
        _UNTOUCHED,
        quick=True,
    ),
    *(
        _memory(f"disabled.{name}", f"self._awake()\n        {next_}", next_, why, _UNTOUCHED)
        for name, next_, why in (
            ("write", "return self._writer.write(drafts", "it would make a store"),
            ("set_status", f"{_OF_RECORD}return passage.move(", "it would make one"),
            ("pin", f"{_OF_RECORD}return passage.pin(", "it would make one"),
            ("link", "with self._writer.denials(caller, link.from_id)", "it would make one"),
            ("lift", "with self._writer.denials(caller, None)", "it would make a store"),
        )
    ),
    _care(
        "disabled.refresh",
        "self._awake()\n        self.switches.check_running()",
        "self.switches.check_running()",
        "it would make a store",
        _UNTOUCHED,
    ),
    *(
        _memory(
            f"off.{name}",
            f"with self._reading(caller, cancel) as db:\n            {next_}",
            f"with self._database.read(cancel) as db:\n            {next_}",
            "whoever is off would read",
            _NOTHING,
            quick=name == "open",
        )
        for name, next_ in _READS.items()
    ),
    _memory(
        "off.search",
        "with self._reading(caller, cancel) as db:\n                return recall.recall",
        "with self._database.read(cancel) as db:\n                return recall.recall",
        "whoever is off would find",
        _NOTHING,
    ),
    _memory(
        "off.window",
        "with self._reading(caller, cancel) as db:\n                return window.window",
        "with self._database.read(cancel) as db:\n                return window.window",
        "whoever is off would be shown a page",
        _NOTHING,
    ),
    _memory(
        "off.tombstones",
        "with self._reading(caller) as db:\n            return tombstones",
        "with self._database.read() as db:\n            return tombstones",
        "whoever is off would read",
        _NOTHING,
    ),
    _memory(
        "off.model",
        "if self.embedding is not None:\n            with self._reading",
        "if False:\n            with self._reading",
        "a model would hear what is asked while memory is off",
        f"{_MODES}no_model_hears_the_question_of_a_session_that_is_off",
    ),
    _memory(
        "off.open.counted",
        "changes = not caller.readonly and self.switches.writes(db, caller)",
        "changes = not caller.readonly",
        "a session that only reads would count openings",
        f"{_MODES}read_only_reads_and_changes_nothing_not_even_a_counter",
    ),
    _writing(
        "off.before",
        "            with self._database.read() as db:\n                self._check(db, caller)\n",
        "",
        "a refusal of whoever is off would leave a row",
        _NOTHING,
    ),
    _writing(
        "off.waiting",
        "            self._check(db, caller)\n            _make_current(db)",
        "            _make_current(db)",
        "a write that waited would be made though its session is off",
        f"{_MODES}a_write_that_waits_while_its_session_is_switched_off_is_not_made",
    ),
    _care(
        "off.refresh",
        "        self.switches.check_running()\n",
        "",
        "a paused store would take in edits",
        f"{_MODES}a_paused_store_takes_nothing_in_of_its_own",
    ),
)

PUT = (
    _switches(
        "switches.person",
        'check_person(caller, "turns a level on")',
        "check_writer(caller)",
        "an agent would turn a level on",
        f"{_PUT}a_person_turns_a_level_on_and_nobody_else_does",
        quick=True,
    ),
    _switches(
        "switches.sticky",
        'raise Denied(f"{level} is sticky: {_STICKY}", _INSTEAD)',
        "return None  # type: ignore[misc]",
        "a level would seem to be turned off",
        f"{_PUT}no_level_is_ever_turned_off",
    ),
    _switches(
        "switches.cap",
        "if rules.capped(level, self._settings):",
        "if False:",
        "what the environment keeps off would be turned on",
        f"{_PUT}nothing_turns_on_what_the_environment_keeps_off",
    ),
    _switches(
        "switches.disabled",
        "check_enabled(self._settings)",
        "pass",
        "a level would be turned on while memory is off",
        f"{_PUT}switched_off_from_outside_nothing_is_turned_on",
    ),
    _switches(
        "switches.unreadable",
        "return History(unreadable=str(error))",
        "return History()",
        "a store that cannot be read would allow recall",
        f"{_PUT}a_store_that_cannot_be_read_allows_nothing_by_itself",
    ),
    _switches(
        "switches.files",
        "if caller.writes_as is Author.FILE:",
        "if False:",
        "a hand edit would wait for a session",
        f"{_MODES}what_a_person_did_to_a_file_is_no_doing_of_a_session",
    ),
    _store(
        "switches.owner",
        "for owner, key, value, at in db.execute(sql.format(marks=marks), seen):",
        'for owner, key, value, at in db.execute(sql.replace("IN ({marks})", "NOT NULL")):',
        "the switches of one session would be those of all",
        f"{_KEPT}every_change_is_kept_in_its_order_for_whom_it_concerns",
        quick=True,
    ),
    _store(
        "switches.agree",
        "elif known[-1].value != turned.value:",
        "elif False:",
        "a setting that was tampered with would not be noticed",
        f"{_KEPT}what_is_broken_is_told_and_mended_by_putting_it_anew",
    ),
    _store(
        "switches.audit",
        "    audit.append(db, caller, entry, at)\n\n\ndef note_denied",
        "\n\ndef note_denied",
        "nobody would know who switched what",
        f"{_KEPT}a_change_leaves_an_audit_row_that_holds_no_content",
    ),
    _store(
        "switches.mend",
        "    _mend(db, switch)\n",
        "",
        "what is broken would stay so for ever",
        f"{_KEPT}what_is_broken_is_told_and_mended_by_putting_it_anew",
    ),
    _store(
        "switches.prune.level",
        "        if key == MODE:\n            _log(",
        "        if True:\n            _log(",
        "a level would be forgotten with its session",
        f"{_KEPT}after_90_days_what_was_put_for_a_session_is_forgotten_but_no_level",
    ),
    _store(
        "switches.prune.seen",
        "WHERE s.last_seen >= :since AND",
        "WHERE 1=0 AND",
        "the mode of a session that goes on would be forgotten",
        f"{_KEPT}a_session_that_was_seen_since_keeps_what_was_put_for_it",
    ),
    _app(
        "switches.serve",
        "    if not options.levels:\n        return None\n",
        "    if options is not None:\n        return None\n",
        "serve --levels would do nothing",
        "tests/server/test_starting_levels.py::"
        "test_what_was_asked_for_is_on_after_a_request_and_nothing_else",
    ),
)

MUTATIONS = (*SWITCHED_OFF, *PUT)
