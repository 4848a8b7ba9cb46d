"""Session files as the five clients write them, for tests of reading, capture and backfill."""

import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.capture import made_chat, made_events
from tests.capture.made_lines import Call, Exchange, Writing

__all__ = [
    "BEGAN",
    "CLIENTS",
    "CWD",
    "Call",
    "Exchange",
    "exchanges",
    "session_lines",
    "write_session",
]

CLIENTS = ("claude", "codex", "gemini", "qwen", "copilot")
BEGAN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
CWD = "/home/user/proj"

_WRITERS = {
    "claude": made_chat.claude,
    "qwen": made_chat.qwen,
    "gemini": made_chat.gemini,
    "codex": made_events.codex,
    "copilot": made_events.copilot,
}
_TOPICS = (
    ("Why does the nightly import fail?", "The import fails because the token expired."),
    ("Rename the module billing to invoices", "The module is called invoices now."),
    ("Where is the cache written?", "The cache is written below .cache in the project."),
    ("重跑导入之后为什么还是报错？", "因为缓存没有清理。先删除 .cache 再重跑。"),
    ("把数据库端口改成 5433", "端口已经改成 5433，测试全部通过。"),
    (
        "Which port does the gateway use?",
        "The gateway listens on port 8443. It is set in gate.toml.",
    ),
)


def write_session(
    home: Path,
    client: str,
    session_id: str,
    turns: Sequence[Exchange],
    *,
    cwd: str = CWD,
    began: datetime = BEGAN,
    agent: str = "",
) -> Path:
    """Write a session where its client keeps it.

    Args:
        home: The user's home folder.
        client: One of ``CLIENTS``.
        session_id: The client's own id; 36 characters of a UUID in real life.
        turns: What is said; `exchanges` makes some.
        cwd: Working directory that the file names.
        began: Time of the first line; a turn takes a minute.
        agent: Id of a sub-agent whose file it is (claude only).

    Returns:
        The file.
    """
    path = session_path(home, client, session_id, cwd=cwd, began=began, agent=agent)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = session_lines(client, session_id, turns, cwd=cwd, began=began, agent=agent)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if client == "gemini":
        (path.parents[1] / ".project_root").write_text(cwd, encoding="utf-8")
    return path


def session_path(
    home: Path,
    client: str,
    session_id: str,
    *,
    cwd: str = CWD,
    began: datetime = BEGAN,
    agent: str = "",
) -> Path:
    """Where a client keeps a session."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", cwd)
    match client:
        case "claude" if agent:
            project = home / ".claude" / "projects" / folder
            return project / session_id / "subagents" / f"agent-{agent}.jsonl"
        case "claude":
            return home / ".claude" / "projects" / folder / f"{session_id}.jsonl"
        case "codex":
            day = home / ".codex" / "sessions" / f"{began:%Y/%m/%d}"
            return day / f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{session_id}.jsonl"
        case "gemini":
            chats = home / ".gemini" / "tmp" / Path(cwd).name / "chats"
            return chats / f"session-{began:%Y-%m-%dT%H-%M}-{session_id[:8]}.jsonl"
        case "qwen":
            return home / ".qwen" / "projects" / folder / "chats" / f"{session_id}.jsonl"
        case _:
            return home / ".copilot" / "session-state" / session_id / "events.jsonl"


def session_lines(
    client: str,
    session_id: str,
    turns: Sequence[Exchange],
    *,
    cwd: str = CWD,
    began: datetime = BEGAN,
    agent: str = "",
) -> list[str]:
    """The lines of such a file, without their line breaks."""
    writing = Writing(session_id=session_id, cwd=cwd, at=began, agent=agent)
    entries = _WRITERS[client](writing, turns)
    return [json.dumps(entry, ensure_ascii=False) for entry in entries]


def exchanges(count: int, *, seed: int = 0, words: int = 0, secret: str = "") -> list[Exchange]:
    """Turns with and without tools, in English and Chinese; the same for the same seed.

    Args:
        count: How many.
        seed: Chooses what they are about.
        words: So many more words in every result of a tool; 0 for short ones.
        secret: Stands in a prompt, an answer, an argument and a result.
    """
    chance = random.Random(seed)
    turns: list[Exchange] = []
    for number in range(count):
        prompt, answer = chance.choice(_TOPICS)
        mark = f"{seed}-{number}"
        filler = " ".join(f"word{chance.randrange(5000)}" for _ in range(words))
        path = f"src/part{chance.randrange(40)}.py"
        call = Call(name="Read", path=path, result=f"line one of {mark}\n{filler} {secret}")
        turns.append(
            Exchange(
                prompt=f"{prompt} (case {mark}) {secret}".strip(),
                answer=f"{answer} That is case {mark}. {secret}".strip(),
                calls=(call,) * 0 if number % 3 == 2 else (call,) * (1 + number % 2),
                compacted=number % 7 == 5,
                interrupted=number % 11 == 9,
                image=b"\x89PNG made up" if number % 5 == 4 else b"",
            )
        )
    return turns


def later(minutes: int) -> datetime:
    """A time after the usual beginning."""
    return BEGAN + timedelta(minutes=minutes)
