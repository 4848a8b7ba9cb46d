"""Drive real coding agents: each gets a home of its own, our server, and a scripted model.

A run is one headless call of the installed program.  What comes back is what the program
printed, what its model was asked, and what it sent to our server.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.clients.ground import HERE, Ground, environment, program
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
        name: Its folder among the installed clients.
        says: The name under which it introduces itself to a server.
        opens_with: Method of its first message.
        configure: Writes its configuration: home, server command.
        arguments: The command line after the program: model address, words that go before
            the prompt, prompt.
        variables: Its part of the environment: model address.
        hook: Writes its hook entries: home, command that an event's name is appended to.
        trusting: The words without which it runs no hook that nobody has looked at.
        again: The words with which it goes on with its last session.
    """

    name: str
    says: str
    opens_with: str
    configure: Callable[[Path, Sequence[str]], None]
    arguments: Callable[[str, Sequence[str], str], list[str]]
    variables: Callable[[str], dict[str, str]]
    hook: Callable[[Path, Sequence[str]], None] | None = None
    trusting: tuple[str, ...] = ()
    again: tuple[str, ...] = ()

    def run(
        self,
        ground: Ground,
        steps: Sequence[Step],
        prompt: str = "go on",
        *,
        home: Path | None = None,
        words: Sequence[str] = (),
    ) -> Run:
        """Run it once, its model following the steps.

        Args:
            home: A home that several runs share, with our hooks in it; else a fresh one without.
            words: What goes before the prompt on its command line.
        """
        place = ground.scratch / f"{len(list(ground.scratch.iterdir()))}-{self.name}"
        place.mkdir()
        hooked, home = home is not None, home or place / "home"
        home.mkdir(exist_ok=True)
        sent = place / "sent.jsonl"
        tap = [sys.executable, "-IS", str(HERE / "tap.py"), str(sent)]
        self.configure(home, [*tap, *ground.command("serve")])
        if hooked and self.hook:
            self.hook(home, ground.hook(self.name))
            words = (*self.trusting, *words)
        with ScriptedModel(steps) as model:
            command = [str(program(self.name)), *self.arguments(model.url, words, prompt)]
            variables = environment(home, **self.variables(model.url))
            exit_code = _run_bounded(command, variables, ground.workspace, place)
        return _told(model, exit_code, place, sent)


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


def _told(model: ScriptedModel, exit_code: int, place: Path, sent: Path) -> Run:
    stdout, stderr = (
        (place / name).read_text(encoding="utf-8", errors="replace")
        for name in ("stdout", "stderr")
    )
    turns = [request.asked for request in model.requests if request.asked is not None]
    results = max((turn.results for turn in turns), key=len, default=())
    lines = sent.read_text(encoding="utf-8").splitlines() if sent.exists() else []
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


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def _configure_claude(home: Path, server: Sequence[str]) -> None:
    entry = {"type": "stdio", "command": server[0], "args": server[1:], "env": {}}
    _write(home / ".claude.json", json.dumps({"mcpServers": {"memex": entry}}))
    permissions = {"permissions": {"allow": ["mcp__memex__*"]}}
    _write(home / ".claude" / "settings.json", json.dumps(permissions))


_EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")


def _hook_claude(home: Path, command: Sequence[str]) -> None:
    hooks = {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": command[0],
                        "args": [*command[1:], event],
                        "timeout": 20,
                    }
                ]
            }
        ]
        for event in _EVENTS
    }
    settings = home / ".claude" / "settings.json"
    _write(
        settings, json.dumps({**json.loads(settings.read_text(encoding="utf-8")), "hooks": hooks})
    )


def _hook_codex(home: Path, command: Sequence[str]) -> None:
    hooks = {
        event: [
            {"hooks": [{"type": "command", "command": shlex.join([*command, event]), "timeout": 3}]}
        ]
        for event in _EVENTS
    }
    _write(home / ".codex" / "hooks.json", json.dumps({"hooks": hooks}))


def _configure_codex(home: Path, server: Sequence[str]) -> None:
    # A JSON string and a JSON list of strings are TOML too.  No approval mode is set: the
    # tools' own annotations have to be enough.
    lines = (
        "[mcp_servers.memex]",
        f"command = {json.dumps(server[0])}",
        f"args = {json.dumps(server[1:])}",
        "required = true",
        "startup_timeout_sec = 60",
    )
    _write(home / ".codex" / "config.toml", "\n".join(lines) + "\n")


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
    )
    options = [word for setting in settings for word in ("-c", setting)]
    return ["exec", *options, "--skip-git-repo-check", *words, prompt]


def _configure_gemini(home: Path, server: Sequence[str]) -> None:
    settings = {
        "mcpServers": {"memex": {"command": server[0], "args": server[1:], "trust": True}},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings))


CLAUDE = Client(
    name="claude",
    says="claude-code",
    opens_with="server/discover",
    configure=_configure_claude,
    arguments=lambda _url, words, prompt: ["-p", *words, prompt],
    variables=lambda url: {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    },
    hook=_hook_claude,
    again=("--continue",),
)
CODEX = Client(
    name="codex",
    says="codex-mcp-client",
    opens_with="initialize",
    configure=_configure_codex,
    arguments=_codex_arguments,
    variables=lambda _url: {"SCRIPTED_KEY": "dummy"},
    hook=_hook_codex,
    trusting=("--dangerously-bypass-hook-trust",),
    again=("resume", "--last"),
)
GEMINI = Client(
    name="gemini",
    says="gemini-cli-mcp-client",
    opens_with="initialize",
    configure=_configure_gemini,
    arguments=lambda _url, words, prompt: ["-p", prompt, "--skip-trust", *words],
    variables=lambda url: {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "dummy",
        "GEMINI_DEFAULT_AUTH_TYPE": "gemini-api-key",
    },
)
