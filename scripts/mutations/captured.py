"""What keeps archives, files and pins within what their users allow."""

from .shape import In

_PRIVATE = "tests/archive/test_private.py::test_"
_PINS = "tests/test_pinning.py::test_"
_IMPORT = "tests/cli/test_import.py::test_"
_BACKFILL = "tests/cli/test_backfill.py::test_"
_TRUST = "tests/whole/test_trust_capture.py::test_"
_LEAKS = "tests/whole/test_leaks_archive.py::test_"
_HOOKS = "tests/hooks/test_process.py::test_"
_RULES = "tests/capture/test_rules.py::test_"

_admission = In("memex_mcp/policy/admission.py")
_masking = In("memex_mcp/policy/masking.py")
_stamp = In("memex_mcp/policy/stamp.py")
_status = In("memex_mcp/policy/status.py")
_gate = In("memex_mcp/gate.py")
_writing = In("memex_mcp/writing.py")
_salvage = In("memex_mcp/store/salvage.py")
_verdicts = In("memex_mcp/capture/verdicts.py")
_importing = In("memex_mcp/importing.py")
_import = In("memex_mcp/cli/import_.py")
_backfill = In("memex_mcp/backfill.py")
_ledger = In("memex_mcp/store/ledger.py")
_seen = In("memex_mcp/store/seen.py")
_brief = In("memex_mcp/retrieval/brief.py")
_prompt = In("memex_mcp/hooks/user_prompt.py")
_archiving = In("memex_mcp/hooks/archiving.py")
_ignore = In("memex_mcp/capture/ignore.py")
_rules = In("memex_mcp/capture/rules.py")
_injection = In("memex_mcp/injection.py")

_STAYS = f"{_PRIVATE}a_secret_stays_in_the_lines_of_its_session_and_is_masked_everywhere_else"
_HOMELESS = f"{_PRIVATE}where_only_the_shared_archive_is_on_such_a_turn_is_left_out_and_counted"
_OWN = f"{_LEAKS}lines_and_receipts_are_the_sessions_own"
_COUNTED = "tests/hooks/test_counted.py::test_the_sum_of_what_hooks_told_is_told_until_a_compaction"

SECRETS = (
    _admission(
        "private.spans",
        "draft.kind is Kind.SPAN and scope is Scope.SESSION",
        "True",
        "what is kept private would lie in what is shared",
        _HOMELESS,
    ),
    _admission(
        "private.choice",
        'private = secrets == "private" and',
        'private = secrets != "off" and',
        "secrets would be kept for whoever wants them masked",
        "tests/archive/test_secrets.py::test_every_shape_is_gone_from_every_place_that_a_turn_has",
        quick=True,
    ),
    _masking(
        "private.text",
        "clean = cleaned(replace(draft, events=()), found)",
        "clean = draft",
        "a secret would be searchable and shown",
        f"{_PRIVATE}a_password_that_is_a_word_is_masked_where_it_is_one",
    ),
    _masking(
        "private.told",
        "found.secrets.update(kept.secrets)",
        "pass",
        "what a line gives away would be shared",
        f"{_PRIVATE}what_only_a_line_gives_away_is_masked_in_what_is_shared",
    ),
    _stamp(
        "private.lines",
        "if admitted.private:",
        "if False:",
        "what was to stay whole would be masked",
        _STAYS,
    ),
    _admission(
        "private.audit",
        'policy = _KEPT if kept else ""',
        "pass",
        "nobody would see that secrets were kept",
        f"{_PRIVATE}that_secrets_are_kept_is_on_record",
    ),
    _writing(
        "private.homeless",
        "if admission.is_homeless(made, self._secrets)",
        "if False",
        "a turn with secrets would be shared",
        _HOMELESS,
    ),
    _verdicts(
        "private.later",
        "_LATER = {Fate.BEFORE, Fate.IGNORED, Fate.UNSAFE}",
        "_LATER = {Fate.BEFORE, Fate.IGNORED}",
        "every hook would decide anew about a turn with secrets",
        _HOMELESS,
    ),
    _verdicts(
        "ignored.later",
        "_LATER = {Fate.BEFORE, Fate.IGNORED, Fate.UNSAFE}",
        "_LATER = {Fate.BEFORE, Fate.UNSAFE}",
        "a hook would take what was kept out once nothing keeps it out any more",
        "tests/archive/test_capture.py::test_what_memexignore_names_is_left_out",
    ),
    _salvage(
        "private.rebuilt",
        'self._mask_lines = secrets == "mask"',
        "self._mask_lines = False",
        "a rebuild would keep secrets that are to be masked by now",
        f"{_PRIVATE}files_alone_give_the_lines_back_as_the_user_wants_them_now",
    ),
)

