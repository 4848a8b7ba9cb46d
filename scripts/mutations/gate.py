"""What the write gate admits, and what it makes of what is on record already."""

from .shape import GATE, MUTANTS, PROPOSALS, REACH, In

_gate = In("memex_mcp/gate.py")
_admission = In("memex_mcp/policy/admission.py")
_PRECEDENCE = f"{GATE}an_agent_only_proposes_against_what_a_person_wrote"
_SECRET = f"{GATE}a_secret_reaches_no_file_of_the_store"
_SUPERSEDED = f"{GATE}a_superseded_record_leaves_recall_and_names_its_successor"
_LINKED = f"{PROPOSALS}proposals_and_successors_are_linked_to_what_they_stand_against"
_LOST = f"{GATE}of_two_successors_the_second_learns_that_it_lost"
_REPEATED = f"{GATE}the_same_statement_again_is_counted_and_earns_no_trust"
_SOURCES = f"{MUTANTS}sources_are_kept_for_the_first_statement_and_for_its_repetition"

ADMITTED = (
    _admission(
        "gate.printable",
        "draft = printable(draft)",
        "pass",
        "line breaks and half characters would reach titles and files",
        f"{MUTANTS}what_is_too_long_or_cannot_be_stored_never_reaches_the_store",
    ),
    _admission(
        "gate.limits",
        "limits.check(draft)",
        "pass",
        "a note of any size would be stored",
        f"{MUTANTS}what_is_too_long_or_cannot_be_stored_never_reaches_the_store",
        quick=True,
    ),
    _admission(
        "gate.mask",
        '    elif secrets != "off":',
        "    elif False:",
        "secrets would be stored",
        _SECRET,
        quick=True,
    ),
    _gate(
        "gate.mask.reason",
        "reason = mask(one_line(reason)).text",
        "reason = one_line(reason)",
        "a secret in a reason would lie in tombstone and audit",
        _SECRET,
    ),
)

COMPARED = (
    _gate(
        "gate.target",
        "targets.check_target(draft, target)",
        "pass",
        "a revision would move a record to another scope",
        f"{REACH}scope_is_fixed_with_the_first_write",
    ),
    _gate(
        "gate.replaced",
        "targets.check_replaced(replaced, admitted.owner)",
        "pass",
        "two writers would both replace one record",
        _LOST,
        quick=True,
    ),
    _gate(
        "gate.same",
        "        if same is not None:\n            return self._repeat(same, replaced, admitted)\n"
        "        return self._create",
        "        return self._create",
        "one statement would become many records",
        _REPEATED,
    ),
    _gate(
        "gate.repeat.put_aside",
        "if same.status not in targets.LIVE:",
        "if False:",
        "repetition would count for a superseded record",
        f"{GATE}a_superseded_value_is_not_revived_by_repetition",
    ),
    _gate(
        "gate.repeat.count",
        "self._changes.count(same, seen)",
        "pass",
        "repetitions would not be counted",
        _REPEATED,
    ),
    _gate(
        "gate.repeat.trust",
        "if self._caller.human and same.trust is not Trust.VERIFIED:",
        "if same.trust is not Trust.VERIFIED:",
        "an agent's repetition would be a revision",
        _REPEATED,
    ),
    _gate(
        "gate.repeat.person",
        "if self._caller.human and same.trust is not Trust.VERIFIED:",
        "if False:",
        "a person who says the same would not stand behind it",
        f"{GATE}a_person_who_says_the_same_stands_behind_it",
    ),
    _gate(
        "gate.repeat.supersedes",
        'self._changes.supersede(replaced, same, "")',
        "pass",
        "what a known value replaces would stay current",
        f"{GATE}a_superseding_write_may_name_what_is_already_on_record",
    ),
    _gate(
        "gate.repeat.key",
        "targets.check_key(same, admitted.draft)",
        "pass",
        "a key given later would be lost",
        f"{MUTANTS}a_key_given_later_comes_too_late",
    ),
    _gate(
        "gate.twin",
        "if twin is not None:",
        "if False:",
        "a revision would make two records of one value",
        f"{MUTANTS}a_revision_does_not_say_what_another_record_says",
    ),
    _gate(
        "gate.repeat.accept",
        'same = self._accept(same, "stated by a person")',
        "pass",
        "what a person states would stay a proposal",
        f"{PROPOSALS}what_a_person_states_is_no_proposal_any_more",
    ),
    _gate(
        "gate.repeat.successor",
        "targets.check_successor(replaced, same)",
        "pass",
        "a proposal would replace a record by being repeated",
        f"{PROPOSALS}a_proposal_that_is_repeated_replaces_nothing",
    ),
    _gate(
        "gate.repeat.sources",
        "links.add_sources(self._db, same.id, admitted.draft.sources)",
        "pass",
        "a repetition would lose where it comes from",
        _SOURCES,
    ),
    _gate(
        "gate.create.sources",
        "links.add_sources(self._db, record.id, admitted.draft.sources)",
        "pass",
        "a derived record would not say where it comes from",
        _SOURCES,
    ),
    _gate(
        "gate.conflict",
        "self._changes.link(record.id, other.id, Relation.CONTRADICTS)",
        "pass",
        "a contradiction would not be on record",
        f"{GATE}a_contradiction_is_told_and_linked_both_records_stay",
    ),
    _gate(
        "gate.conflict.told",
        "close, against = similar.compare(self._db, record, self._caller, self._at)",
        "pass",
        "the writer would not hear of a contradiction",
        f"{GATE}a_contradiction_is_told_and_linked_both_records_stay",
        quick=True,
    ),
    _gate(
        "gate.precedence.supersede",
        "proposal = replaced is not None and outranked(self._caller.writes_as, replaced)",
        "proposal = False",
        "an agent would replace what a person wrote",
        _PRECEDENCE,
        quick=True,
    ),
    _gate(
        "gate.precedence.revise",
        "if outranked(self._caller.writes_as, old):",
        "if False:",
        "an agent would rewrite what a person wrote",
        _PRECEDENCE,
        quick=True,
    ),
    _gate(
        "gate.precedence.repeat",
        "if outranked(self._caller.writes_as, replaced):",
        "if False:",
        "an agent would replace a person's record by repeating its own",
        f"{PROPOSALS}repeating_a_value_replaces_nothing_that_a_person_wrote",
    ),
    _gate(
        "gate.precedence.again",
        "return self._repeat(same, None, admitted)",
        "pass",
        "each repetition of a proposal would be a new one",
        _PRECEDENCE,
    ),
    _gate(
        "gate.proposes.revise",
        "self._changes.link(record.id, old.id, Relation.PROPOSES)",
        "pass",
        "nobody would see what a proposal stands against",
        _LINKED,
    ),
    _gate(
        "gate.proposes.supersede",
        "self._changes.link(record.id, replaced.id, Relation.PROPOSES)",
        "pass",
        "nobody would see what a proposal stands against",
        _LINKED,
    ),
    _gate(
        "gate.unchanged",
        "if stamp.says_the_same(old, new):",
        "if False:",
        "a revision without a change would be a version",
        f"{GATE}a_revision_without_a_change_changes_nothing",
    ),
    _gate(
        "gate.holds_from",
        "if replaced is not None and not proposal and record.times.valid_from is None:",
        "if False:",
        "nobody would know since when a successor is true",
        _SUPERSEDED,
    ),
)

MUTATIONS = (*ADMITTED, *COMPARED)
