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
