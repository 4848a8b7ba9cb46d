"""What a write is stamped with, masked of and limited to."""

from .shape import FILES, GATE, POLICY, PROPOSALS, REACH, STATUSES, In

_limits = In("memex_mcp/policy/limits.py")
_masking = In("memex_mcp/policy/masking.py")
_stamp = In("memex_mcp/policy/stamp.py")
_STAMPED = f"{GATE}stamps_come_from_the_caller"
_FIELD = f"{POLICY}masking.py::test_a_secret_is_masked_in_every_field"
_SIZES = f"{POLICY}limits.py"
_PROPOSAL = f"{PROPOSALS}a_proposal_stays_in_the_scope_of_what_it_stands_against"

STAMPS = (
    _stamp(
        "stamps.author",
        "author=caller.writes_as,\n        surface=caller.surface,\n"
        "        client=caller.client,\n        trust=Trust.VERIFIED if caller.human "
        "else Trust.UNTRUSTED,\n        status",
        "author=Author.AGENT,\n        surface=caller.surface,\n"
        "        client=caller.client,\n        trust=Trust.VERIFIED if caller.human "
        "else Trust.UNTRUSTED,\n        status",
        "nobody would know that a person wrote it",
        _STAMPED,
    ),
    _stamp(
        "stamps.trust",
        "trust=Trust.VERIFIED if caller.human else Trust.UNTRUSTED,\n        status",
        "trust=Trust.VERIFIED,\n        status",
        "an agent would vouch for itself",
        _STAMPED,
        quick=True,
    ),
    _stamp(
        "stamps.trust.revised",
        "trust=Trust.VERIFIED if caller.human else Trust.UNTRUSTED,\n        salience",
        "trust=old.trust,\n        salience",
        "what a person rewrote would stay untrusted",
        f"{GATE}a_person_who_says_the_same_stands_behind_it",
    ),
    _stamp(
        "stamps.trust.accepted",
        "        trust=Trust.VERIFIED,\n",
        "",
        "what a person accepts would stay untrusted",
        f"{GATE}an_agent_only_proposes_against_what_a_person_wrote",
    ),
    _stamp(
        "stamps.author.file",
        "writes_as=Author.FILE",
        "writes_as=Author.HUMAN",
        "whatever edits a file would have a person's authority",
        f"{FILES}a_hand_edit_passes_the_gate_like_any_other_write",
        quick=True,
    ),
    _stamp(
        "stamps.global",
        "caller.workspace if admitted.scope is not Scope.GLOBAL else None",
        "caller.workspace",
        "a global record would name a workspace",
        f"{REACH}only_listed_clients_and_people_write_global_records",
    ),
    _stamp(
        "stamps.derived",
        "if proposal or admitted.draft.propose or (derived and admitted.draft.kind is Kind.NOTE):",
        "if proposal or admitted.draft.propose:",
        "what a model derived would count as known",
        f"{GATE}what_rules_or_models_derive_waits_for_a_person",
    ),
    _stamp(
        "stamps.proposal",
        "if proposal or admitted.draft.propose or (derived and admitted.draft.kind is Kind.NOTE):",
        "if admitted.draft.propose or (derived and admitted.draft.kind is Kind.NOTE):",
        "a proposal would count as known",
        f"{GATE}an_agent_only_proposes_against_what_a_person_wrote",
    ),
    _stamp(
        "stamps.proposal.scope",
        "        scope=old.scope,\n        workspace_id=old.workspace_id,\n"
        "        session_id=old.session_id,\n",
        "",
        "a proposal would show a session's record to its workspace",
        _PROPOSAL,
    ),
    _stamp(
        "stamps.proposal.key",
        "dedupe_key=None if proposal else draft.dedupe_key",
        "dedupe_key=draft.dedupe_key",
        "a proposal would clash with what it stands against",
        _PROPOSAL,
    ),
    _stamp(
        "stamps.card",
        'kept = old.card if same_text else Card(title="", tags=old.card.tags)',
        "kept = old.card",
        "aliases of the old text would find the new one",
        f"{GATE}a_revision_keeps_the_id_and_drops_what_described_the_old_text",
    ),
    _stamp(
        "stamps.valid_to",
        "until if valid_to is None else min(valid_to, until)",
        "until",
        "superseding would lengthen what had ended before",
        f"{STATUSES}superseding_ends_a_record_and_never_lengthens_it",
    ),
)

MASKED = (
    *(
        _masking(
            f"mask.{name}",
            old,
            new,
            f"a secret would be stored as {name}",
            _FIELD,
        )
        for name, old, new in (
            ("text", "text=body(draft.text)", "text=draft.text"),
            ("title", "title=line(draft.title)", "title=draft.title"),
            ("summary", "summary=line(draft.summary)", "summary=draft.summary"),
            ("use_when", "use_when=line(draft.use_when)", "use_when=draft.use_when"),
            ("source", "source=line(draft.source)", "source=draft.source"),
            (
                "source_version",
                "source_version=line(draft.source_version)",
                "source_version=draft.source_version",
            ),
            (
                "dedupe_key",
                "None if draft.dedupe_key is None else line(draft.dedupe_key)",
                "draft.dedupe_key",
            ),
            ("tags", "tuple(map(line, draft.tags))", "draft.tags"),
            ("aliases", "tuple(map(line, draft.aliases))", "draft.aliases"),
            ("questions", "tuple(map(line, draft.questions))", "draft.questions"),
        )
    ),
)

LIMITS = (
    *(
        _limits(f"limits.{name}", old, new, why, _SIZES)
        for name, old, new, why in (
            ("empty", "if is_blank(draft.text):", "if False:", "nothing would be a record"),
            (
                "invisible",
                "if is_blank(draft.text):",
                "if not draft.text.strip():",
                "a record would say nothing that anybody sees",
            ),
            ("lines", "    _check_lines(draft)\n", "", "a title of any length would be stored"),
            ("items", "if len(items) > LIST_ITEMS:", "if False:", "a hundred tags would be stored"),
            (
                "tokens",
                "if counted.tokens > NOTE_TOKENS:",
                "if False:",
                "notes would be of any size",
            ),
            (
                "characters",
                "if len(text) > CALL_CHARACTERS:",
                "if False:",
                "a call would take any amount of text",
            ),
            (
                "salience",
                "if draft.salience is not None and not 0 <= draft.salience <= 1:",
                "if False:",
                "one record would outweigh all others",
            ),
            (
                "validity",
                "if draft.valid_from and draft.valid_to and draft.valid_to <= draft.valid_from:",
                "if False:",
                "a record would end before it begins",
            ),
        )
    ),
)

MUTATIONS = (*STAMPS, *MASKED, *LIMITS)
