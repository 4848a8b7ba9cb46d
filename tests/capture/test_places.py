import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memex_mcp.capture import places

FILES = {
    "claude": [
        ".claude/projects/-home-user-proj/one.jsonl",
        ".claude/projects/-home-user-proj/subagents/agent-a1.jsonl",
        ".claude/projects/-home-user-proj/one/subagents/agent-a2.jsonl",
    ],
    "codex": [
        ".codex/sessions/2026/11/30/rollout-2026-11-30T07-55-43-one.jsonl",
        ".codex/archived_sessions/rollout-2026-10-01T00-00-00-two.jsonl",
    ],
    "gemini": [
        ".gemini/tmp/proj/chats/session-2026-11-30T08-12-ee16fa5b.jsonl",
        ".gemini/tmp/proj/chats/ee16fa5b/a1.jsonl",
    ],
    "qwen": [".qwen/projects/-home-user-proj/chats/one.jsonl"],
    "copilot": [".copilot/session-state/one/events.jsonl"],
}
BESIDE = [
    ".claude/projects/-home-user-proj/memory/MEMORY.md",
    ".claude/projects/-home-user-proj/tool-results/big.txt",
    ".claude/history.jsonl",
    ".codex/history.jsonl",
    ".gemini/tmp/proj/logs.json",
    ".gemini/tmp/proj/chats/note.jsonl",
    ".qwen/projects/-home-user-proj/meta.jsonl",
    ".copilot/session-state/one/plan.jsonl",
]


def put(path: Path, text: str = "{}\n", age: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000_000_000 - age, 1_000_000_000 - age))
    return path


def paths(client: str, home: Path, **elsewhere: str) -> list[Path]:
    return [each.path for each in places.transcripts(client, home, elsewhere)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in [*BESIDE, *(name for names in FILES.values() for name in names)]:
        put(tmp_path / "people" / name)
    return tmp_path / "people"


@pytest.mark.parametrize("client", places.CLIENTS)
def test_each_client_s_conversations_are_found_and_nothing_beside_them(
    home: Path, client: str
) -> None:
    assert set(paths(client, home)) == {home / name for name in FILES[client]}


def test_the_oldest_comes_first_with_its_size_and_age(tmp_path: Path) -> None:
    chats = tmp_path / ".qwen/projects/p/chats"
    put(chats / "new.jsonl", "{}\n{}\n")
    put(chats / "old.jsonl", age=60)

    old, new = places.transcripts("qwen", tmp_path, {})

    assert (old.path.name, new.path.name) == ("old.jsonl", "new.jsonl")
    assert (old.size, new.size) == (3, 6)
    assert new.changed_at == datetime.fromtimestamp(1_000_000_000, UTC)


@pytest.mark.parametrize(
    ("client", "name", "moved"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "projects/p/one.jsonl"),
        ("codex", "CODEX_HOME", "sessions/2026/11/30/rollout-one.jsonl"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-one.jsonl"),
        ("qwen", "QWEN_RUNTIME_DIR", "projects/p/chats/one.jsonl"),
        ("qwen", "QWEN_HOME", "projects/p/chats/one.jsonl"),
        ("copilot", "COPILOT_HOME", "session-state/one/events.jsonl"),
    ],
)
def test_a_client_that_was_told_another_folder_is_looked_up_there(
    home: Path, tmp_path: Path, client: str, name: str, moved: str
) -> None:
    path = put(tmp_path / "moved" / moved)

    assert paths(client, home, **{name: str(tmp_path / "moved")}) == [path]
    assert path not in paths(client, home)


def test_a_home_folder_without_clients_holds_nothing(tmp_path: Path) -> None:
    assert [paths(client, tmp_path / "nobody") for client in places.CLIENTS] == [[]] * 5


def test_a_file_that_two_names_lead_to_is_found_once(tmp_path: Path) -> None:
    real = put(tmp_path / ".claude/projects/p/one.jsonl")
    (tmp_path / ".claude/projects/q").symlink_to(real.parent)
    (tmp_path / ".claude/projects/p/broken.jsonl").symlink_to(tmp_path / "gone")

    assert paths("claude", tmp_path) == [real]


@pytest.mark.parametrize(
    ("client", "text", "days"),
    [
        pytest.param("claude", None, 30, id="Claude by itself"),
        pytest.param("claude", '{"cleanupPeriodDays": 365}', 365, id="Claude as told"),
        pytest.param("claude", '{"cleanupPeriodDays": 0}', 30, id="Claude told nonsense"),
        pytest.param(
            "claude", '// no\n{"cleanupPeriodDays": 365}', 30, id="Claude reads no comments"
        ),
        pytest.param("gemini", None, 30, id="Gemini by itself"),
        pytest.param(
            "gemini",
            '{"general": {"sessionRetention": {/* a // b */ "maxAge": "2w"}}, "u": "http://x"}',
            14,
            id="Gemini as told, beside comments",
        ),
        pytest.param(
            "gemini", '{"general": {"sessionRetention": {"enabled": false}}}', None, id="never"
        ),
        pytest.param("gemini", '{"general": []}', 30, id="Gemini told nonsense"),
        pytest.param("qwen", None, None, id="Qwen"),
        pytest.param("codex", None, None, id="Codex"),
        pytest.param("copilot", None, None, id="Copilot"),
    ],
)
def test_how_long_a_client_keeps_its_conversations(
    tmp_path: Path, client: str, text: str | None, days: int | None
) -> None:
    if text is not None:
        put(tmp_path / f".{client}" / "settings.json", text)

    assert places.days_kept(client, tmp_path, {}) == days
