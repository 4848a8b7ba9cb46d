"""What a client tells its hooks, in one shape for all clients.

A payload is input from another program: whatever is missing, misspelled or of the wrong type
is simply absent, and nothing in it can make reading it fail.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from memex_mcp.values import dataclass

Payload = Mapping[str, object]

_NAME_CHARACTERS = 200
_PATH_CHARACTERS = 4_096
_TEXT_CHARACTERS = 100_000


class Moment(StrEnum):
    """What happens in a session, by the name that our own installers use."""

    SESSION_START = "session-start"
    PROMPT = "user-prompt-submit"
    BEFORE_COMPACT = "pre-compact"
    STOP = "stop"
    SESSION_END = "session-end"
    OTHER = "other"


class Start(StrEnum):
    """Why a session starts.  Only two of them begin with an empty context."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One call of a hook.

    Attributes:
        name: The client's own name for the event, which its answer has to repeat.
        start: Why the session starts; None for every other event.
        transcript: The file that holds the conversation: of an agent, if one stopped.
        cwd: Working directory of the session; empty when it is not told.
        prompt: What the user said, with whatever the client put around it.
        last_answer: The assistant's last words, where the client tells them.
        agent_id: The sub-agent that stopped; empty when the session itself did.
        stop_active: The session goes on only because another hook would not let it stop.
        late: What was said last may reach the transcript after the hook has ended.
    """

    moment: Moment
    client: str
    name: str
    start: Start | None = None
    session_id: str = ""
    transcript: Path | None = None
    cwd: str = ""
    prompt: str = ""
    last_answer: str = ""
    agent_id: str = ""
    stop_active: bool = False
    late: bool = False


_MOMENTS = {
    "sessionstart": Moment.SESSION_START,
    "userpromptsubmit": Moment.PROMPT,
    "userpromptsubmitted": Moment.PROMPT,
    "beforesubmitprompt": Moment.PROMPT,
    "beforeagent": Moment.PROMPT,
    "precompact": Moment.BEFORE_COMPACT,
    "precompress": Moment.BEFORE_COMPACT,
    "stop": Moment.STOP,
    "afteragent": Moment.STOP,
    "agentstop": Moment.STOP,
    "subagentstop": Moment.STOP,
    "sessionend": Moment.SESSION_END,
}
_STARTS = {
    "startup": Start.STARTUP,
    "new": Start.STARTUP,
    "resume": Start.RESUME,
    # A fork goes on with the context of the session that it leaves.
    "fork": Start.RESUME,
    "clear": Start.CLEAR,
    "compact": Start.COMPACT,
}


def moment_of(name: str) -> Moment:
    """What an event is; ``session-start``, ``SessionStart`` and ``sessionStart`` are one."""
    return _MOMENTS.get(_letters(name), Moment.OTHER)


def is_agents(name: str) -> bool:
    """Whether the event is about a sub-agent and not about the session."""
    return _letters(name) == "subagentstop"


def start_of(payload: Payload) -> Start:
    """Why the session starts; a reason that is not known empties nothing."""
    return _STARTS.get(_letters(text(payload, "source", most=_NAME_CHARACTERS)), Start.STARTUP)


def text(payload: Payload, *keys: str, most: int = _TEXT_CHARACTERS) -> str:
    """At most ``most`` characters of the first of these fields that is text; else none.

    They can be stored: JSON can spell half a surrogate pair, which nothing can write down.
    """
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str):
            return value[:most].encode("utf-8", "replace").decode("utf-8")
    return ""


def name(payload: Payload, *keys: str) -> str:
    """The same for an id or a name; one that is too long is none."""
    found = text(payload, *keys, most=_NAME_CHARACTERS + 1).strip()
    return found if len(found) <= _NAME_CHARACTERS else ""


def path(payload: Payload, *keys: str) -> Path | None:
    """The same for a file; only an absolute path says where it is."""
    found = text(payload, *keys, most=_PATH_CHARACTERS + 1)
    if not found or len(found) > _PATH_CHARACTERS or "\0" in found:
        return None
    there = Path(found)
    return there if there.is_absolute() else None


def folder(payload: Payload, *keys: str) -> str:
    """The same for the working directory, as it was spelled; empty when there is none."""
    return "" if path(payload, *keys) is None else text(payload, *keys)


def flag(payload: Payload, *keys: str) -> bool:
    """Whether one of these fields is true."""
    return any(payload.get(key) is True for key in keys)


def _letters(spelled: str) -> str:
    return "".join(filter(str.isalpha, spelled.lower()))
