import pytest

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Kind, Scope, Surface
from memex_mcp.model.record import Draft
from memex_mcp.policy.authorise import check_person, check_writer, scope_owner
from tests.make import make_caller, make_draft

HOOK = make_caller(surface=Surface.HOOK, writes_as=Author.DERIVED)
PERSON = make_caller(human=True, writes_as=Author.HUMAN)
READER = make_caller(readonly=True)


@pytest.mark.parametrize(
    ("draft", "caller", "owner"),
    [
        pytest.param(make_draft(), make_caller(), "w:w1", id="the workspace, unless told"),
        pytest.param(make_draft(scope=Scope.SESSION), make_caller(), "s:w1:s1", id="the session"),
        pytest.param(
            make_draft(scope=Scope.GLOBAL), make_caller(global_writer=True), "global", id="listed"
        ),
        pytest.param(make_draft(scope=Scope.GLOBAL), PERSON, "global", id="a person"),
        pytest.param(make_draft(kind=Kind.SPAN), HOOK, "w:w1", id="capture writes spans"),
        pytest.param(make_draft(sources=("x",)), HOOK, "w:w1", id="derivation names sources"),
    ],
)
def test_a_draft_goes_where_its_caller_may_write(draft: Draft, caller: Caller, owner: str) -> None:
    assert scope_owner(draft, caller)[1] == owner


@pytest.mark.parametrize(
    ("draft", "caller"),
    [
        pytest.param(make_draft(), make_caller(None), id="no workspace"),
        pytest.param(make_draft(scope=Scope.SESSION), make_caller(None), id="session of nowhere"),
        pytest.param(make_draft(scope=Scope.SESSION), make_caller(session=None), id="no session"),
        pytest.param(make_draft(scope=Scope.SESSION), make_caller(session=""), id="empty session"),
        pytest.param(make_draft(scope=Scope.GLOBAL), make_caller(), id="not listed"),
        pytest.param(make_draft(kind=Kind.SPAN), make_caller(), id="an agent writes no spans"),
        pytest.param(make_draft(kind=Kind.PERSONA), PERSON, id="nor does a person"),
        pytest.param(make_draft(), READER, id="read-only"),
    ],
)
def test_what_the_caller_lacks_is_denied(draft: Draft, caller: Caller) -> None:
    assert scope_owner(make_draft(), make_caller()) == (Scope.WORKSPACE, "w:w1")

    with pytest.raises(Denied):
        scope_owner(draft, caller)


def test_archives_are_never_global() -> None:
    writer = make_caller(surface=Surface.WORKER, writes_as=Author.LLM, global_writer=True)

    with pytest.raises(Invalid, match="a span cannot be global"):
        scope_owner(make_draft(kind=Kind.SPAN, scope=Scope.GLOBAL), writer)
    assert scope_owner(make_draft(kind=Kind.PERSONA, scope=Scope.GLOBAL), writer)[1] == "global"


@pytest.mark.parametrize("caller", [make_caller(), PERSON], ids=["agent", "person"])
def test_who_states_something_names_no_source_records(caller: Caller) -> None:
    with pytest.raises(Invalid, match="sources"):
        scope_owner(make_draft(sources=("x",)), caller)
    assert scope_owner(make_draft(source="README.md:3"), caller)[1] == "w:w1"


def test_only_a_person_who_may_write_acts_as_a_person() -> None:
    check_person(PERSON, "does this")
    check_writer(make_caller())

    for caller in (make_caller(), make_caller(human=True, readonly=True)):
        with pytest.raises(Denied):
            check_person(caller, "does this")
    with pytest.raises(Denied, match="only reads"):
        check_writer(READER)


def test_from_nowhere_a_revision_is_of_a_global_record() -> None:
    nowhere = make_caller(None, global_writer=True)

    assert scope_owner(make_draft(id="x"), nowhere) == (Scope.GLOBAL, "global")
    with pytest.raises(Denied, match="no workspace"):
        scope_owner(make_draft(), nowhere)
    with pytest.raises(Denied, match="no workspace"):
        scope_owner(make_draft(id="x", scope=Scope.WORKSPACE), nowhere)
    with pytest.raises(Denied, match="global"):
        scope_owner(make_draft(id="x"), make_caller(None))
