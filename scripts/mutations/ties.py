"""Links, automatic and stated, what they lead to, and the tools beside search."""

from .shape import STORE, In

_names = In("memex_mcp/policy/association.py")
_targets = In("memex_mcp/policy/targets.py")
_ties = In("memex_mcp/store/associations.py")
_heads = In("memex_mcp/store/browse.py")
_changes = In("memex_mcp/store/changes.py")
_gate = In("memex_mcp/gate.py")
_spread = In("memex_mcp/retrieval/spread.py")
_grep = In("memex_mcp/retrieval/grep.py")
_browse = In("memex_mcp/retrieval/browse.py")
_app = In("memex_mcp/server/app.py")

_ALL = 'type({0})("1=1", ())'
_TIES = f"{STORE}associations.py::test_"
_NAMED = "tests/policy/test_association.py::test_"
_SPREAD = "tests/retrieval/test_spread.py::test_"
_LINES = "tests/retrieval/test_grep.py::test_"
_LISTS = "tests/retrieval/test_browse.py::test_"
_STATED = "tests/test_linking.py::test_"
_HIDDEN = f"{_SPREAD}what_is_hidden_neither_appears_nor_conducts"
_NARROW = f"{_LINES}filters_narrow_and_statuses_show_what_is_hidden"

AUTOMATIC = (
    _ties(
        "ties.owner",
        "WHERE owner = ? AND name = asked.value",
        "WHERE (owner = ? OR 1) AND name = asked.value",
        "a link would tell of another scope's record",
        f"{_TIES}no_automatic_link_crosses_a_scope",
        quick=True,
    ),
    _names(
        "ties.status",
        " or record.status not in CURRENT",
        "",
        "what is put aside would stay linked",
        f"{_TIES}what_is_put_aside_has_no_links_until_it_is_current_again",
    ),
    _names(
        "ties.archives",
        "record.kind in _ARCHIVES or ",
        "",
        "every turn of a session would be linked to every other",
        f"{_NAMED}archives_and_what_is_not_current_name_nothing",
    ),
    _ties(
        "ties.common",
        "if len(holders) <= HOLDERS:",
        "if True:",
        "a name that everybody holds would tie everything",
        f"{_TIES}a_name_that_many_hold_ties_nobody_any_more",
        quick=True,
    ),
    _ties(
        "ties.loosened",
        "loosened.update(holders)",
        "pass",
        "what a name tied while it was rare would stay tied",
        f"{_TIES}a_name_that_many_hold_ties_nobody_any_more",
    ),
    _ties(
        "ties.most",
        "if tie is not None and links < MOST:",
        "if tie is not None:",
        "one record would have any number of links",
        f"{_TIES}a_record_has_no_more_links_than_it_may",
    ),
    _names(
        "ties.strongest",
        "dict(ranked[:MOST])",
        "dict(ranked)",
        "a write would link any number of records",
        f"{_TIES}a_record_has_no_more_links_than_it_may",
    ),
    _ties(
        "ties.revised",
        "    if before:\n",
        "    if False:\n",
        "a revision would keep the links of what it no longer says",
        f"{_TIES}a_revision_has_the_links_of_what_it_says_now",
    ),
    _changes(
        "ties.insert",
        "associations.follow(self._db, n, None, record)",
        "pass",
        "nothing would be linked when it is written",
        f"{_TIES}a_note_is_linked_to_those_that_name_the_same_rare_thing",
    ),
    _changes(
        "ties.replace",
        "associations.follow(self._db, n, old, new)",
        "pass",
        "links would not follow a revision",
        f"{_TIES}a_revision_has_the_links_of_what_it_says_now",
    ),
    _ties(
        "ties.count",
        'f" WHERE {sight.where}"',
        'f" WHERE ({sight.where} OR 1)"',
        "counts would tell of other scopes",
        f"{_LISTS}counts_tell_what_their_reader_sees_and_nothing_else",
    ),
)

SPREAD = (
    _ties(
        "spread.conducts",
        "r.n = asked.value\n  WHERE {where}",
        "r.n = asked.value\n  WHERE ({where} OR 1)",
        "hidden records would lead from one to another",
        _HIDDEN,
        quick=True,
    ),
    _ties(
        "spread.appears",
        "r.n = e.there\n  WHERE {where} GROUP",
        "r.n = e.there\n  WHERE ({where} OR 1) GROUP",
        "links would lead to records of every scope",
        _HIDDEN,
        f"{_SPREAD}another_caller_is_led_nowhere",
        quick=True,
    ),
    _ties(
        "spread.rivals",
        "WALKED = (Relation.RELATED,",
        "WALKED = (Relation.CONTRADICTS, Relation.SUPERSEDES, Relation.RELATED,",
        "a search would bring along what a hit replaced",
        f"{_SPREAD}rivals_and_successors_are_not_walked",
    ),
    _ties(
        "spread.hub",
        "WHERE links <= {hub}",
        "WHERE links <= {hub} OR 1",
        "everything would lead to everything",
        f"{_SPREAD}a_record_that_everything_is_linked_to_conducts_nothing",
    ),
    _spread(
        "spread.max",
        "if known is None or activation > known.activation:",
        "if True:",
        "the last way would count, not the best",
        f"{_SPREAD}ways_compete_and_never_add_up",
    ),
    _spread(
        "spread.decay",
        "origin.activation * step.weight * decay",
        "origin.activation * step.weight * decay * origin.activation",
        "what arrives would not be what the formula says",
        f"{_SPREAD}each_hop_costs_its_weight_and_one_decay",
    ),
)

