"""Switches decide by the moment that is asked about."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import Mode
from memex_mcp.policy import levels
from memex_mcp.policy.levels import History, Turned, allowed
from memex_mcp.settings import Settings
from tests.make import NOON

SETTINGS = Settings(home=Path("unused"))


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def put(*changes: tuple[int, str]) -> tuple[Turned, ...]:
    """A switch put to values at minutes after noon."""
    return tuple(Turned(at=at(minute), value=value) for minute, value in changes)


@pytest.mark.parametrize(
    ("minute", "spans", "checkpoints"),
    [
        pytest.param(9, False, None, id="before"),
        pytest.param(10, True, Scope.SESSION, id="the moment it was turned on"),
        pytest.param(19, True, Scope.SESSION, id="later"),
        pytest.param(20, True, Scope.WORKSPACE, id="the other level as well"),
        pytest.param(50_000, True, Scope.WORKSPACE, id="for good"),
    ],
)
def test_a_level_counts_from_when_it_was_turned_on(
    minute: int, spans: bool, checkpoints: Scope | None
) -> None:
    history = History(l2=put((10, "on")), l3=put((20, "on")))

    got = allowed(history, at(minute), SETTINGS)

    assert (got.spans, got.checkpoints) == (spans, checkpoints)


def test_a_level_of_the_workspace_counts_for_its_sessions_and_the_earliest_wins() -> None:
    both = History(l2=put((20, "on")), l2_session=put((10, "on")))

    assert levels.levels(both, at(15)).l2 == at(10)
    assert levels.levels(both, at(25)).l2 == at(10)
    assert levels.levels(replace(both, l2_session=()), at(15)).l2 is None
    assert levels.levels(replace(both, l2_session=()), at(25)).l2 == at(20)


def test_turning_a_level_on_again_does_not_move_its_beginning() -> None:
    assert levels.levels(History(l3=put((10, "on"), (30, "on"))), at(40)).l3 == at(10)


def test_what_was_said_while_off_stays_out_of_reach_when_it_is_on_again() -> None:
    history = History(
        l2=put((0, "on")), mode_session=put((10, "off"), (20, "auto")), master=put((40, "off"))
    )

    spans = {minute: allowed(history, at(minute), SETTINGS).spans for minute in (5, 15, 25, 45)}

    assert spans == {5: True, 15: False, 25: True, 45: False}


@pytest.mark.parametrize(("first", "second"), list(product(Mode, Mode)))
def test_of_two_changes_at_one_moment_the_later_one_counts(first: Mode, second: Mode) -> None:
    assert levels.mode(History(mode=put((1, first), (1, second))), at(1)) is second
    assert levels.mode(History(mode=put((1, first), (2, second))), at(1)) is first


def test_a_clock_that_went_wrong_does_not_hide_the_last_change() -> None:
    ahead = History(l2=put((0, "on")), mode=put((1_000_000, "off")))
    set_right = replace(ahead, mode=(*ahead.mode, *put((5, "auto"))))

    assert allowed(ahead, ahead.present(at(10)), SETTINGS).read is False
    assert allowed(set_right, set_right.present(at(10)), SETTINGS).read is True
    assert History().present(at(10)) == at(10)
