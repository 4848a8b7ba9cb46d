from pathlib import Path

import pytest

from memex_adapters.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A home and a project that hold what others put there; no client is on PATH."""
    home, project = tmp_path / "home of 某人", tmp_path / "project o'x"
    files = {
        home / ".claude.json": '{"numStartups": 3, "mcpServers": {"o": {"command": "x"}}}',
        home / ".claude" / "settings.json": '{\n  "hooks": {"Stop": [{"hooks": []}]}\n}\n',
        home / ".codex" / "config.toml": '# mine\nmodel = "x"\n',
        home / ".codex" / "AGENTS.md": "# Mine\n",
        home / ".codex" / "hooks.json": '{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]}}',
        project / ".mcp.json": '{"mcpServers": {}}\n',
        project / "AGENTS.md": "# Project\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Place(home=home, project=project)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the receipts lie."""
    return tmp_path / "store" / "clients"
