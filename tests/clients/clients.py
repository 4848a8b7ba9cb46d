"""The coding agents, and what each needs to run headless against a scripted model."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.clients.ground import INSTALLED
from tests.clients.running import Client


def _codex_arguments(url: str, words: Sequence[str], prompt: str) -> list[str]:
    provider = (
        f'{{name="Scripted",base_url="{url}/v1",wire_api="responses",env_key="SCRIPTED_KEY",'
        "request_max_retries=0,stream_max_retries=0}"
    )
    settings = (
        "model_provider=scripted",
        "model=gpt-5",
        f"model_providers.scripted={provider}",
        "check_for_update_on_startup=false",
        "analytics.enabled=false",
        # It begins its first turn without a server that takes a second, unless told to wait.
        "mcp_servers.memex.required=true",
    )
    options = [word for setting in settings for word in ("-c", setting)]
    # It runs no hook that nobody has looked at.
    trusting = ("--skip-git-repo-check", "--dangerously-bypass-hook-trust")
    return ["exec", *options, *trusting, *words, prompt]


def _opencode_variables(url: str) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"scripted": {"name": "Scripted"}},
    }
    told = {
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "snapshot": False,
    }
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(told),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_PURE": "1",
    }


def _cline_account(home: Path, url: str) -> None:
    """What ``cline auth`` writes, which takes it three seconds."""
    settings = {
        "provider": "openai-compatible",
        "apiKey": "dummy",
        "model": "scripted",
        "baseUrl": f"{url}/v1",
    }
    provider = {
        "settings": settings,
        "updatedAt": "2026-11-30T00:00:00.000Z",
        "tokenSource": "manual",
    }
    told = {
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "modes": {},
        "providers": {"openai-compatible": provider},
    }
    path = home / ".cline" / "data" / "settings" / "providers.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told), encoding="utf-8")


CLAUDE = Client(
    name="claude",
    says="claude-code",
    opens_with="server/discover",
    arguments=lambda _url, words, prompt: ["-p", *words, prompt],
    variables=lambda url: {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    },
    again=("--continue",),
)
CODEX = Client(
    name="codex",
    says="codex-mcp-client",
    opens_with="initialize",
    arguments=_codex_arguments,
    variables=lambda _url: {"SCRIPTED_KEY": "dummy"},
    again=("resume", "--last"),
)
GEMINI = Client(
    name="gemini",
    says="gemini-cli-mcp-client",
    opens_with="initialize",
    arguments=lambda _url, words, prompt: ["-p", prompt, "--skip-trust", *words],
    variables=lambda url: {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "dummy",
        "GEMINI_DEFAULT_AUTH_TYPE": "gemini-api-key",
    },
)
QWEN = Client(
    name="qwen",
    says="qwen-cli-mcp-client-memex",
    opens_with="initialize",
    arguments=lambda _url, words, prompt: ["--auth-type", "openai", *words, "-p", prompt],
    variables=lambda url: {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "dummy",
        "OPENAI_MODEL": "scripted",
    },
)
COPILOT = Client(
    name="copilot",
    says="copilot-cli",
    opens_with="server/discover",
    arguments=lambda _url, words, prompt: ["-p", prompt, "--allow-tool", "memex", *words],
    variables=lambda url: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        # Where it unpacks itself: 230 MB, once.
        "XDG_CACHE_HOME": str(INSTALLED / "copilot" / "cache"),
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "gpt-5",
    },
)
OPENCODE = Client(
    name="opencode",
    says="opencode",
    opens_with="initialize",
    arguments=lambda _url, words, prompt: ["run", *words, prompt],
    variables=_opencode_variables,
    hooked=False,
)
CLINE = Client(
    name="cline",
    says="@cline/core",
    opens_with="initialize",
    arguments=lambda _url, words, prompt: [*words, prompt],
    variables=lambda _url: {},
    account=_cline_account,
    hooked=False,
)
ALL = (CLAUDE, CODEX, GEMINI, QWEN, COPILOT, OPENCODE, CLINE)
