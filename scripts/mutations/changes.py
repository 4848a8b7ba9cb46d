"""What one change leaves behind: rows, index, links, audit, files, events."""

from .shape import FILES, GATE, GRAVES, MUTANTS, PROPOSALS, REACH, In

_gate = In("memex_mcp/gate.py")
_changes = In("memex_mcp/store/changes.py")
_REFUSED = f"{GRAVES}a_retracted_value_is_refused_however_it_is_spelled"
_AUDITED = f"{MUTANTS}every_change_leaves_its_audit_row"
_FILED = f"{MUTANTS}every_change_is_told_and_lies_in_its_file_when_the_call_returns"
_SUPERSEDED = f"{GATE}a_superseded_record_leaves_recall_and_names_its_successor"
_LINKED = f"{PROPOSALS}proposals_and_successors_are_linked_to_what_they_stand_against"
_REPEATED = f"{GATE}the_same_statement_again_is_counted_and_earns_no_trust"
_REVISED = f"{GATE}a_revision_keeps_the_id_and_drops_what_described_the_old_text"

MUTATIONS = (
    _gate(
        "gate.seen",
        "records.get(self._db, record_id, owners_clause(self._caller))",
        "records.by_number(self._db, records.number(self._db, record_id) or 0)",
        "whoever guesses an id would change the record",
        f"{REACH}a_record_of_another_scope_is_not_there_at_all",
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
        "index.add(self._db, n, record)\n",
        "pass\n",
        "a record would never be found",
        f"{GATE}a_write_is_found_at_once_by_another_process",
    ),
    _changes(
        "gate.index.remove",
        "index.remove(self._db, n, old)\n            index",
        "index",
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
        "(self._db, self._caller, entry, self._at)\n        mirror.enqueue(self._db, new",
        ".__doc__\n        mirror.enqueue(self._db, new",
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
        f"{FILES}the_file_of_a_successor_names_what_it_replaced",
    ),
    _changes(
        "gate.events",
        "self.told.append(Change(record_id=new.id, action=action, created=old is None))",
        "pass",
        "no client would hear of a change",
        _FILED,
    ),
)
