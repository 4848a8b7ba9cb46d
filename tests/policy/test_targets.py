from dataclasses import replace

import pytest

from memex_mcp.errors import Conflict, Invalid, MemexError
from memex_mcp.model.kinds import Kind, Scope, Status
from memex_mcp.model.record import Draft, Record
from memex_mcp.policy.targets import (
    check_replaced,
    check_successor,
    check_target,
    pick_same,
    twin,
)
from tests.make import make_draft, make_record

OLD = make_record(dedupe_key="branch")
GONE = [Status.SUPERSEDED, Status.RETRACTED, Status.ARCHIVED]


@pytest.mark.parametrize(
    ("draft", "target", "error"),
    [
        pytest.param(make_draft(scope=Scope.SESSION), OLD, Invalid, id="another scope"),
        pytest.param(make_draft(dedupe_key="other"), OLD, Invalid, id="another dedupe_key"),
        pytest.param(make_draft(supersedes="x"), OLD, Invalid, id="both at once"),
        pytest.param(make_draft(kind=Kind.SPAN), OLD, Invalid, id="another kind"),
        *[
            pytest.param(make_draft(), replace(OLD, status=status), Conflict, id=f"is {status}")
            for status in GONE
        ],
    ],
)
def test_a_revision_keeps_to_what_a_revision_can_do(
    draft: Draft, target: Record, error: type[MemexError]
) -> None:
    check_target(make_draft(scope=Scope.WORKSPACE, dedupe_key="branch"), OLD)
    check_target(make_draft(), replace(OLD, status=Status.CANDIDATE))

    with pytest.raises(error):
        check_target(draft, target)


def test_who_revises_a_superseded_record_hears_of_its_successor() -> None:
    gone = replace(OLD, status=Status.SUPERSEDED, superseded_by="NEXT")

    with pytest.raises(Conflict) as caught:
        check_target(make_draft(), gone)

    assert caught.value.hint == "Revise NEXT instead."


@pytest.mark.parametrize("status", GONE)
def test_what_is_out_of_date_is_not_superseded_again(status: Status) -> None:
    check_replaced(OLD, "w:w1")

    with pytest.raises(Conflict):
        check_replaced(replace(OLD, status=status), "w:w1")


def test_a_record_is_superseded_within_its_scope_owner() -> None:
    check_replaced(OLD, OLD.owner)

    for owner in ("w:w2", "s:w1:s1", "global"):
        with pytest.raises(Invalid, match="own scope"):
            check_replaced(OLD, owner)


def test_a_successor_is_another_current_record_of_the_same_owner() -> None:
    new = make_record()
    check_successor(OLD, new)

    for other in (OLD, replace(new, workspace_id="w2"), make_record(scope=Scope.GLOBAL)):
        with pytest.raises(Invalid):
            check_successor(OLD, other)
    for status in (*GONE, Status.CANDIDATE):
        with pytest.raises(Conflict):
            check_successor(OLD, replace(new, status=status))


def test_a_value_repeats_a_live_record_before_one_put_aside() -> None:
    live, aside = make_record(), make_record(status=Status.SUPERSEDED)
    wrong, span = make_record(status=Status.RETRACTED), make_record(kind=Kind.SPAN)

    assert pick_same([aside, wrong, span, live], make_draft()) == live
    assert pick_same([span, wrong, aside], make_draft()) == aside
    assert pick_same([span, wrong, aside], make_draft(supersedes="x")) is None
    assert pick_same([span, wrong], make_draft()) is None


def test_the_twin_of_a_record_is_another_live_one_of_its_kind() -> None:
    record, other = make_record(), make_record()
    proposal = make_record(status=Status.CANDIDATE)
    aside, span = make_record(status=Status.ARCHIVED), make_record(kind=Kind.SPAN)

    assert twin([record, aside, span], record) is None
    assert twin([record, aside, span, other], record) == other
    assert twin([proposal], record) == proposal
