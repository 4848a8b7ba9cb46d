"""What makes notes end by themselves, and what keeps all others."""

from .shape import In

_scratch = In("memex_mcp/store/scratch.py")
_sessions = In("memex_mcp/sessions.py")
_changes = In("memex_mcp/store/changes.py")
_TESTS = "tests/hooks/test_scratch.py::test_"
_GONE = f"{_TESTS}after_the_end_of_its_session_and_some_days_a_scratch_note_is_gone"

MUTATIONS = (
    _scratch(
        "scratch.tag",
        "AND EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = '{TAG}')",
        "AND '{TAG}' <> ''",
        "every note of a session would end with it",
        _GONE,
    ),
    _scratch(
        "scratch.pinned",
        "AND r.pinned = 0",
        "",
        "what is pinned would go",
        _GONE,
    ),
    _scratch(
        "scratch.scope",
        "AND r.scope = '{Scope.SESSION}'",
        "",
        "a shared note would go because one session ended",
        f"{_TESTS}what_is_shared_goes_with_no_session",
    ),
    _scratch(
        "scratch.kind",
        "r.kind = '{Kind.NOTE}'",
        "r.kind <> ''",
        "archived turns would go because of a tag",
        f"{_TESTS}no_tag_makes_an_archive_end",
    ),
    _scratch(
        "scratch.owner",
        "AND r.owner = ? AND",
        "AND ? <> '' AND",
        "the end of one session would be that of all",
        _GONE,
    ),
    _scratch(
        "scratch.time",
        "AND r.expires_at <= ?",
        "AND ? > 0",
        "scratch notes would go before their time",
        _GONE,
    ),
    _changes(
        "scratch.index",
        "index.remove(self._db, n, old)\n        revisions",
        "revisions",
        "the words of what is gone would stay in the index",
        _GONE,
    ),
    _changes(
        "scratch.versions",
        "revisions.remove(self._db, old.id)",
        "pass",
        "earlier versions of what is gone would stay",
        _GONE,
    ),
    _changes(
        "scratch.file",
        "mirror.enqueue(self._db, old.id, self._at)",
        "pass",
        "the file of what is gone would stay",
        _GONE,
    ),
    _changes(
        "scratch.trail",
        "(self._db, self._caller, entry, self._at)\n        mirror.enqueue(self._db, old",
        ".__doc__\n        mirror.enqueue(self._db, old",
        "records would go without a trace",
        f"{_TESTS}nobody_refused_it_and_its_trail_stays",
    ),
    _sessions(
        "scratch.mode",
        "if self.switches.now(caller).write:",
        "if True:",
        "a session that may not write would change the store at its end",
        f"{_TESTS}where_nothing_may_be_written_no_session_ends",
    ),
)
