"""What keeps a withdrawn value out, and who lets it in again."""

from .shape import GRAVES, MUTANTS, POLICY, In

_gate = In("memex_mcp/gate.py")
_refusals = In("memex_mcp/store/refusals.py")
_stamp = In("memex_mcp/policy/stamp.py")
_REFUSED = f"{GRAVES}a_retracted_value_is_refused_however_it_is_spelled"
_AUDITED = f"{MUTANTS}every_change_leaves_its_audit_row"
_SAID = f"{POLICY}stamp.py"

MUTATIONS = (
    _gate(
        "gate.tombstone",
        "if kept is not None:",
        "if True:",
        "a withdrawn value would come back",
        _REFUSED,
        quick=True,
    ),
    _refusals(
        "gate.tombstone.first",
        "if not tombstones.any_standing(db, owners):",
        "if True:",
        "a withdrawn value would come back",
        _REFUSED,
    ),
    _gate(
        "gate.refusal",
        "if isinstance(passed, Refused):",
        "if False:",
        "a withdrawn value would come back",
        _REFUSED,
    ),
    *(
        _stamp(
            f"gate.tombstone.{name}",
            old,
            new,
            f"a withdrawn value would come back as {name}",
            _SAID,
            quick=name == "text",
        )
        for name, old, new in (
            ("text", "lines = (draft.text, heading,", "lines = (heading,"),
            ("title", "heading = draft.title or", "heading ="),
            ("heading", "draft.title or build(draft.text).title", "draft.title"),
            ("summary", "heading, draft.summary, draft.use_when)", "heading, draft.use_when)"),
            ("use_when", "draft.summary, draft.use_when)\n", "draft.summary)\n"),
            ("tags", "lists = (*draft.tags, ", "lists = ("),
            ("aliases", "*draft.tags, *draft.aliases, ", "*draft.tags, "),
            ("questions", ", *draft.questions)\n", ")\n"),
        )
    ),
    _refusals(
        "gate.tombstone.enclosing",
        "for each in owners for text in",
        "for each in owners[:1] for text in",
        "a session would bring back what its workspace withdrew",
        f"{GRAVES}a_workspace_tombstone_binds_its_sessions_and_nobody_else",
    ),
    _gate(
        "gate.tombstone.target",
        "target.owner if target else admitted.owner)",
        "admitted.owner)",
        "a revision would bring back what was withdrawn in its record's scope",
        f"{GRAVES}a_refusal_binds_in_the_scope_of_the_record_that_is_revised",
    ),
    _refusals(
        "gate.tombstone.everywhere",
        "if owner == GLOBAL_OWNER and caller.workspace is not None:",
        "if False:",
        "what was withdrawn here would come back as a global record",
        f"{GRAVES}what_was_withdrawn_here_does_not_come_back_for_everywhere",
    ),
    _gate(
        "gate.tombstone.count",
        "tombstones.count_refusal(self._db, tombstone.value_key)",
        "pass",
        "refusals would not be counted",
        _REFUSED,
    ),
    _gate(
        "gate.tombstone.audit",
        'self._changes.note("refuse", tombstone.record_id)',
        "pass",
        "refusals would leave no trace",
        _AUDITED,
    ),
    _gate(
        "gate.bury",
        "self._changes.bury(old, reason)",
        "pass",
        "a retracted value could be written again at once",
        _REFUSED,
        quick=True,
    ),
    _gate(
        "gate.lift.person",
        'check_person(self._caller, "lifts a tombstone")',
        "pass",
        "an agent would lift what the user withdrew",
        f"{GRAVES}a_person_lifts_a_tombstone_and_an_agent_cannot",
        quick=True,
    ),
    _gate(
        "gate.lift.owner",
        "tombstones.beginning(self._db, owners(self._caller), key)",
        "tombstones.beginning(self._db, "
        '[row[0] for row in self._db.execute("SELECT owner FROM tombstone")], key)',
        "a tombstone would be lifted from another workspace",
        f"{GRAVES}a_tombstone_is_lifted_from_within_its_scope_only",
    ),
    _gate(
        "gate.lift",
        "tombstones.lift(self._db, tombstone.value_key, self._at)",
        "pass",
        "a lifted value would stay refused",
        f"{GRAVES}a_person_lifts_a_tombstone_and_an_agent_cannot",
    ),
    _gate(
        "gate.lift.audit",
        'self._changes.note("lift", tombstone.record_id)',
        "pass",
        "lifting would leave no trace",
        _AUDITED,
    ),
    _gate(
        "gate.restore.lift",
        "if tombstones.lift(self._db, old.value_key, self._at):",
        "if False:",
        "a value that a person took back would stay refused",
        f"{GRAVES}a_person_who_takes_a_record_back_lets_its_value_in_again",
    ),
)
