"""The steps of the write gate."""

from .shape import GATE, MUTANTS, POLICY, In

_gate = In("memex_mcp/gate.py")
_changes = In("memex_mcp/store/changes.py")
_stamp = In("memex_mcp/policy/stamp.py")
_REFUSED = f"{GATE}a_retracted_value_is_refused_however_it_is_spelled"
_PRECEDENCE = f"{GATE}an_agent_only_proposes_against_what_a_person_wrote"
_AUDITED = f"{MUTANTS}every_change_leaves_its_audit_row"
_SECRET = f"{GATE}a_secret_reaches_no_file_of_the_store"
_FILED = f"{MUTANTS}every_change_is_told_and_lies_in_its_file_when_the_call_returns"
_SUPERSEDED = f"{GATE}a_superseded_record_leaves_recall_and_names_its_successor"
_LINKED = f"{MUTANTS}proposals_and_successors_are_linked_to_what_they_stand_against"
_LOST = f"{GATE}of_two_successors_the_second_learns_that_it_lost"
_SAID = f"{POLICY}stamp.py"
_SOUND = f"{GATE}a_status_change_needs_a_reason_and_a_sound_successor"
_REPEATED = f"{GATE}the_same_statement_again_is_counted_and_earns_no_trust"
_REVISED = f"{GATE}a_revision_keeps_the_id_and_drops_what_described_the_old_text"
_SOURCES = f"{MUTANTS}sources_are_kept_for_the_first_statement_and_for_its_repetition"

