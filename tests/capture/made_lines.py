"""What is said in a made-up session, and the times and ids that its lines carry."""

import base64
from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of a tool and its result."""

    name: str
    path: str = ""
    result: str = ""
    arguments: dict[str, object] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, object]:
        return {**({"file_path": self.path} if self.path else {}), **self.arguments}


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A turn.

    Attributes:
        injected: What a hook put before the model together with the prompt.
        compacted: The client compacts the conversation in the middle of the turn.
        interrupted: The user stops it after its first call; there is no answer.
        image: Bytes of a picture that the user sends along.
    """

    prompt: str
    answer: str = ""
    calls: tuple[Call, ...] = ()
    injected: str = ""
    compacted: bool = False
    interrupted: bool = False
    image: bytes = b""

    @property
    def picture(self) -> str:
        return base64.b64encode(self.image).decode("ascii")


@dataclass(kw_only=True)
class Writing:
    """What every line of one session has, and the ids and times that come next."""

    session_id: str
    cwd: str
    at: datetime
    agent: str = ""
    number: int = 0

    def id(self) -> str:
        self.number += 1
        return f"{self.session_id[:8]}-0000-4000-8000-{self.number:012d}"

    def time(self, seconds: float = 1) -> str:
        self.at += timedelta(seconds=seconds)
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


SUMMARY = "The user asked about the import, and it was mended."
