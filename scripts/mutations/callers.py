"""Who a caller is, and where."""

from .shape import READS, STORE, In

_care = In("memex_mcp/care.py")
_callers = In("memex_mcp/store/callers.py")
_workspaces = In("memex_mcp/store/workspaces.py")
_CALLER = f"{READS}a_caller_is_what_its_evidence_and_the_settings_say"
_SESSIONS = "tests/cli/test_sessions.py::test_"

MUTATIONS = (
    _callers(
        "caller.global_writer",
        "global_writer=client in settings.global_writers",
        "global_writer=True",
        "any client would write for all workspaces",
        _CALLER,
    ),
    _callers(
        "caller.readonly",
        "readonly=evidence.readonly",
        "readonly=False",
        "a read-only server would write",
        _CALLER,
    ),
    _callers(
        "caller.session",
        "(session_id or None) if known else None",
        "session_id or None",
        "a session would be known by what is no id",
        _CALLER,
    ),
    _callers(
        "caller.author",
        "Author.HUMAN if evidence.human else evidence.writes_as",
        "evidence.writes_as",
        "what a person writes would count as an agent's",
        _CALLER,
    ),
    _callers(
        "caller.workspace",
        "except (Denied, Invalid, OSError):\n            return None",
        "except (Denied, Invalid, OSError):\n            return resolve(Path.cwd())",
        "a place that cannot be made out would be guessed",
        f"{READS}a_place_that_cannot_be_made_out_is_not_guessed",
        quick=True,
    ),
    _workspaces(
        "workspace.never",
        "if _is_never(folder, never):",
        "if False:",
        "the home folder would be everybody's workspace",
        f"{STORE}workspaces.py::test_home_the_root_and_temp_folders_are_denied_in_every_spelling",
    ),
    _workspaces(
        "workspace.whole_home",
        "if checkout is None or _is_never(checkout.root, never):",
        "if checkout is None:",
        "a repository over the home folder would swallow its projects",
        f"{STORE}workspaces.py::"
        "test_a_repository_over_the_whole_home_does_not_swallow_the_projects_in_it",
    ),
    _care(
        "caller.session.person",
        "if not caller.human or len(given) < _LEAST_OF_SESSION or",
        "if len(given) < _LEAST_OF_SESSION or",
        "a program would try beginnings until it reads what is private to another session",
        f"{_SESSIONS}a_person_names_a_session_by_its_beginning_and_a_program_by_all_of_it",
        quick=True,
    ),
    _workspaces(
        "caller.session.workspace",
        "WHERE workspace_id = :workspace",
        "WHERE :workspace IS NOT NULL",
        "sessions of other workspaces would be meant, and named",
        f"{_SESSIONS}a_beginning_of_several_sessions_is_refused_and_names_them",
    ),
)
