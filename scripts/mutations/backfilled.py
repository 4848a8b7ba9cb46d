"""What keeps sessions that are taken in, or end, within what their users allow."""

from .shape import In

_BACKFILL = "tests/cli/test_backfill.py::test_"
_TRUST = "tests/whole/test_trust_capture.py::test_"
_LEAKS = "tests/whole/test_leaks_archive.py::test_"
_HOOKS = "tests/hooks/test_process.py::test_"
_LATE = "tests/hooks/test_catching_up.py::test_"
_RULES = "tests/capture/test_rules.py::test_"
_OWN = f"{_LEAKS}lines_and_receipts_are_the_sessions_own"
_COUNTED = "tests/hooks/test_counted.py::test_the_sum_of_what_hooks_told_is_told_until_a_compaction"

_verdicts = In("memex_mcp/capture/verdicts.py")
_backfill = In("memex_mcp/backfill.py")
_ledger = In("memex_mcp/store/ledger.py")
_seen = In("memex_mcp/store/seen.py")
_brief = In("memex_mcp/retrieval/brief.py")
_prompt = In("memex_mcp/hooks/user_prompt.py")
_archiving = In("memex_mcp/hooks/archiving.py")
_catching_up = In("memex_mcp/hooks/catching_up.py")
_rules = In("memex_mcp/capture/rules.py")
_injection = In("memex_mcp/injection.py")

MUTATIONS = (
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
    _archiving(
        "hooks.late",
        "if size or event.late:",
        "if size:",
        "the last turn of a client that writes late would wait for a backfill",
        f"{_LATE}a_transcript_that_is_written_after_the_last_hook_is_archived_once",
    ),
    _archiving(
        "hooks.late.off",
        "if not (allowed.spans or allowed.checkpoints is not None):",
        "if False:",
        "a process would wait for what may not be archived",
        f"{_LATE}where_nothing_may_be_archived_nobody_waits",
    ),
    _archiving(
        "hooks.late.in_time",
        "if not event.late or told.seen > told.known:",
        "if not event.late:",
        "a process would wait for what is archived already",
        f"{_LATE}the_last_turn_that_is_in_time_is_not_waited_for",
    ),
    _catching_up(
        "hooks.late.never",
        "if transcript.is_file():",
        "if True:",
        "a transcript that never comes would be told as a failure",
        f"{_LATE}a_transcript_that_never_comes_leaves_nothing_behind",
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