PINS = (
    _gate(
        "pin.reach",
        "check_reach(old.scope, self._caller)\n        check_pin",
        "check_pin",
        "any client would say what every workspace begins with",
        f"{_PINS}nobody_pins_in_a_scope_that_is_not_theirs",
    ),
    _gate(
        "pin.put",
        "if old.pinned is not pinned:",
        "if False:",
        "a pin would do nothing",
        f"{_PINS}what_is_pinned_leads_the_catalog_and_the_brief_until_it_is_unpinned",
    ),
    _gate(
        "pin.again",
        "if old.pinned is not pinned:",
        "if True:",
        "pinning what is pinned would be a change",
        f"{_PINS}a_pin_is_a_version_with_its_audit_row_its_file_and_its_event",
    ),
    _status(
        "pin.rank",
        "    if outranked(caller.writes_as, record):\n"
        '        raise Denied("a person stands behind this record", "Ask',
        '    if False:\n        raise Denied("a person stands behind this record", "Ask',
        "an agent would unpin what a person wrote",
        f"{_PINS}only_a_person_pins_what_a_person_wrote",
        quick=True,
    ),
    _status(
        "pin.current",
        "if pinned and record.status not in CURRENT:",
        "if False:",
        "what was withdrawn would be pinned",
        f"{_PINS}only_what_is_current_is_pinned_and_anything_is_unpinned",
    ),
)

FILES = (
    _importing(
        "import.candidate",
        "propose=not caller.human",
        "propose=False",
        "whatever is in a file would count at once",
        f"{_IMPORT}each_statement_becomes_a_candidate_that_names_file_and_line",
        quick=True,
    ),
    _import(
        "import.person",
        "if args.accept and not at_terminal():",
        "if False:",
        "a program would accept in a person's name",
        f"{_IMPORT}through_a_pipe_nobody_accepts",
        quick=True,
    ),
    _import(
        "import.accept",
        "human=args.accept",
        "human=False",
        "what a person accepts would wait",
        f"{_IMPORT}a_person_accepts_and_the_notes_count_at_once",
    ),
    _importing(
        "import.heading",
        "summary=_bare(statement)",
        'summary=""',
        "what was withdrawn would come back below a heading",
        f"{_TRUST}gateway_no_bypass_path_through_sessions_and_files",
    ),
    _importing(
        "import.ignored",
        "if withheld.withholds(str(path)) else found.text(path)",
        "if False else found.text(path)",
        "a file that is to be ignored would be imported",
        f"{_IMPORT}what_cannot_be_read_or_is_ignored_is_counted",
    ),
    _importing(
        "import.off",
        "self._switches.check_writing(db, deed)",
        "pass",
        "a file would be read while memory is off",
        f"{_IMPORT}memory_that_is_off_takes_nothing",
    ),
    _importing(
        "import.known",
        "if not _is_known(there[line.key], caller)]",
        "]",
        "a second import would count everything again",
        f"{_IMPORT}a_second_import_changes_nothing",
        f"{_IMPORT}what_an_agent_wrote_before_is_known_and_not_counted_again",
    ),
    _ignore(
        "ignore.broken",
        "    except (OSError, UnicodeDecodeError):\n        return Ignore(everything=True)",
        "    except (OSError, UnicodeDecodeError):\n        return Ignore(everything=False)",
        "a .memexignore that cannot be read would ignore nothing",
        "tests/capture/test_ignore.py::test_a_folder_of_that_name_keeps_everything_out",
    ),
)

