import pytest

from memex_mcp.model.caller import Caller
from memex_mcp.policy.access import owners
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
