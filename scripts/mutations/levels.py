"""What follows from levels, modes and the master switch."""

from .shape import In

_levels = In("memex_mcp/policy/levels.py")
_RULES = "tests/policy/test_levels.py::test_"
_TIMES = "tests/policy/test_levels_times.py::test_"

MUTATIONS = (
    _levels(
        "levels.disabled",
        "if settings.disabled:",
        "if False:",
        "hooks would go on while memory is off",
        f"{_RULES}what_is_off_or_cannot_be_read_allows_nothing_and_says_why",
        quick=True,
    ),
    _levels(
        "levels.flaw",
        "if flaw := history.flaw():",
        "if False:\n        flaw = str()",
        "what cannot be read would be the default",
        f"{_RULES}what_is_off_or_cannot_be_read_allows_nothing_and_says_why",
        quick=True,
    ),
    _levels(
        "levels.paused",
        "if paused(history, at):",
        "if False:",
        "the master switch would do nothing",
        f"{_RULES}no_mode_lifts_the_pause_of_the_whole_store",
    ),
    _levels(
        "levels.session_first",
        "value = _own_mode(history, at) or _value(history.mode, at) or Mode.AUTO",
        "value = _value(history.mode, at) or _own_mode(history, at) or Mode.AUTO",
        "the workspace would overrule its session",
        f"{_RULES}the_mode_of_the_session_wins_over_that_of_the_workspace",
    ),
    _levels(
        "levels.read_only",
        "_MUTE = frozenset({Mode.READ_ONLY, Mode.OFF})",
        "_MUTE = frozenset({Mode.OFF})",
        "a session that only reads would be archived",
        f"{_RULES}a_mode_allows_what_its_name_says",
    ),
    _levels(
        "levels.write_only",
        "_BLIND = frozenset({Mode.WRITE_ONLY, Mode.OFF})",
        "_BLIND = frozenset({Mode.OFF})",
        "a session that only writes would recall",
        f"{_RULES}a_mode_allows_what_its_name_says",
    ),
    _levels(
        "levels.capture",
        "captures = current not in _MUTE and settings.capture",
        "captures = current not in _MUTE",
        "capture.enabled = false would do nothing",
        f"{_RULES}capture_and_recall_are_switched_off_apart",
    ),
    _levels(
        "levels.recall",
        " and Previews(settings.recall) is not Previews.OFF,",
        ",",
        'recall.policy = "off" would do nothing',
        f"{_RULES}capture_and_recall_are_switched_off_apart",
    ),
    _levels(
        "levels.cap",
        "return level not in CHOICES[settings.max_levels]",
        "return False",
        "a switch would reach beyond what the environment allows",
        f"{_RULES}what_is_captured_goes_where_levels_settings_and_caps_say",
        quick=True,
    ),
    _levels(
        "levels.capture_level",
        'if on.l3 is not None and settings.capture_level == "deepest":',
        "if on.l3 is not None:",
        "what is to stay private would be shared",
        f"{_RULES}what_is_captured_goes_where_levels_settings_and_caps_say",
    ),
    _levels(
        "levels.since",
        "if turned.at <= at and turned.value == ON)",
        "if turned.value == ON)",
        "turns from before a level was on would be captured",
        f"{_TIMES}a_level_counts_from_when_it_was_turned_on",
        quick=True,
    ),
    _levels(
        "levels.then",
        "last = turned.value if turned.at <= at else last",
        "last = turned.value",
        "what was said while off would be captured once it is on again",
        f"{_TIMES}what_was_said_while_off_stays_out_of_reach_when_it_is_on_again",
    ),
    _levels(
        "levels.clock",
        "return max([at, *(turned.at for turned in self._all())])",
        "return at",
        "a clock that went wrong would undo what was switched",
        f"{_TIMES}a_clock_that_went_wrong_does_not_hide_the_last_change",
    ),
)
