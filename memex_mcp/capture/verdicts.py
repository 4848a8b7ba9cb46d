"""What becomes of a turn, and what is made of it: decided without changing anything.

What was archived is known by the turn's key; where that was lost, as after a rebuild from
files, by the hashes of its lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memex_mcp.capture import drafts
from memex_mcp.capture.ignore import Ignore
from memex_mcp.model.kinds import Scope
from memex_mcp.model.levels import Allowed, Level
from memex_mcp.model.record import Draft
from memex_mcp.model.turn import Source, Step, Turn
from memex_mcp.policy import levels
from memex_mcp.policy.levels import History
from memex_mcp.settings import Settings
from memex_mcp.store.ledger import Fate, Mark, Place, State, Taken
from memex_mcp.values import dataclass

_DONE = {Fate.CAPTURED, Fate.REFUSED, Fate.EMPTY, Fate.PARKED}
_LATER = {Fate.BEFORE, Fate.IGNORED, Fate.UNSAFE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What decides about every turn of a transcript."""

    settings: Settings
    history: History
    withheld: Ignore | None
    explicit: bool
    now: datetime
    checkpoints: Scope

    def of(self, turn: Turn) -> tuple[Fate, Allowed]:
        """What happens to a turn by the time it began, and what may be made of it."""
        allowed = levels.allowed(self.history, turn.began_at or self.now, self.settings)
        if self.withheld is not None and self.withheld.everything:
            return Fate.IGNORED, allowed
        if not allowed.write:
            return Fate.PARKED, allowed
        if self.explicit:
            return Fate.CAPTURED, self._asked_for(allowed)
        wanted = allowed.spans or allowed.checkpoints is not None
        return Fate.CAPTURED if wanted else Fate.BEFORE, allowed

    def _asked_for(self, allowed: Allowed) -> Allowed:
        """What a person may have archived whichever level is on; a deployment may forbid it."""
        capped = {level: levels.capped(level, self.settings) for level in Level}
        private = self.settings.capture_level == "l2" or self.checkpoints is Scope.SESSION
        scope = Scope.SESSION if private or capped[Level.L3] else Scope.WORKSPACE
        level = Level.L2 if scope is Scope.SESSION else Level.L3
        return replace(
            allowed,
            spans=not capped[Level.L2],
            checkpoints=None if capped[level] else scope,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store knows of some turns at one moment."""

    state: State
    fates: Mapping[str, Fate]
    lines: set[str]
    place: Place | None

    def new(self, steps: Sequence[Step]) -> Sequence[Step]:
        """What a turn has that was not archived: it may have grown since it was."""
        number = next(
            (at for at, step in enumerate(steps) if step.envelope.sha256 not in self.lines),
            len(steps),
        )
        # Two lines at least make a closed turn; one may be like another by chance.
        return steps[number:] if number > 1 else steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is to be done about one turn.

    Attributes:
        fate: What became of it, or will.
        known: It was archived before.
        taken: What is written; None when nothing is.
    """

    fate: Fate
    known: bool = False
    taken: Taken | None = None


def judge(turn: Turn, source: Source, ruling: Ruling, known: Known) -> Judged:
    """Decide about one closed turn."""
    before = known.fates.get(turn.key)
    if before in _DONE or (before in _LATER and not ruling.explicit):
        return Judged(fate=before, known=before is Fate.CAPTURED)
    fate, allowed = ruling.of(turn)
    mark = Mark(key=turn.key, start=turn.start, stop=turn.stop, fate=fate)
    if fate is not Fate.CAPTURED:
        return Judged(fate=fate, taken=None if fate is before else Taken(mark=mark))
    new = known.new(turn.steps)
    fresh = Turn(steps=tuple(new), closed=True) if new else None
    taken = _made(fresh, mark, source, allowed, ruling) if fresh else None
    if taken is not None:
        return Judged(fate=fate, taken=taken)
    grown = len(new) < len(turn.steps)
    fate = Fate.CAPTURED if grown else Fate.EMPTY
    return Judged(fate=fate, known=grown, taken=Taken(mark=replace(mark, fate=fate)))


def _made(turn: Turn, mark: Mark, source: Source, allowed: Allowed, ruling: Ruling) -> Taken | None:
    """What is made of a turn, or of what is new in it; None where that is nothing."""
    hide = ruling.withheld.withholds if ruling.withheld else None
    family, scope = allowed.family, allowed.checkpoints
    spans = drafts.spans(turn, source, family, withheld=hide) if allowed.spans else []
    checkpoint = None
    if scope is not None:
        checkpoint = drafts.checkpoint(turn, source, scope, family, withheld=hide)
    if not spans and checkpoint is None:
        return None
    notes = _suggested(turn, source, scope or Scope.SESSION) if ruling.settings.rules else ()
    return Taken(mark=mark, spans=tuple(spans), checkpoint=checkpoint, notes=notes)


def _suggested(turn: Turn, source: Source, scope: Scope) -> tuple[Draft, ...]:
    """What the user's words suggest; evidence is archived whatever goes wrong with that."""
    # Most never ask for this, and its many expressions take a hook's time to compile.
    import logging

    from memex_mcp.capture import rules

    try:
        return tuple(rules.notes(turn, source, scope))
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as e:
        log = logging.getLogger(__name__)
        log.warning("no notes of a turn of %s: %s", source.client, type(e).__name__)
        return ()
