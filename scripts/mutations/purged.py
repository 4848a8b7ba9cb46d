"""Who may remove a store, what of it goes, and what must not begin anew afterwards."""

from .shape import STORE, In

_care = In("memex_mcp/care.py")
_purge = In("memex_mcp/store/purge.py")
_ours = In("memex_mcp/store/belongings.py")
_database = In("memex_mcp/store/database.py")

_TESTS = f"{STORE}purge.py::test_"
_FOREIGN = f"{_TESTS}what_others_put_there_stays_and_is_named"
_KILLED = f"{_TESTS}a_purge_that_was_killed_goes_on_and_no_store_begins_in_between"
_REMOVED = (
    f"{STORE}opening.py::test_a_store_removed_under_a_running_program_is_not_made_again_by_it"
)

MUTATIONS = (
    _care(
        "purge.person",
        'check_person(caller, "removes the memory")',
        "pass",
        "an agent would remove the memory",
        f"{_TESTS}only_a_person_purges_switched_off_or_not",
        quick=True,
    ),
    _purge(
        "purge.link",
        "if (home / name).is_symlink():",
        "if False:",
        "memory behind a link would be said to be gone",
        f"{_TESTS}memory_that_lies_behind_a_link_is_not_said_to_be_gone",
    ),
    _purge(
        "purge.first",
        "if name == DATABASE:\n        return 0, 0",
        "if name == DATABASE:\n        return 1, 0",
        "what is left by a crash would be written anew from the database",
        _KILLED,
    ),
    _purge(
        "purge.last",
        "if name == ABOUT:",
        "if False:",
        "what is left by a crash would not be known for ours",
        _KILLED,
    ),
    _purge(
        "purge.lock",
        "with FileLock(home / LOCK, timeout):",
        "if timeout is not None:",
        "somebody would write into what is being removed",
        f"{_TESTS}while_somebody_writes_nothing_goes",
    ),
    _ours(
        "purge.entered",
        "if not entry.is_dir(follow_symlinks=False):",
        "if not entry.is_dir():",
        "a link would lead out of the store",
        _FOREIGN,
        quick=True,
    ),
    _ours(
        "purge.linked",
        "if not entry.is_file(follow_symlinks=False):\n        return False",
        "if not entry.is_file():\n        return False",
        "a link of the user's would be removed",
        _FOREIGN,
    ),
    _ours(
        "purge.quarantined",
        'return name.endswith(WHY) or unfinished or (folder / f"{name}{WHY}").is_file()',
        "return True",
        "what the user put there would be removed",
        _FOREIGN,
    ),
    _ours(
        "purge.store",
        "known = DATABASE in names or _is_about_us(home) or holds_records(home)",
        "known = True",
        "files of a project would be taken for ours",
        f"{_TESTS}in_a_folder_that_is_no_store_nothing_is_ours",
    ),
    _database(
        "purge.over",
        "if self._known:\n            raise",
        "if False:\n            raise",
        "a server that runs on would begin an empty memory in silence",
        _REMOVED,
        quick=True,
    ),
    _database(
        "purge.over.before",
        "if self._known and identity(self._path) is None:",
        "if False:",
        "its folder would be made again",
        _REMOVED,
    ),
    _database(
        "purge.over.closing",
        "made again.\n            if self._writer is not None and self._written == identity("
        "self._path):",
        "made again.\n            if self._writer is not None:",
        "a lock would be left behind",
        _REMOVED,
    ),
)
