"""What keeps archives, files and pins within what their users allow."""

from .shape import In

_PRIVATE = "tests/archive/test_private.py::test_"
_PINS = "tests/test_pinning.py::test_"
_IMPORT = "tests/cli/test_import.py::test_"
_TRUST = "tests/whole/test_trust_capture.py::test_"
_STAYS = f"{_PRIVATE}a_secret_stays_in_the_lines_of_its_session_and_is_masked_everywhere_else"
_HOMELESS = f"{_PRIVATE}where_only_the_shared_archive_is_on_such_a_turn_is_left_out_and_counted"

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
_ignore = In("memex_mcp/capture/ignore.py")

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

MUTATIONS = (*SECRETS, *PINS, *FILES)
