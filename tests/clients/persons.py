"""What a person has before memex comes: other servers, hooks and rules."""

from pathlib import Path

# What a person has, in the form in which each client leaves it alone.
PERSONS = {
    ".claude.json": '{"mcpServers": {"other": {"type": "stdio", "command": "true"}}}',
    ".claude/settings.json": '{\n  "model": "opus",\n  "hooks": {"Stop": [{"hooks": []}]}\n}',
    ".codex/config.toml": '# mine\nmodel = "gpt-5" # kept\n',
    ".codex/AGENTS.md": "# Mine\r\n\r\nBe kind.",
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command",'
    ' "command": "true"}]}]}}',
    ".gemini/settings.json": '{\n  // mine\n  "security": {"auth": {"selectedType":'
    ' "gemini-api-key"}}\n}\n',
    ".qwen/settings.json": '{\n  "ui": {"theme": "GitHub"},\n  "$version": 4\n}',
    ".copilot/mcp-config.json": '{"mcpServers": {}}',
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "$schema":'
    ' "https://opencode.ai/config.json",\n  "share": "disabled",\n}\n',
    ".cline/data/settings/cline_mcp_settings.json": '{\n    "mcpServers": {}\n}',
}


def furnish(home: Path) -> None:
    """Put it into a home."""
    for name, text in PERSONS.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