STATED = (
    _gate(
        "gate.link.readonly",
        "check_writer(self._caller)\n        ends",
        "ends",
        "a read-only server would link records",
        f"{_STATED}a_read_only_caller_links_nothing",
    ),
    _gate(
        "gate.link.reach",
        "check_reach(ends[0].scope, self._caller)",
        "pass",
        "any client would link what all workspaces read",
        f"{_STATED}only_listed_clients_link_global_records",
    ),
    _gate(
        "gate.link.checked",
        "targets.check_linked(link, *ends)",
        "pass",
        "any link would be kept",
        f"{_STATED}only_what_is_no_change_of_a_record_can_be_stated",
        f"{_STATED}what_cannot_be_linked_is_told_why",
    ),
    _targets(
        "link.relation",
        "if link.relation not in STATED:",
        "if False:",
        "an agent would state that a record replaces another",
        f"{_STATED}only_what_is_no_change_of_a_record_can_be_stated",
    ),
    _targets(
        "link.weight",
        "if not 0 < link.weight <= 1:",
        "if False:",
        "a link could outweigh every other",
        f"{_STATED}a_weight_lies_above_nothing_and_is_at_most_one",
    ),
    _targets(
        "link.live",
        "if each.status not in LIVE:",
        "if False:",
        "withdrawn records would be linked",
        f"{_STATED}what_cannot_be_linked_is_told_why",
    ),
    _changes(
        "link.file",
        "mirror.enqueue(self._db, link.from_id, self._at)\n        entry",
        "entry",
        "a link would be lost with the database",
        f"{_STATED}a_link_is_on_record_in_the_trail_and_in_the_file",
    ),
    _changes(
        "link.audit",
        "audit.append(self._db, self._caller, entry, self._at)\n        self.told += [",
        "self.told += [",
        "nobody would see who linked two records",
        f"{_STATED}a_link_is_on_record_in_the_trail_and_in_the_file",
    ),
)

TOOLS = (
    _heads(
        "grep.sight",
        "WHERE {where} AND r.id <= ?",
        "WHERE ({where} OR 1) AND r.id <= ?",
        "lines of every scope would be shown",
        f"{_LINES}another_caller_finds_no_line",
        quick=True,
    ),
    _grep(
        "grep.late",
        "if mark.moved and late():",
        "if False:",
        "a search of lines would take as long as the store is large",
        f"{_LINES}a_call_that_runs_out_of_time_says_so_and_the_next_one_goes_on",
    ),
    _grep(
        "grep.room",
        " or (found and room < 0)",
        "",
        "an answer would be longer than clients take",
        f"{_LINES}an_answer_is_never_longer_than_clients_take",
    ),
    _grep(
        "grep.cursor",
        " or match[3] != _fingerprint(asked)",
        "",
        "a cursor would go on with another pattern",
        f"{_LINES}what_makes_no_sense_is_refused",
    ),
    *(
        _browse(f"browse.{name}", old, new, f"{name} would narrow nothing", _NARROW)
        for name, old, new in (
            ("status", "statuses=named or CURRENT", "statuses=tuple(Status)"),
            ("expired", "include_expired=EXPIRED in asked.statuses", "include_expired=True"),
            ("kinds", "kinds=asked.kinds", "kinds=()"),
            ("scope", "scope=asked.scope", "scope=None"),
        )
    ),
    _browse(
        "index.sight",
        "veil.page(db, seen, before_id",
        f"veil.page(db, {_ALL.format('seen')}, before_id",
        "a list would show every scope",
        f"{_LISTS}a_list_is_narrowed_and_shows_what_is_hidden_when_asked",
        quick=True,
    ),
    _browse(
        "stats.sight",
        "seen = owners_clause(caller)",
        f"seen = {_ALL.format('owners_clause(caller)')}",
        "counts would tell of other scopes",
        f"{_LISTS}counts_tell_what_their_reader_sees_and_nothing_else",
    ),
    _app(
        "tools.advanced",
        "known if options.all_tools else (spec.name for spec in SPECS)",
        "known",
        "every client would pay for tools that it did not ask for",
        "tests/server/test_advanced.py"
        "::test_all_tools_are_offered_to_those_who_ask_and_each_says_what_it_can_do",
    ),
)

MUTATIONS = (*AUTOMATIC, *SPREAD, *STATED, *TOOLS)
