"""What clients and settings can do, and what text can do to its reader."""

from .shape import GATE, MUTANTS, SERVER, TEXT, In

_app = In("memex_mcp/server/app.py")
_arguments = In("memex_mcp/server/arguments.py")
_callers = In("memex_mcp/server/callers.py")
_failures = In("memex_mcp/server/failures.py")
_plain = In("memex_mcp/retrieval/plain.py")
_told = In("memex_mcp/server/told.py")
_settings = In("memex_mcp/settings.py")
_fence = In("memex_mcp/text/fence.py")
_secrets = In("memex_mcp/text/secrets.py")
_READONLY = f"{SERVER}a_read_only_server_offers_no_writing_tool_and_counts_no_opening"
_OFFERED = f"{SERVER}a_tool_that_is_not_offered_cannot_be_called"
_OURS = f"{SERVER}an_argument_that_is_not_ours_is_refused_and_nothing_is_written"
_MISTAKE = "tests/test_settings.py::test_a_setting_that_is_not_understood_switches_memory_off"
_SWITCH = "tests/test_settings.py::test_the_master_switch_is_one_variable"
_DEFUSED = f"{TEXT}fence.py::test_what_looks_like_a_fence_or_a_turn_is_defused_in_sight"
_SECRET = f"{GATE}a_secret_reaches_no_file_of_the_store"

TOOLS = (
    _app(
        "readonly.tools",
        "if not (options.readonly and known[name].writes)",
        "if True",
        "a read-only server would offer to write",
        _READONLY,
        quick=True,
    ),
    _callers(
        "readonly.caller",
        "readonly=self.readonly,",
        "",
        "a read-only server would count openings",
        _READONLY,
    ),
    _app(
        "tools.offered",
        "if params.name not in self._specs:\n            raise",
        "if not any(spec.name == params.name for spec in SPECS):\n            raise",
        "a tool that is not offered could be called",
        _OFFERED,
        quick=True,
    ),
    _app(
        "tools.known",
        "        if name not in known:",
        "        if False:",
        "a misspelt tool would be a bug",
        _OFFERED,
    ),
    _arguments(
        "arguments.unknown",
        'extra="forbid"',
        'extra="ignore"',
        "a misspelt argument would be lost",
        _OURS,
        quick=True,
    ),
    _arguments(
        "arguments.stamps",
        "if name in _STAMPS:",
        "if False:",
        "nobody would say that a stamp is ours",
        _OURS,
    ),
    _told(
        "fence.titles",
        'fenced(body, label="titles", nonce=nonce, format=form)',
        "body",
        "titles of other records would pass for instructions",
        f"{SERVER}titles_of_other_records_come_fenced",
    ),
    _plain(
        "plain.session",
        '"times", "session_id"}',
        '"times"}',
        "whoever reads a record would learn whose session it is of",
        f"{SERVER}no_answer_names_the_session_of_a_record",
    ),
    _failures(
        "failures.text",
        'text="bug: the server failed. This is not your fault."',
        'text=f"bug: {error}"',
        "a failure would tell a path or a memory",
        f"{SERVER}a_bug_tells_the_client_nothing_of_what_it_met",
    ),
)

SETTINGS = (
    _settings(
        "settings.disabled",
        "disabled=problem,",
        'disabled="",',
        "a typing error would widen what is shared",
        _MISTAKE,
        quick=True,
    ),
    _settings(
        "settings.key",
        "if key not in known:",
        "if key not in known:\n            continue\n        if key not in known:",
        "a misspelt key would be no key",
        _MISTAKE,
    ),
    _settings(
        "settings.value",
        "if not fits(value):",
        "if False:",
        "a misspelt value would be the default",
        _MISTAKE,
    ),
    _settings(
        "settings.toml",
        'return {}, f"config.toml is not TOML: {error}"',
        "return {}, str(error)[:0]",
        "a broken file would be no file",
        _MISTAKE,
    ),
    _settings(
        "settings.unreadable",
        'return {}, "config.toml cannot be read"',
        'return {}, ""',
        "an unreadable file would be no file",
        "tests/test_settings.py::test_a_file_that_cannot_be_read_switches_memory_off",
    ),
    _settings(
        "settings.switch",
        "if switch in _TRUE:",
        "if False:",
        "the master switch would be read as a mistake",
        f"{MUTANTS}the_master_switch_says_that_it_was_set",
    ),
    _settings(
        "settings.switch.unknown",
        "elif switch not in _FALSE:",
        "elif False:",
        "a misspelt switch would be no switch",
        _SWITCH,
    ),
    _settings(
        "settings.cap.unknown",
        "if most not in _MAX_LEVELS:",
        "if False:",
        "a misspelt cap would be no mistake",
        "tests/test_settings.py::test_a_cap_that_is_not_understood_switches_memory_off",
    ),
    _settings(
        "settings.off",
        'if values.get("disabled") and not problem:',
        "if False:",
        "disabled = true would not switch off",
        _MISTAKE,
    ),
    _settings(
        "settings.secrets",
        'secrets: Secrets = "mask"',
        'secrets: Secrets = "off"',
        "secrets would be stored unless the user forbids it",
        _MISTAKE,
    ),
)

READERS = (
    _fence(
        "fence.closing",
        'edits[at] = (at + 1, "&lt;")',
        "pass",
        "a text would close its own fence",
        _DEFUSED,
        quick=True,
    ),
    _fence(
        "fence.turns",
        'edits[at] = (done[0], f"> {done[1]}") if done else (at, "> ")',
        "pass",
        "a text would pass for a turn of the conversation",
        _DEFUSED,
    ),
    _fence(
        "fence.hidden",
        "if _IGNORABLE.match(character) or unicodedata.combining(character):",
        "if False:",
        "an invisible character would hide a closing fence",
        _DEFUSED,
    ),
    _fence(
        "fence.width",
        "looks = value_text(character) or character",
        "looks = character.lower()",
        "full width would hide a closing fence",
        _DEFUSED,
    ),
    _secrets(
        "secrets.tokens",
        "yield from _tokens(text, plain.translate(_RUN_CLASS))",
        "pass",
        "a token would be stored",
        _SECRET,
    ),
    *(
        _secrets(
            f"secrets.{name}",
            old,
            new,
            f"a {what} would be stored",
            f"{TEXT}secrets.py",
        )
        for name, old, new, what in (
            ("keys", "yield from _private_keys(text, plain)", "pass", "private key"),
            ("marked", "yield from _marked(text, lowered)", "pass", "password in a URL"),
            (
                "assigned",
                "for start, end, kind in secret_names.assigned(text, lowered):",
                "for start, end, kind in ():",
                "password",
            ),
        )
    ),
)

MUTATIONS = (*TOOLS, *SETTINGS, *READERS)
