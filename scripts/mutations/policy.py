"""Decisions: who may write, read and move what, under which stamps and keys."""

from .shape import GATE, MUTANTS, POLICY, TEXT, In

_access = In("memex_mcp/policy/access.py")
_authorise = In("memex_mcp/policy/authorise.py")
_keys = In("memex_mcp/policy/keys.py")
_limits = In("memex_mcp/policy/limits.py")
_masking = In("memex_mcp/policy/masking.py")
_stamp = In("memex_mcp/policy/stamp.py")
_status = In("memex_mcp/policy/status.py")
_targets = In("memex_mcp/policy/targets.py")
_fold = In("memex_mcp/text/fold.py")
_sameness = In("memex_mcp/policy/sameness.py")
_OWNERS = f"{POLICY}access.py"
_DENIED = f"{POLICY}authorise.py::test_what_the_caller_lacks_is_denied"
_PERSON = f"{POLICY}authorise.py::test_only_a_person_who_may_write_acts_as_a_person"
_TARGETS = f"{POLICY}targets.py"
_MOVES = f"{POLICY}status.py"
_KEYS = f"{POLICY}keys.py"
_VALUE = f"{POLICY}keys.py::test_one_value_written_differently_has_one_key"
_BINDS = f"{POLICY}keys.py::test_refusals_bind_in_the_owner_and_what_encloses_it"
_DISGUISED = f"{TEXT}fold.py::test_disguised_values_share_a_key"
_STAMPED = f"{GATE}stamps_come_from_the_caller"
_FIELD = f"{POLICY}masking.py::test_a_secret_is_masked_in_every_field"
_SIZES = f"{POLICY}limits.py"
_PROPOSAL = f"{MUTANTS}a_proposal_stays_in_the_scope_of_what_it_stands_against"

ACCESS = (
    _access(
        "access.workspace",
        "    if not workspace:\n        return (GLOBAL_OWNER,)\n",
        "",
        "a caller from nowhere would read a workspace",
        _OWNERS,
        quick=True,
    ),
    _access(
        "access.session",
        "session)) if session else seen",
        "session))",
        "a caller without a session would read one",
        _OWNERS,
        quick=True,
    ),
    _access(
        "access.unstorable",
        '        return ""\n',
        '        return str(name).encode("utf-8", "replace").decode()\n',
        "one session's name would become another's",
        _OWNERS,
    ),
)

AUTHORISE = (
    _authorise("gate.readonly", "if caller.readonly:", "if False:", "nobody is read-only", _PERSON),
    _authorise(
        "gate.readonly.write",
        "check_writer(caller)\n    _check_kind",
        "_check_kind",
        "a read-only server would write",
        _DENIED,
        quick=True,
    ),
    _authorise(
        "gate.readonly.person",
        "check_writer(caller)\n    if not caller.human",
        "if not caller.human",
        "a read-only server would lift tombstones",
        _PERSON,
    ),
    _authorise(
        "gate.person", "if not caller.human:", "if False:", "a program is a person", _PERSON
    ),
    _authorise(
        "gate.workspace",
        "    if caller.workspace is None:",
        '    if caller.workspace is None:\n        return scope, owner_of(scope, "", "")\n'
        "    if caller.workspace is None:",
        "records of no workspace would be written",
        _DENIED,
    ),
    _authorise(
        "gate.session",
        "if scope is Scope.SESSION and not caller.session_id:",
        "if False:",
        "records of no session would be written",
        _DENIED,
    ),
    _authorise(
        "gate.kind",
        "elif caller.surface not in _CAPTURES:",
        "elif False:",
        "an agent would write what passes for an archive",
        _DENIED,
    ),
    _authorise(
        "gate.sources",
        "if draft.sources and caller.writes_as in (Author.AGENT, Author.HUMAN):",
        "if False:",
        "an agent would make up evidence",
        f"{POLICY}authorise.py::test_who_states_something_names_no_source_records",
    ),
    _authorise(
        "gate.global_writer",
        "if scope is Scope.GLOBAL and not (caller.human or caller.global_writer):",
        "if False:",
        "any client would write for all workspaces",
        _DENIED,
        quick=True,
    ),
    _authorise(
        "gate.nowhere",
        "if draft.id is not None and draft.scope is None and caller.workspace is None:",
        "if False:",
        "a caller from nowhere could not revise what it wrote",
        f"{POLICY}authorise.py::test_from_nowhere_a_revision_is_of_a_global_record",
    ),
    _authorise(
        "gate.global_kind",
        "if draft.kind not in (Kind.NOTE, Kind.PERSONA):",
        "if False:",
        "an archive would be read in all workspaces",
        f"{POLICY}authorise.py::test_archives_are_never_global",
    ),
)

