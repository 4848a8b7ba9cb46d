"""Decisions: what a write may revise, replace or repeat, and which status follows which."""

from .shape import GATE, MUTANTS, POLICY, In

_status = In("memex_mcp/policy/status.py")
_targets = In("memex_mcp/policy/targets.py")
_TARGETS = f"{POLICY}targets.py"
_MOVES = f"{POLICY}status.py"

STATUS = (
    _status(
        "status.moves",
        "if to not in _AGENT_MOVES[record.status]:",
        "if False:",
        "an agent would revive what was withdrawn",
        f"{_MOVES}::test_an_agent_makes_only_the_moves_of_the_table",
        quick=True,
    ),
    _status(
        "status.rank",
        "if outranked(caller.writes_as, record):\n        raise Denied(\n",
        "if False:\n        raise Denied(\n",
        "an agent would withdraw what a person wrote",
        f"{_MOVES}::test_an_agent_does_not_touch_what_a_person_stands_behind",
    ),
    _status(
        "status.human_only",
        "if caller.human:",
        "if False:",
        "a person could not accept a candidate",
        _MOVES,
    ),
    _status(
        "status.retracted",
        "if record.status is Status.RETRACTED and to is not Status.ACTIVE:",
        "if False:",
        "a withdrawn record would leave its tombstone behind",
        _MOVES,
    ),
    _status(
        "status.verified",
        "Author.HUMAN if record.trust is Trust.VERIFIED else record.author",
        "record.author",
        "what a person accepted would count as the agent's own",
        f"{_MOVES}::test_an_agent_does_not_touch_what_a_person_stands_behind",
    ),
    _status(
        "status.same",
        "if record.status is to:",
        "if False:",
        "a move to where the record is would be a change",
        f"{_MOVES}::test_nobody_moves_a_record_to_candidate_or_to_where_it_is",
    ),
    _status(
        "status.candidate",
        "if to is Status.CANDIDATE:",
        "if False:",
        "a record would become a proposal of itself",
        f"{_MOVES}::test_nobody_moves_a_record_to_candidate_or_to_where_it_is",
    ),
)

TARGETS = (
    *(
        _targets(f"target.{name}", old, "if False:", why, _TARGETS)
        for name, old, why in (
            (
                "scope",
                "if draft.scope is not None and draft.scope is not target.scope:",
                "a record would change its scope",
            ),
            (
                "dedupe_key",
                "if draft.dedupe_key and draft.dedupe_key != target.dedupe_key:",
                "a record would change its dedupe_key",
            ),
            (
                "both",
                "if draft.supersedes is not None:",
                "a revision would forget what it was to replace",
            ),
            ("kind", "if target.kind is not draft.kind:", "an agent would rewrite an archive"),
            ("status", "if target.status not in LIVE:", "a withdrawn record would be revised"),
            ("replaced.owner", "if old.owner != owner:", "a record would be replaced from outside"),
            (
                "replaced.status",
                "if old.status not in LIVE:",
                "a withdrawn record would be superseded",
            ),
            (
                "successor.other",
                "if new.id == old.id or new.owner != old.owner:",
                "a record would be replaced from another scope",
            ),
            (
                "successor.status",
                "if new.status not in CURRENT:",
                "a record would be replaced by a withdrawn one",
            ),
        )
    ),
    _targets(
        "target.replaced.twice",
        "if old.status is Status.SUPERSEDED:",
        "if False:",
        "the second successor would not hear of the first",
        f"{GATE}of_two_successors_the_second_learns_that_it_lost",
    ),
    _targets(
        "same.key",
        "if draft.dedupe_key is not None and draft.dedupe_key != same.dedupe_key:",
        "if False:",
        "a key given later would be lost",
        f"{MUTANTS}a_key_given_later_comes_too_late",
    ),
    _targets(
        "same.kind",
        "[record for record in found if record.kind is draft.kind]",
        "found",
        "a note would count for a span",
        _TARGETS,
    ),
    _targets(
        "same.live",
        "    if live:\n        return live[0]\n",
        "",
        "a repetition would count for a record put aside",
        _TARGETS,
    ),
    _targets(
        "same.retracted",
        "if record.status is Status.SUPERSEDED]",
        "]",
        "a repetition would count for a withdrawn record",
        _TARGETS,
    ),
    _targets(
        "same.supersedes",
        "aside[0] if aside and draft.supersedes is None else None",
        "aside[0] if aside else None",
        "an old value could not be stated again",
        _TARGETS,
    ),
)

TWINS = tuple(
    _targets(f"twin.{name}", f" and {part}" if last else f"{part} and ", "", why, _TARGETS)
    for name, part, last, why in (
        ("itself", "other.id != record.id", False, "a record would be its own twin"),
        ("kind", "other.kind is record.kind", True, "a span would be the twin of a note"),
        ("live", "other.status in LIVE", True, "a record put aside would block its value"),
    )
)

MUTATIONS = (*STATUS, *TARGETS, *TWINS)
