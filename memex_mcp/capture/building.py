"""Turns, built of the lines that follow each other in a session file."""

from dataclasses import field, replace

from memex_mcp.capture.transcripts.line import Ending, Line
from memex_mcp.capture.transcripts.values import sound
from memex_mcp.model.turn import Envelope, Role, Step, Turn
from memex_mcp.values import dataclass


@dataclass(slots=True)
class Building:
    """The turn that lines are being added to."""

    steps: list[Step] = field(default_factory=list)
    ends: Ending = Ending.NO
    waiting: set[str] = field(default_factory=set)
    message: str = ""

    def turn(self) -> Turn:
        """What there is of it."""
        return Turn(steps=tuple(self.steps), closed=self.ends is not Ending.NO)

    def add(self, envelope: Envelope | None, line: Line) -> Turn | None:
        """Add a line; gives the turn before, where another one begins with it."""
        if envelope is None:
            if line.ends is Ending.YES and self.steps:
                self.ends = line.ends
            return None
        same = bool(line.message) and line.message == self.message
        over = line.begins or (self.ends is Ending.YES and not same)
        before = None
        if self.steps and over:
            before = replace(self.turn(), closed=True)
            self.steps, self.waiting, self.ends = [], set(), Ending.NO
        self.steps.append(_step(envelope, line))
        self.waiting = (self.waiting | set(line.calls)) - set(line.results)
        self.message = line.message
        self.ends = self._ends(line, same=same)
        return before

    def _ends(self, line: Line, *, same: bool) -> Ending:
        if line.cuts:
            return line.ends
        if line.role is Role.SYSTEM:
            return self.ends
        ends = max(line.ends, self.ends) if same and not line.calls else line.ends
        return Ending.NO if self.waiting else ends


def _step(envelope: Envelope, line: Line) -> Step:
    return Step(
        envelope=envelope,
        text=sound(line.text),
        prompt=line.prompt,
        calls=line.calls,
        results=line.results,
        tool=sound(line.tool),
        files=tuple(map(sound, line.files)),
        attachments=tuple(map(sound, line.attachments)),
    )
