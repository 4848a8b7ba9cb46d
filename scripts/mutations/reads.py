"""Every read beside search."""

from .shape import ANSWER, GATE, REACH, READS, STATUSES, STORE, In

_memory = In("memex_mcp/memory.py")
_opening = In("memex_mcp/retrieval/opening.py")
_catalog = In("memex_mcp/retrieval/catalog.py")
_believed = In("memex_mcp/retrieval/believed.py")
_view = In("memex_mcp/retrieval/view.py")
_summary = In("memex_mcp/store/summary.py")
_records = In("memex_mcp/store/records.py")
_similar = In("memex_mcp/store/similar.py")
_revisions = In("memex_mcp/store/revisions.py")
_links = In("memex_mcp/store/links.py")
_tombstones = In("memex_mcp/store/tombstones.py")

# A sight that hides nothing, made where no name for one is imported.
_ALL = 'type({})("1=1", ())'

_LISTED = f"{READS}list_catalog_and_status_show_what_their_caller_owns"
_GRAVES = f"{READS}tombstones_are_told_to_those_they_bind"
_COUNTED = f"{READS}a_search_finds_and_counts_what_its_caller_owns"
_CLOSE = f"{READS}what_stands_close_is_told_within_one_scope_and_while_it_is_current"
_THEN = f"{READS}what_was_believed_then_is_told_to_its_owner_in_the_words_of_then"
_NARROW = f"{READS}every_filter_applies_to_the_versions_of_then"
_GONE = f"{READS}what_was_withdrawn_or_expired_by_then_was_not_believed"
_PAGED = f"{READS}a_page_costs_what_was_asked_and_its_cursor_serves_one_text_of_one_record"
_ASIDE = f"{STATUSES}a_record_put_aside_is_in_no_ordinary_answer"
_NOT_THERE = f"{REACH}a_record_of_another_scope_is_not_there_at_all"
_OWNERS = "owner IN (SELECT value FROM json_each(?))"

OWNED = (
    _catalog(
        "list.owner",
        "veil.page(db, clause, before_id=cursor",
        f"veil.page(db, {_ALL.format('clause')}, before_id=cursor",
        "a list would show every scope",
        _LISTED,
        quick=True,
    ),
    _catalog(
        "list.status",
        "statuses = tuple(Status) if every else CURRENT",
        "statuses = tuple(Status)",
        "a list would show withdrawn records",
        _ASIDE,
    ),
    _catalog(
        "list.expired",
        "include_expired=every",
        "include_expired=True",
        "a list would show expired records",
        f"{READS}an_expired_record_is_in_no_list_until_all_are_asked_for",
    ),
    _memory(
        "tombstones.owner",
        "tombstones.listing(db, owners(caller))",
        'tombstones.listing(db, [r[0] for r in db.execute("SELECT owner FROM tombstone")])',
        "every scope's tombstones would be listed",
        _GRAVES,
    ),
    _opening(
        "open.owner",
        "veil.get(db, record_id, owners_clause(caller))",
        f"veil.get(db, record_id, {_ALL.format('owners_clause(caller)')})",
        "whoever guesses an id would read the record",
        _NOT_THERE,
        quick=True,
    ),
    _opening(
        "open.cursor.record",
        "if record_id != self.record_id:",
        "if False:",
        "a cursor would read on in another record",
        _PAGED,
    ),
    _opening(
        "open.cursor.text",
        "if not self.sha256.startswith(sha256):",
        "if False:",
        "a cursor would read on in another text",
        _PAGED,
    ),
    _opening(
        "open.budget",
        "pages.page(read.text, offset, page.max_tokens)",
        "pages.page(read.text, offset, 100_000)",
        "a page would cost more than was asked",
        _PAGED,
    ),
    _opening(
        "open.revision",
        "shown = _version(db, current, page.revision)",
        "shown = current",
        "an earlier version could not be read",
        _PAGED,
    ),
    _catalog(
        "catalog.sight",
        "clause = sight(caller, at=at)",
        f"clause = {_ALL.format('sight(caller, at=at)')}",
        "the catalog would show every scope",
        _LISTED,
        quick=True,
    ),
    _summary(
        "status.owner",
        "seen = owners_clause(caller)",
        f"seen = {_ALL.format('owners_clause(caller)')}",
        "counts would tell of other scopes",
        _LISTED,
    ),
    _summary(
        "status.tombstones",
        "tombstones.listing(db, owners(caller))",
        'tombstones.listing(db, [r[0] for r in db.execute("SELECT owner FROM tombstone")])',
        "a count would tell of other scopes' tombstones",
        _GRAVES,
    ),
    _records(
        "search.tally.owner",
        f'" WHERE {_OWNERS}"',
        f'" WHERE ({_OWNERS} OR 1)"',
        "a search would tell how much other scopes hold",
        _COUNTED,
    ),
    _records(
        "search.tally.status",
        " AND status IN (SELECT value FROM json_each(?)) GROUP BY",
        " AND (status IN (SELECT value FROM json_each(?)) OR 1) GROUP BY",
        "withdrawn records would count as searched",
        f"{STORE}records.py::test_the_tally_follows_every_insert_move_and_removal",
    ),
    _records(
        "get.sight",
        'f"{_SELECT} WHERE r.id = ? AND {sight.where}"',
        'f"{_SELECT} WHERE r.id = ? AND ({sight.where} OR 1)"',
        "whoever guesses an id would read the record",
        _NOT_THERE,
        quick=True,
    ),
    _records(
        "page.sight",
        "WHERE {sight.where} AND r.id < ?",
        "WHERE ({sight.where} OR 1) AND r.id < ?",
        "lists would show every scope",
        _LISTED,
    ),
    _records(
        "count.sight",
        "FROM record AS r WHERE {sight.where} GROUP BY",
        "FROM record AS r WHERE ({sight.where} OR 1) GROUP BY",
        "counts would tell of other scopes",
        f"{STORE}records.py::test_records_are_counted_by_tier",
        _LISTED,
    ),
    _records(
        "dedupe.owner",
        "WHERE r.owner = ? AND r.dedupe_key = ?",
        "WHERE (r.owner = ? OR 1) AND r.dedupe_key = ?",
        "a key would revise a record of another scope",
        f"{GATE}a_dedupe_key_names_one_record_per_scope_owner",
        quick=True,
    ),
    _similar(
        "similar.owner",
        "WHERE r.owner = ? AND r.id",
        "WHERE (r.owner = ? OR 1) AND r.id",
        "a writer would hear of records of other scopes",
        _CLOSE,
        quick=True,
    ),
    _similar(
        "similar.status",
        "sight(caller, kinds=(Kind.NOTE,), at=at)",
        "sight(caller, kinds=(Kind.NOTE,), at=at, include_expired=True,"
        ' statuses=("active", "retracted", "archived"))',
        "a writer would hear of withdrawn records",
        _CLOSE,
    ),
    _similar(
        "similar.itself",
        "r.id <> ?",
        "(r.id <> ? OR 1)",
        "a record would stand against itself",
        f"{READS}a_revision_does_not_stand_against_itself",
    ),
    _links(
        "links.owner",
        "if from_owner != to_owner:",
        "if False:",
        "a link would tell of another scope's record",
        f"{STORE}links.py::test_no_link_crosses_a_scope",
    ),
    _tombstones(
        "tombstones.listing",
        f"WHERE {_OWNERS} ORDER BY at DESC",
        f"WHERE ({_OWNERS} OR 1) ORDER BY at DESC",
        "every scope's tombstones would be listed",
        f"{STORE}tombstones.py::test_the_listing_shows_the_asked_owners_newest_first",
    ),
    _tombstones(
        "tombstones.lifted",
        "FROM json_each(?)) AND lifted_at IS NULL",
        "FROM json_each(?))",
        "a lifted value would stay refused",
        f"{STORE}tombstones.py::test_a_lifted_value_is_free_until_it_is_buried_again",
    ),
)