SESSIONS = (
    _backfill(
        "backfill.off",
        "if isinstance(caller, Caller) and not self._switches.now(caller).write:",
        "if False:",
        "a backfill would take what a workspace wants out",
        f"{_BACKFILL}memory_that_is_off_takes_nothing",
    ),
    _backfill(
        "backfill.capped",
        'if self._settings.max_levels == "none":',
        "if False:",
        "a deployment could not forbid a backfill",
        f"{_BACKFILL}the_environment_can_forbid_every_archive",
    ),
    _prompt(
        "hooks.recall",
        "or not memory.switches.now(caller).recall:",
        "or False:",
        "a hook would read what was said while nothing may be recalled",
        f"{_HOOKS}switched_off_by_the_mode_nothing_is_read_or_written",
    ),
    _archiving(
        "hooks.derived",
        "writes_as=Author.DERIVED,",
        "writes_as=Author.AGENT,",
        "what was captured would pass for what an agent wrote on purpose",
        f"{_TRUST}gateway_model_cannot_claim_human_authority_in_what_is_captured",
    ),
    _injection(
        "injection.nobody",
        "if question is None or caller.workspace is None or not caller.session_id:",
        "if question is None or caller.workspace is None:",
        "whoever has no session would be told the same again and again",
        "tests/whole/test_trust_hooks.py::test_a_prompt_without_a_session_is_told_nothing",
    ),
    _seen(
        "seen.prune",
        'f"DELETE FROM {table} WHERE at < ?", (to_ms(at - KEPT),)',
        'f"DELETE FROM {table} WHERE ? IS NULL", (to_ms(at - KEPT),)',
        "what was shown to sessions that are long gone would pile up",
        "tests/whole/test_trust_hooks.py::test_what_a_session_was_shown_is_forgotten_in_the_end",
    ),
    _seen(
        "seen.sum",
        "tokens = tokens + excluded.tokens",
        "tokens = excluded.tokens",
        "only the last text that hooks told would be counted",
        _COUNTED,
    ),
    _seen(
        "seen.compacted",
        '_TABLES = ("recall_seen", "injected")',
        '_TABLES = ("recall_seen",)',
        "what a compaction took out of a session would be counted on",
        _COUNTED,
    ),
    _ledger(
        "receipt.session",
        "{seen.where} AND r.session_id = ? AND r.kind",
        "{seen.where} AND ? <> '' AND r.kind",
        "a session would be told what others archived as its own",
        _OWN,
    ),
    _brief(
        "brief.own",
        'return apart_from(seen, view.caller.session_id or "")',
        "return seen",
        "a session would begin with its own archive",
        "tests/retrieval/test_brief.py::"
        "test_archives_of_other_sessions_are_listed_and_the_own_are_not",
    ),
    _rules(
        "rules.agents",
        "if source.part:",
        "if False:",
        "what an agent was told would pass for what the user said",
        f"{_RULES}a_turn_gives_candidates_that_name_their_conversation",
    ),
    _rules(
        "rules.questions",
        "if clause.asks:",
        "if False:",
        "questions would become statements",
        f"{_RULES}what_is_not_said_by_the_user_as_a_statement_is_left",
    ),
    _verdicts(
        "rules.off",
        "if ruling.settings.rules else ()",
        "",
        "candidates would be made without being asked for",
        "tests/whole/test_trust_hooks.py::test_without_the_setting_no_rule_makes_a_candidate",
    ),
)

MUTATIONS = (*SECRETS, *PINS, *FILES, *SESSIONS)