STATUS = (
    _status(
        "status.moves",
        "if to not in _AGENT_MOVES[record.status]:",
        "if False:",
        "an agent would revive what was withdrawn",
        f"{_MOVES}::test_an_agent_makes_only_the_moves_of_the_table",
        quick=True,
    ),
    _status(
        "status.rank",
        "if outranked(caller.writes_as, record):",
        "if False:",
        "an agent would withdraw what a person wrote",
        f"{_MOVES}::test_an_agent_does_not_touch_what_a_person_stands_behind",
    ),
    _status(
        "status.human_only",
        "if caller.human:",
        "if False:",
        "a person could not accept a candidate",
        _MOVES,
    ),
    _status(
        "status.retracted",
        "if record.status is Status.RETRACTED and to is not Status.ACTIVE:",
        "if False:",
        "a withdrawn record would leave its tombstone behind",
        _MOVES,
    ),
    _status(
        "status.verified",
        "Author.HUMAN if record.trust is Trust.VERIFIED else record.author",
        "record.author",
        "what a person accepted would count as the agent's own",
        f"{_MOVES}::test_an_agent_does_not_touch_what_a_person_stands_behind",
    ),
    _status(
        "status.same",
        "if record.status is to:",
        "if False:",
        "a move to where the record is would be a change",
        f"{_MOVES}::test_nobody_moves_a_record_to_candidate_or_to_where_it_is",
    ),
    _status(
        "status.candidate",
        "if to is Status.CANDIDATE:",
        "if False:",
        "a record would become a proposal of itself",
        f"{_MOVES}::test_nobody_moves_a_record_to_candidate_or_to_where_it_is",
    ),
)

TARGETS = (
    *(
        _targets(f"target.{name}", old, "if False:", why, _TARGETS)
        for name, old, why in (
            (
                "scope",
                "if draft.scope is not None and draft.scope is not target.scope:",
                "a record would change its scope",
            ),
            (
                "dedupe_key",
                "if draft.dedupe_key and draft.dedupe_key != target.dedupe_key:",
                "a record would change its dedupe_key",
            ),
            (
                "both",
                "if draft.supersedes is not None:",
                "a revision would forget what it was to replace",
            ),
            ("kind", "if target.kind is not draft.kind:", "an agent would rewrite an archive"),
            ("status", "if target.status not in LIVE:", "a withdrawn record would be revised"),
            ("replaced.owner", "if old.owner != owner:", "a record would be replaced from outside"),
            (
                "replaced.status",
                "if old.status not in LIVE:",
                "a withdrawn record would be superseded",
            ),
            (
                "successor.other",
                "if new.id == old.id or new.owner != old.owner:",
                "a record would be replaced from another scope",
            ),
            (
                "successor.status",
                "if new.status not in CURRENT:",
                "a record would be replaced by a withdrawn one",
            ),
        )
    ),
    _targets(
        "target.replaced.twice",
        "if old.status is Status.SUPERSEDED:",
        "if False:",
        "the second successor would not hear of the first",
        f"{GATE}of_two_successors_the_second_learns_that_it_lost",
    ),
    _targets(
        "same.key",
        "if draft.dedupe_key is not None and draft.dedupe_key != same.dedupe_key:",
        "if False:",
        "a key given later would be lost",
        f"{MUTANTS}a_key_given_later_comes_too_late",
    ),
    _targets(
        "same.kind",
        "[record for record in found if record.kind is draft.kind]",
        "found",
        "a note would count for a span",
        _TARGETS,
    ),
    _targets(
        "same.live",
        "    if live:\n        return live[0]\n",
        "",
        "a repetition would count for a record put aside",
        _TARGETS,
    ),
    _targets(
        "same.retracted",
        "if record.status is Status.SUPERSEDED]",
        "]",
        "a repetition would count for a withdrawn record",
        _TARGETS,
    ),
    _targets(
        "same.supersedes",
        "aside[0] if aside and draft.supersedes is None else None",
        "aside[0] if aside else None",
        "an old value could not be stated again",
        _TARGETS,
    ),
)