BELIEVED = (
    _believed(
        "believed.owner",
        "revisions.live_at(db, owners_clause(caller), moment, _SCANNED)",
        f"revisions.live_at(db, {_ALL.format('owners_clause(caller)')}, moment, _SCANNED)",
        "earlier versions of every scope would be found",
        _THEN,
        quick=True,
    ),
    _revisions(
        "revisions.owner",
        "{_VERSION} WHERE {sight.where} AND r.began_at",
        "{_VERSION} WHERE ({sight.where} OR 1) AND r.began_at",
        "earlier versions of every scope would be found",
        f"{STORE}revisions.py::test_what_was_live_is_shown_to_its_owner_only",
    ),
    _view(
        "believed.text",
        "return seen if moment is None else unchanged(seen, moment)",
        "return seen",
        "what was written since would have been believed",
        _THEN,
    ),
    _believed(
        "believed.past",
        "return [*load(db, found), *_changed(db, asked, query, caller, moment)]",
        "return load(db, found)",
        "what was revised since would not have been believed",
        _THEN,
    ),
    *(
        _believed(f"believed.{name}", old, "True", f"the filter {name} would hide nothing", test)
        for name, old, test in (
            ("status", "record.status in statuses(query)", _GONE),
            ("expiry", "(EXPIRED in query.include or not expired(record, as_of))", _GONE),
            (
                "valid_from",
                "(query.as_of is None or times.valid_from is None or times.valid_from <= as_of)",
                _NARROW,
            ),
            ("kinds", "(not query.kinds or record.kind in query.kinds)", _NARROW),
            ("types", "(not query.types or record.type in query.types)", _NARROW),
            ("tags", "set(query.tags) <= set(card.tags)", _NARROW),
            ("family", "query.family in (None, record.family)", _NARROW),
            ("scope", "query.scope in (None, record.scope)", _NARROW),
            (
                "path",
                "lies_at((record.source, *card.entities, *card.tags), query.path, caller)",
                _NARROW,
            ),
        )
    ),
    _view(
        "view.include",
        "if name == EXPIRED:",
        "if name == EXPIRED or name not in _STATUSES:",
        "a typing error would be a narrower question",
        f"{ANSWER}an_answer_without_hits_says_why",
    ),
)

MUTATIONS = (*OWNED, *BELIEVED)
