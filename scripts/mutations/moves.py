"""Changes of status, and what each needs."""

from .shape import GATE, GRAVES, MUTANTS, PROPOSALS, REACH, STATUSES, In

_gate = In("memex_mcp/gate.py")
_admission = In("memex_mcp/policy/admission.py")
_targets = In("memex_mcp/policy/targets.py")
_PRECEDENCE = f"{GATE}an_agent_only_proposes_against_what_a_person_wrote"
_SOUND = f"{STATUSES}a_status_change_needs_a_reason_and_a_sound_successor"

MUTATIONS = (
    _gate(
        "gate.move.readonly",
        "check_writer(self._caller)\n        reason",
        "reason",
        "a read-only server would change statuses",
        f"{REACH}a_read_only_caller_changes_nothing",
        quick=True,
    ),
    _gate(
        "gate.move.check",
        "check_move(old, to, self._caller)",
        "pass",
        "an agent would withdraw what a person wrote",
        _PRECEDENCE,
        quick=True,
    ),
    _gate(
        "gate.move.reach",
        "check_reach(old.scope, self._caller)\n        check_move",
        "check_move",
        "any client would withdraw what all workspaces read",
        f"{REACH}a_client_that_is_not_listed_changes_no_global_record",
    ),
    _gate(
        "gate.target.reach",
        "check_reach(target.scope, self._caller)",
        "pass",
        "any client would rewrite what all workspaces read",
        f"{REACH}a_client_that_is_not_listed_changes_no_global_record",
    ),
    _gate(
        "gate.move.reason",
        "if not reason:",
        "if False:",
        "a status would change without a reason",
        _SOUND,
    ),
    _gate(
        "gate.move.alone",
        "targets.check_alone(old, same, self._caller.writes_as)",
        "pass",
        "an agent would withdraw what a person says too",
        f"{PROPOSALS}a_value_that_a_person_states_is_not_withdrawn_with_an_agents_record",
    ),
    _gate(
        "gate.accept.validity",
        "valid_to=before.times.valid_to",
        "valid_to=old.times.valid_to",
        "a record that is current again would have ended",
        f"{STATUSES}a_record_made_current_again_holds_as_it_did_before",
    ),
    _gate(
        "gate.accept.audit",
        'self._changes.note("lift", old.id)',
        "pass",
        "lifting would leave no trace",
        f"{GRAVES}a_person_who_takes_a_record_back_lets_its_value_in_again",
    ),
    _gate(
        "gate.accept.supersedes",
        'self._changes.supersede(target, new, "the proposal was accepted")',
        "pass",
        "a proposal and what it replaces would both be current",
        f"{PROPOSALS}an_accepted_proposal_replaces_what_it_stood_against",
    ),
    _admission(
        "gate.policy",
        'policy = _BARE if secrets == "off" else ""',
        'policy = ""',
        "nobody would see that secrets were not masked",
        f"{MUTANTS}a_secret_stays_only_where_the_user_said_so",
    ),
    _gate(
        "gate.denied",
        'self._changes.note("deny", record_id)',
        "pass",
        "what was denied would leave no trace",
        f"{REACH}what_was_denied_is_on_record_and_changed_nothing",
    ),
    _targets(
        "gate.move.pair",
        "if (to is Status.SUPERSEDED) != (superseded_by is not None):",
        "if False:",
        "a record would be superseded by nothing",
        _SOUND,
    ),
    _gate(
        "gate.move.successor",
        "targets.check_successor(old, successor)",
        "pass",
        "a record would be superseded by itself",
        _SOUND,
    ),
)
