import pytest

from memex_mcp.errors import Denied
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Scope
from memex_mcp.policy.access import owner_for_write, owners
from tests.make import make_caller


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        pytest.param(make_caller(), ("global", "w:w1", "s:w1:s1"), id="all known"),
        pytest.param(make_caller(session=None), ("global", "w:w1"), id="no session"),
        pytest.param(make_caller(session=""), ("global", "w:w1"), id="empty session"),
        pytest.param(make_caller(session="\ud800"), ("global", "w:w1"), id="unstorable session"),
        pytest.param(make_caller(None), ("global",), id="no workspace, though a session"),
        pytest.param(make_caller(""), ("global",), id="empty workspace"),
        pytest.param(make_caller(human=True, session=None), ("global", "w:w1"), id="a person"),
    ],
)
def test_what_is_not_known_opens_nothing(caller: Caller, expected: tuple[str, ...]) -> None:
    assert owners(caller) == expected


@pytest.mark.parametrize(
    ("scope", "caller", "expected"),
    [
        pytest.param(Scope.SESSION, make_caller(), "s:w1:s1", id="session"),
        pytest.param(Scope.WORKSPACE, make_caller(session=None), "w:w1", id="workspace"),
        pytest.param(Scope.GLOBAL, make_caller(None, global_writer=True), "global", id="global"),
    ],
)
def test_a_write_belongs_to_an_owner_that_its_caller_sees(
    scope: Scope, caller: Caller, expected: str
) -> None:
    assert owner_for_write(scope, caller) == expected
    assert expected in owners(caller)


@pytest.mark.parametrize(
    ("scope", "refused", "allowed"),
    [
        pytest.param(Scope.SESSION, make_caller(session=None), make_caller(), id="no session"),
        pytest.param(Scope.SESSION, make_caller(None), make_caller(), id="session, no workspace"),
        pytest.param(Scope.WORKSPACE, make_caller(None), make_caller(), id="no workspace"),
        pytest.param(
            Scope.GLOBAL, make_caller(), make_caller(global_writer=True), id="no global writer"
        ),
        pytest.param(Scope.WORKSPACE, make_caller(readonly=True), make_caller(), id="read-only"),
    ],
)
def test_a_write_without_an_owner_of_its_own_is_denied(
    scope: Scope, refused: Caller, allowed: Caller
) -> None:
    with pytest.raises(Denied):
        owner_for_write(scope, refused)

    assert owner_for_write(scope, allowed)
