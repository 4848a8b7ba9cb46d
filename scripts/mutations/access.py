"""Decisions: who may read and write where."""

from .shape import POLICY, In

_access = In("memex_mcp/policy/access.py")
_authorise = In("memex_mcp/policy/authorise.py")
_OWNERS = f"{POLICY}access.py"
_DENIED = f"{POLICY}authorise.py::test_what_the_caller_lacks_is_denied"
_PERSON = f"{POLICY}authorise.py::test_only_a_person_who_may_write_acts_as_a_person"

ACCESS = (
    _access(
        "access.workspace",
        "    if not workspace:\n        return (GLOBAL_OWNER,)\n",
        "",
        "a caller from nowhere would read a workspace",
        _OWNERS,
        quick=True,
    ),
    _access(
        "access.session",
        "session)) if session else seen",
        "session))",
        "a caller without a session would read one",
        _OWNERS,
        quick=True,
    ),
    _access(
        "access.unstorable",
        '        return ""\n',
        '        return str(name).encode("utf-8", "replace").decode()\n',
        "one session's name would become another's",
        _OWNERS,
    ),
)

AUTHORISE = (
    _authorise("gate.readonly", "if caller.readonly:", "if False:", "nobody is read-only", _PERSON),
    _authorise(
        "gate.readonly.write",
        "check_writer(caller)\n    _check_kind",
        "_check_kind",
        "a read-only server would write",
        _DENIED,
        quick=True,
    ),
    _authorise(
        "gate.readonly.person",
        "check_writer(caller)\n    if not caller.human",
        "if not caller.human",
        "a read-only server would lift tombstones",
        _PERSON,
    ),
    _authorise(
        "gate.person", "if not caller.human:", "if False:", "a program is a person", _PERSON
    ),
    _authorise(
        "gate.workspace",
        "    if caller.workspace is None:",
        '    if caller.workspace is None:\n        return scope, owner_of(scope, "", "")\n'
        "    if caller.workspace is None:",
        "records of no workspace would be written",
        _DENIED,
    ),
    _authorise(
        "gate.session",
        "if scope is Scope.SESSION and not caller.session_id:",
        "if False:",
        "records of no session would be written",
        _DENIED,
    ),
    _authorise(
        "gate.kind",
        "elif caller.surface not in _CAPTURES:",
        "elif False:",
        "an agent would write what passes for an archive",
        _DENIED,
    ),
    _authorise(
        "gate.sources",
        "if draft.sources and caller.writes_as in (Author.AGENT, Author.HUMAN):",
        "if False:",
        "an agent would make up evidence",
        f"{POLICY}authorise.py::test_who_states_something_names_no_source_records",
    ),
    _authorise(
        "gate.global_writer",
        "if scope is Scope.GLOBAL and not (caller.human or caller.global_writer):",
        "if False:",
        "any client would write for all workspaces",
        _DENIED,
        quick=True,
    ),
    _authorise(
        "gate.nowhere",
        "if draft.id is not None and draft.scope is None and caller.workspace is None:",
        "if False:",
        "a caller from nowhere could not revise what it wrote",
        f"{POLICY}authorise.py::test_from_nowhere_a_revision_is_of_a_global_record",
    ),
    _authorise(
        "gate.global_kind",
        "if draft.kind not in (Kind.NOTE, Kind.PERSONA):",
        "if False:",
        "an archive would be read in all workspaces",
        f"{POLICY}authorise.py::test_archives_are_never_global",
    ),
)

MUTATIONS = (*ACCESS, *AUTHORISE)