TWINS = tuple(
    _targets(f"twin.{name}", f" and {part}" if last else f"{part} and ", "", why, _TARGETS)
    for name, part, last, why in (
        ("itself", "other.id != record.id", False, "a record would be its own twin"),
        ("kind", "other.kind is record.kind", True, "a span would be the twin of a note"),
        ("live", "other.status in LIVE", True, "a record put aside would block its value"),
    )
)

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
        f"{MUTANTS}a_hand_edit_passes_the_gate_like_any_other_write",
        quick=True,
    ),
    _stamp(
        "stamps.global",
        "caller.workspace if admitted.scope is not Scope.GLOBAL else None",
        "caller.workspace",
        "a global record would name a workspace",
        f"{GATE}only_listed_clients_and_people_write_global_records",
    ),
    _stamp(
        "stamps.derived",
        "if proposal or (derived and admitted.draft.kind is Kind.NOTE):",
        "if proposal:",
        "what a model derived would count as known",
        f"{GATE}what_rules_or_models_derive_waits_for_a_person",
    ),
    _stamp(
        "stamps.proposal",
        "if proposal or (derived and admitted.draft.kind is Kind.NOTE):",
        "if derived and admitted.draft.kind is Kind.NOTE:",
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
        f"{MUTANTS}superseding_ends_a_record_and_never_lengthens_it",
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
            ("empty", "if not draft.text.strip():", "if False:", "nothing would be a record"),
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

KEYS = (
    _keys(
        "keys.owner",
        'f"{owner}\\n{bare.strip(_EDGES) or bare}"',
        "bare.strip(_EDGES) or bare",
        "a value withdrawn in one workspace would be refused in all",
        f"{POLICY}keys.py::test_a_key_belongs_to_one_owner",
    ),
    _keys(
        "keys.simplified",
        "simplified(plain))",
        "plain)",
        "traditional writing would make another value",
        _KEYS,
    ),
    _keys(
        "keys.gap",
        '_GAP.sub("", simplified(plain))',
        "simplified(plain)",
        "a blank between Chinese characters would make another value",
        _KEYS,
    ),
    _keys(
        "keys.edges",
        "{bare.strip(_EDGES) or bare}",
        "{bare}",
        "a full stop would make another value",
        _KEYS,
    ),
    _keys(
        "keys.watched.workspace",
        'return (owner, f"w:{workspace}", GLOBAL_OWNER)',
        "return (owner, GLOBAL_OWNER)",
        "a session would bring back what its workspace withdrew",
        _BINDS,
    ),
    _keys(
        "keys.watched.global",
        "    return (owner, GLOBAL_OWNER)",
        "    return (owner,)",
        "a workspace would bring back what was withdrawn everywhere",
        _BINDS,
    ),
    _fold(
        "value.case",
        "value = value.casefold()",
        "pass",
        "capitals would make another value",
        _VALUE,
        _DISGUISED,
    ),
    _fold(
        "value.case.ascii",
        "text.translate(_HIDDEN_ASCII).lower()",
        "text.translate(_HIDDEN_ASCII)",
        "capitals would make another value",
        _VALUE,
    ),
    _fold(
        "value.width",
        'unicodedata.normalize("NFKC", _HIDDEN.sub("", value))',
        '_HIDDEN.sub("", value)',
        "full width would make another value",
        _VALUE,
    ),
    _fold(
        "value.invisible",
        'unicodedata.normalize("NFKC", _HIDDEN.sub("", value))',
        'unicodedata.normalize("NFKC", value)',
        "an invisible character would make another value",
        _VALUE,
    ),
    _fold(
        "value.invisible.ascii",
        "text.translate(_HIDDEN_ASCII).lower()",
        "text.lower()",
        "a control character would make another value",
        _VALUE,
    ),
    _fold(
        "value.alike",
        "value = value.translate(_ALIKE)",
        "pass",
        "a Cyrillic letter would make another value",
        _VALUE,
    ),
    _fold(
        "value.alike.capitals",
        "value = value.translate(_CAPITALS)",
        "pass",
        "a Greek capital would make another value",
        _DISGUISED,
        _VALUE,
    ),
    _fold(
        "value.space",
        '        value = " ".join(value.split())',
        "        pass",
        "white space would make another value",
        _VALUE,
    ),
    _fold(
        "value.space.ascii",
        'return " ".join(text.translate(_HIDDEN_ASCII).lower().split())',
        "return text.translate(_HIDDEN_ASCII).lower()",
        "white space would make another value",
        _VALUE,
    ),
    _sameness(
        "sameness.not",
        "if values_a == values_b and negated_a == negated_b:",
        "if values_a == values_b:",
        "a negation would not be told",
        f"{POLICY}sameness.py",
    ),
    _sameness(
        "sameness.value",
        "if values_a == values_b and negated_a == negated_b:",
        "if negated_a == negated_b:",
        "another number would not be told",
        f"{POLICY}sameness.py",
    ),
)

MUTATIONS = (*ACCESS, *AUTHORISE, *STATUS, *TARGETS, *TWINS, *STAMPS, *MASKED, *LIMITS, *KEYS)