ADMITTED = (
    _gate(
        "gate.printable",
        "draft = printable(draft)",
        "pass",
        "line breaks and half characters would reach titles and files",
        f"{MUTANTS}what_is_too_long_or_cannot_be_stored_never_reaches_the_store",
    ),
    _gate(
        "gate.limits",
        "limits.check(draft)",
        "pass",
        "a note of any size would be stored",
        f"{MUTANTS}what_is_too_long_or_cannot_be_stored_never_reaches_the_store",
        quick=True,
    ),
    _gate(
        "gate.mask",
        "    if mask_secrets:",
        "    if False:",
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

TOMBSTONES = (
    _gate(
        "gate.tombstone",
        "if tombstone is None:",
        "if True:",
        "a withdrawn value would come back",
        _REFUSED,
        quick=True,
    ),
    _gate(
        "gate.tombstone.first",
        "if not tombstones.any_standing(self._db, binding):",
        "if True:",
        "a withdrawn value would come back",
        _REFUSED,
    ),
    _gate(
        "gate.refusal",
        "if refused is not None:",
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
    _gate(
        "gate.tombstone.enclosing",
        "for each in binding for text in",
        "for each in binding[:1] for text in",
        "a session would bring back what its workspace withdrew",
        f"{GATE}a_workspace_tombstone_binds_its_sessions_and_nobody_else",
    ),
    _gate(
        "gate.tombstone.target",
        "target.owner if target else admitted.owner)",
        "admitted.owner)",
        "a revision would bring back what was withdrawn in its record's scope",
        f"{MUTANTS}a_refusal_binds_in_the_scope_of_the_record_that_is_revised",
    ),
    _gate(
        "gate.tombstone.everywhere",
        "if owner == GLOBAL_OWNER and self._caller.workspace is not None:",
        "if False:",
        "what was withdrawn here would come back as a global record",
        f"{MUTANTS}what_was_withdrawn_here_does_not_come_back_for_everywhere",
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
        f"{GATE}a_person_lifts_a_tombstone_and_an_agent_cannot",
        quick=True,
    ),
    _gate(
        "gate.lift.owner",
        "tombstones.beginning(self._db, owners(self._caller), key)",
        "tombstones.beginning(self._db, "
        '[row[0] for row in self._db.execute("SELECT owner FROM tombstone")], key)',
        "a tombstone would be lifted from another workspace",
        f"{MUTANTS}a_tombstone_is_lifted_from_within_its_scope_only",
    ),
    _gate(
        "gate.lift",
        "tombstones.lift(self._db, tombstone.value_key, self._at)",
        "pass",
        "a lifted value would stay refused",
        f"{GATE}a_person_lifts_a_tombstone_and_an_agent_cannot",
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
        f"{MUTANTS}a_person_who_takes_a_record_back_lets_its_value_in_again",
    ),
)

COMPARED = (
    _gate(
        "gate.target",
        "targets.check_target(draft, target)",
        "pass",
        "a revision would move a record to another scope",
        f"{GATE}scope_is_fixed_with_the_first_write",
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
        f"{MUTANTS}what_a_person_states_is_no_proposal_any_more",
    ),
    _gate(
        "gate.repeat.successor",
        "targets.check_successor(replaced, same)",
        "pass",
        "a proposal would replace a record by being repeated",
        f"{MUTANTS}a_proposal_that_is_repeated_replaces_nothing",
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
        f"{MUTANTS}repeating_a_value_replaces_nothing_that_a_person_wrote",
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

MOVED = (
    _gate(
        "gate.move.readonly",
        "check_writer(self._caller)",
        "pass",
        "a read-only server would change statuses",
        f"{GATE}a_read_only_caller_changes_nothing",
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
        "check_reach(old.scope, self._caller)",
        "pass",
        "any client would withdraw what all workspaces read",
        f"{MUTANTS}a_client_that_is_not_listed_changes_no_global_record",
    ),
    _gate(
        "gate.target.reach",
        "check_reach(target.scope, self._caller)",
        "pass",
        "any client would rewrite what all workspaces read",
        f"{MUTANTS}a_client_that_is_not_listed_changes_no_global_record",
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
        "self._check_alone(old)",
        "pass",
        "an agent would withdraw what a person says too",
        f"{MUTANTS}a_value_that_a_person_states_is_not_withdrawn_with_an_agents_record",
    ),
    _gate(
        "gate.accept.validity",
        "valid_to=before.times.valid_to",
        "valid_to=old.times.valid_to",
        "a record that is current again would have ended",
        f"{MUTANTS}a_record_made_current_again_holds_as_it_did_before",
    ),
    _gate(
        "gate.accept.audit",
        'self._changes.note("lift", old.id)',
        "pass",
        "lifting would leave no trace",
        f"{MUTANTS}a_person_who_takes_a_record_back_lets_its_value_in_again",
    ),
    _gate(
        "gate.accept.supersedes",
        'self._changes.supersede(target, new, "the proposal was accepted")',
        "pass",
        "a proposal and what it replaces would both be current",
        f"{MUTANTS}an_accepted_proposal_replaces_what_it_stood_against",
    ),
    _gate(
        "gate.policy",
        '"" if mask_secrets else "secrets are not masked"',
        '""',
        "nobody would see that secrets were not masked",
        f"{MUTANTS}a_secret_stays_only_where_the_user_said_so",
    ),
    _gate(
        "gate.denied",
        'self._changes.note("deny", record_id)',
        "pass",
        "what was denied would leave no trace",
        f"{MUTANTS}what_was_denied_is_on_record_and_changed_nothing",
    ),
    _gate(
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

COMMITTED = (
    _gate(
        "gate.seen",
        "records.get(self._db, record_id, owners_clause(self._caller))",
        "records.by_number(self._db, records.number(self._db, record_id) or 0)",
        "whoever guesses an id would change the record",
        f"{GATE}a_record_of_another_scope_is_not_there_at_all",
        quick=True,
    ),
    _changes(
        "gate.revision",
        "revisions.keep(self._db, old, self._at)",
        "pass",
        "the earlier version would be lost",
        _REVISED,
    ),
    _changes(
        "gate.bury.value",
        "tombstones.bury(self._db, tombstone)",
        "pass",
        "a retracted value could be written again at once",
        _REFUSED,
    ),
    _changes(
        "gate.supersede.successor",
        "replace(gone, superseded_by=new.id)",
        "gone",
        "a superseded record would not name its successor",
        _SUPERSEDED,
    ),
    _changes(
        "gate.supersede.until",
        "stamp.moved(old, Status.SUPERSEDED, self._at, until=until)",
        "stamp.moved(old, Status.SUPERSEDED, self._at)",
        "a superseded record would not say until when it was true",
        _SUPERSEDED,
    ),
    _changes(
        "gate.supersede.link",
        "self.link(new.id, old.id, Relation.SUPERSEDES)",
        "pass",
        "nobody would see what a record replaced",
        _LINKED,
    ),
    _changes(
        "gate.count",
        "records.observe(self._db, old.id)",
        "pass",
        "repetitions would not be counted",
        _REPEATED,
    ),
    _changes(
        "gate.index.add",
        "index.add(self._db, records.insert(self._db, record), record)",
        "records.insert(self._db, record)",
        "a record would never be found",
        f"{GATE}a_write_is_found_at_once_by_another_process",
    ),
    _changes(
        "gate.index.remove",
        "index.remove(self._db, n, old)",
        "pass",
        "the words of the old version would stay",
        f"{MUTANTS}no_word_of_an_earlier_version_stays_in_the_index",
    ),
    _changes(
        "gate.index.again",
        "index.add(self._db, n, new)",
        "pass",
        "a revision would never be found",
        _REVISED,
    ),
    _changes(
        "gate.audit",
        "audit.append(self._db, self._caller, entry, self._at)\n        mirror",
        "mirror",
        "changes would leave no trace",
        _AUDITED,
        quick=True,
    ),
    _changes(
        "gate.mirror",
        "mirror.enqueue(self._db, new.id, self._at)",
        "pass",
        "records would have no file",
        _FILED,
        quick=True,
    ),
    _changes(
        "gate.mirror.link",
        "mirror.enqueue(self._db, from_id, self._at)",
        "pass",
        "a file would not show what its record replaced",
        f"{MUTANTS}the_file_of_a_successor_names_what_it_replaced",
    ),
    _changes(
        "gate.events",
        "self.told.append(Change(record_id=new.id, action=action, created=old is None))",
        "pass",
        "no client would hear of a change",
        _FILED,
    ),
)

MUTATIONS = (*ADMITTED, *TOMBSTONES, *COMPARED, *MOVED, *COMMITTED)
