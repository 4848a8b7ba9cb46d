"""Drive real coding agents in a home that ``memex-mcp init`` has set up, with a scripted model.

A run is one headless call of the installed program.  What comes back is what the program
printed, what its model was asked, and what it sent to our server.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.clients.ground import INSTALLED, Ground, environment, program
from tests.clients.model import Request, ScriptedModel, Step

# Seconds for one run of a client, which takes two to four.
DEADLINE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run of a client did.

    Attributes:
        results: Tool results that reached its model, in order of the calls.
        sent: Messages it sent to our server, in order.
        troubles: What its model could not do, such as calling a tool that was not offered.
        story: All of it in words, for the message of a failing test.
    """

    exit_code: int
    stdout: str
    requests: tuple[Request, ...]
    results: tuple[str, ...]
    sent: tuple[Mapping[str, object], ...]
    troubles: tuple[str, ...]
    story: str

    @property
    def first_method(self) -> str:
        """Method of the message that opened the connection; it decides the protocol era."""
        return str(self.sent[0]["method"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One coding agent.

    Attributes:
        name: Its folder among the installed clients, and what ``memex-mcp init`` calls it.
        says: The name under which it introduces itself to a server.
        opens_with: Method of its first message.
        arguments: The command line after the program: model address, words that go before
            the prompt, prompt.
        variables: Its part of the environment: model address.
        account: What it knows of its person before us: home, model address.
        hooked: It runs hooks of ours.
        again: The words with which it goes on with its last session.
    """

    name: str
    says: str
    opens_with: str
    arguments: Callable[[str, Sequence[str], str], list[str]]
    variables: Callable[[str], dict[str, str]]
    account: Callable[[Path, str], None] | None = None
    hooked: bool = True
    again: tuple[str, ...] = ()

    def run(
        self,
        ground: Ground,
        steps: Sequence[Step],
        prompt: str = "go on",
        *,
        home: Path,
        words: Sequence[str] = (),
    ) -> Run:
        """Run it once in a home that is set up, its model following the steps.

        Args:
            words: What goes before the prompt on its command line.
        """
        place = ground.scratch / f"{len(list(ground.scratch.iterdir()))}-{self.name}"
        place.mkdir()
        sent_before = len(ground.sent())
        with ScriptedModel(steps) as model:
            if self.account:
                self.account(home, model.url)
            command = [str(program(self.name)), *self.arguments(model.url, words, prompt)]
            variables = environment(home, **self.variables(model.url))
            exit_code = _run_bounded(command, variables, ground.workspace, place)
        return _told(model, exit_code, place, ground.sent()[sent_before:])


def _run_bounded(
    command: Sequence[str], variables: Mapping[str, str], workspace: Path, place: Path
) -> int:
    """Run in a process group of its own and leave nothing of it behind."""
    # Files, not pipes: something the client left running cannot keep us waiting.
    with (place / "stdout").open("wb") as stdout, (place / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            command,
            env=dict(variables),
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            return process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            return -signal.SIGKILL
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            # What works for a later session is in no group of ours.
            kill(Path(variables["HOME"]))


def kill(home: Path) -> None:
    """Kill every installed client that runs in a home."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            variables = (process / "environ").read_bytes().split(b"\0")
            is_client = (process / "exe").resolve().is_relative_to(INSTALLED)
        except OSError:
            continue
        if is_client and f"HOME={home}".encode() in variables:
            with suppress(ProcessLookupError):
                os.kill(int(process.name), signal.SIGKILL)


def _told(model: ScriptedModel, exit_code: int, place: Path, lines: Sequence[str]) -> Run:
    stdout, stderr = (
        (place / name).read_text(encoding="utf-8", errors="replace")
        for name in ("stdout", "stderr")
    )
    turns = [request.asked for request in model.requests if request.asked is not None]
    results = max((turn.results for turn in turns), key=len, default=())
    story = "\n".join(
        (
            f"exit code {exit_code}, steps not reached: {model.unused}",
            f"troubles: {model.troubles}",
            f"paths: {[request.path for request in model.requests]}",
            f"results: {results}",
            f"stdout: {stdout[-2000:]}",
            f"stderr: {stderr[-2000:]}",
            f"sent: {[line[:200] for line in lines]}",
        )
    )
    return Run(
        exit_code=exit_code,
        stdout=stdout,
        requests=tuple(model.requests),
        results=results,
        sent=tuple(json.loads(line) for line in lines),
        troubles=tuple(model.troubles),
        story=story,
    )


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


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
    _write(home / ".cline" / "data" / "settings" / "providers.json", told)


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
