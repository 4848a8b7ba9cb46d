"""What follows from levels, modes, the master switch and the settings, as tables."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import Allowed, Level, Levels, Mode
from memex_mcp.policy import levels
from memex_mcp.policy.levels import History, Turned, allowed
from memex_mcp.settings import Settings
from tests.make import NOON

EARLY = NOON - timedelta(days=1)
NOTHING = (False, None, False, False, False, None)
L2, L3 = Scope.SESSION, Scope.WORKSPACE


def settings(**over: Any) -> Settings:
    return Settings(home=Path("unused"), **over)


def put(*values: str) -> tuple[Turned, ...]:
    """A switch put to these values, one a minute, ending the day before noon."""
    return tuple(
        Turned(at=EARLY + timedelta(minutes=minute), value=value)
        for minute, value in enumerate(values)
    )


BOTH = History(l2=put("on"), l3=put("on"))


def ruled(history: History, **over: Any) -> tuple[object, ...]:
    """What is allowed at noon, without its reason."""
    got = allowed(history, NOON, settings(**over))
    return got.spans, got.checkpoints, got.recall, got.read, got.write, got.family


MODES = {
    Mode.AUTO: (True, L3, True, True, True, None),
    Mode.CHAT: (True, L3, True, True, True, "chat"),
    Mode.WORK: (True, L3, True, True, True, "work"),
    Mode.READ_ONLY: (False, None, True, True, False, None),
    Mode.WRITE_ONLY: (True, L3, False, False, True, None),
    Mode.OFF: NOTHING,
}


def test_every_mode_has_its_row() -> None:
    assert MODES.keys() == set(Mode)


@pytest.mark.parametrize("mode", Mode)
def test_a_mode_allows_what_its_name_says(mode: Mode) -> None:
    assert ruled(replace(BOTH, mode=put(mode))) == MODES[mode]
    assert ruled(replace(BOTH, mode_session=put(mode))) == MODES[mode]


@pytest.mark.parametrize(("workspace", "session"), list(product(Mode, Mode)))
def test_the_mode_of_the_session_wins_over_that_of_the_workspace(
    workspace: Mode, session: Mode
) -> None:
    both = replace(BOTH, mode=put(workspace), mode_session=put(session))

    assert ruled(both) == MODES[session]
    assert ruled(replace(both, mode_session=put(session, levels.UNSET))) == MODES[workspace]
    assert levels.mode(both, NOON) is session


def test_without_any_switch_reading_and_writing_work_and_nothing_is_captured() -> None:
    assert allowed(History(), NOON, settings()) == Allowed(recall=True, why="no level is on")
    assert levels.levels(History(), NOON) == Levels()
    assert ruled(BOTH) == MODES[Mode.AUTO]


@pytest.mark.parametrize(
    ("l2", "l3", "level", "most", "spans", "checkpoints"),
    [
        (l2, l3, level, most, *expected)
        for (l2, l3, level), expected in {
            (False, False, "deepest"): (False, None),
            (False, False, "l2"): (False, None),
            (True, False, "deepest"): (True, L2),
            (True, False, "l2"): (True, L2),
            (False, True, "deepest"): (False, L3),
            (False, True, "l2"): (False, None),
            (True, True, "deepest"): (True, L3),
            (True, True, "l2"): (True, L2),
        }.items()
        for most in ("both",)
    ]
    + [
        (True, True, "deepest", "none", False, None),
        (True, True, "l2", "none", False, None),
        (True, True, "deepest", "l2", True, L2),
        (True, True, "l2", "l2", True, L2),
        (True, True, "deepest", "l3", False, L3),
        (True, True, "l2", "l3", False, None),
        (True, False, "deepest", "l3", False, None),
        (False, True, "deepest", "l2", False, None),
    ],
)
def test_what_is_captured_goes_where_levels_settings_and_caps_say(
    l2: bool, l3: bool, level: str, most: str, spans: bool, checkpoints: Scope | None
) -> None:
    on = put("on")
    for whole in (True, False):
        history = History(
            l2=on if l2 and whole else (),
            l2_session=on if l2 and not whole else (),
            l3=on if l3 else (),
        )

        got = allowed(history, NOON, settings(capture_level=level, max_levels=most))

        assert (got.spans, got.checkpoints) == (spans, checkpoints)
        assert (got.read, got.write, got.recall) == (True, True, True)


@pytest.mark.parametrize(
    ("capture", "recall"), list(product([True, False], ["previews", "strict", "off"]))
)
def test_capture_and_recall_are_switched_off_apart(capture: bool, recall: str) -> None:
    spans, checkpoints = (True, L3) if capture else (False, None)

    got = ruled(BOTH, capture=capture, recall=recall)

    assert got == (spans, checkpoints, recall != "off", True, True, None)


STOPS: dict[str, tuple[History, dict[str, Any], str]] = {
    "settings": (History(), {"disabled": "a typing error"}, "a typing error"),
    "paused": (History(master=put("on", "off")), {}, "memory is paused"),
    "session": (History(mode_session=put("off")), {}, "the mode of this session is off"),
    "workspace": (History(mode=put("off")), {}, "the mode of this workspace is off"),
    "told": (History(unreadable="the disk is gone"), {}, "the disk is gone"),
    "mode": (History(mode=put("of")), {}, "the mode on record cannot be read"),
    "mode of session": (History(mode_session=put("")), {}, "the mode on record cannot be read"),
    "earlier mode": (History(mode=put("x", "auto")), {}, "the mode on record cannot be read"),
    "l2": (History(l2=put("off")), {}, "the l2 on record cannot be read"),
    "l2 of session": (History(l2_session=put("1")), {}, "the l2 on record cannot be read"),
    "l3": (History(l3=put("on", "off")), {}, "the l3 on record cannot be read"),
    "master": (History(master=put("yes")), {}, "the master switch on record cannot be read"),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_is_off_or_cannot_be_read_allows_nothing_and_says_why(name: str) -> None:
    stop, over, why = STOPS[name]
    history = replace(stop, l2=stop.l2 or put("on"), l3=stop.l3 or put("on"))

    got = allowed(history, NOON, settings(**over))

    assert got == Allowed(read=False, write=False, why=why)
    assert ruled(BOTH) == MODES[Mode.AUTO]


@pytest.mark.parametrize("mode", Mode)
def test_no_mode_lifts_the_pause_of_the_whole_store(mode: Mode) -> None:
    history = replace(BOTH, mode=put(mode), mode_session=put(mode), master=put("off"))

    assert ruled(history) == NOTHING
    assert ruled(replace(history, master=put("off", "on"))) == MODES[mode]


REASONS: dict[str, tuple[History, dict[str, Any]]] = {
    "no level is on": (History(), {}),
    "": (BOTH, {}),
    "the mode is read-only": (replace(BOTH, mode=put("read-only")), {}),
    "the mode is write-only": (replace(BOTH, mode=put("write-only")), {}),
    "config.toml says capture.enabled = false": (BOTH, {"capture": False}),
    'config.toml says recall.policy = "off"': (BOTH, {"recall": "off"}),
    "MEMEX_MAX_LEVELS keeps l2 and l3 off": (BOTH, {"max_levels": "none"}),
    "MEMEX_MAX_LEVELS keeps l3 off": (BOTH, {"max_levels": "l2"}),
    'config.toml says capture.level = "l2", and l2 is off': (
        History(l3=put("on")),
        {"capture_level": "l2"},
    ),
    "the mode is read-only; no level is on": (History(mode=put("read-only")), {}),
}


@pytest.mark.parametrize("why", REASONS)
def test_whatever_holds_something_back_is_named(why: str) -> None:
    history, over = REASONS[why]

    assert allowed(history, NOON, settings(**over)).why == why


@pytest.mark.parametrize("level", Level)
def test_a_cap_names_what_may_be_on(level: Level) -> None:
    may = {
        most: not levels.capped(level, settings(max_levels=most))
        for most in ("none", "l2", "l3", "both")
    }

    assert may == {"none": False, "both": True} | {each.value: each is level for each in Level}


def test_the_standing_says_how_every_switch_stands() -> None:
    history = History(l2_session=put("on"), mode=put("work"), master=put("off", "on"))

    told = levels.standing(history, NOON, settings())
    private = levels.standing(replace(history, mode_session=put("off")), NOON, settings())

    assert (told.l2, told.l3, told.mode, told.mode_of) == (EARLY, None, Mode.WORK, "workspace")
    assert (told.paused, told.max_levels) == (False, "both")
    assert told.allowed == allowed(history, NOON, settings())
    assert (private.mode, private.mode_of) == (Mode.OFF, "session")
    assert levels.standing(History(), NOON, settings()).mode_of == "default"
