"""How long a client waits for its hooks: whole processes, from spawn to exit.

A store of 10,000 records in which both levels are on, each event in turn, beside a Python that
does nothing: a slow moment of the machine falls on all of them.  What an event has to do is
asked for anew each time: every round is another session, with turns of its own to archive.

    python scripts/bench_hooks.py
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench_common import (
    bare_env,
    environment,
    line,
    parser,
    rounded,
    save,
    script,
    summary,
    timed,
    verdict,
)
from bench_peers import store_of
from bench_stores import filled, note_draft, workplace
from bench_text import Generator

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Surface
from memex_mcp.model.levels import Level
from memex_mcp.settings import Settings

RECORDS = 10_000
P50_MS, P95_MS = 150.0, 300.0
NOTHING = "python -c pass"
PROMPTS = (
    "How often does the gateway retry a request before it gives up?",
    "网关在放弃之前会重试多少次请求？",
)


@dataclass(frozen=True)
class Call:
    """One call of a hook.

    Attributes:
        name: What it is called in the tables.
        event: What is asked for; empty for a process that does nothing.
        payload: What the client writes.
    """

    name: str
    event: str
    payload: dict[str, Any]


class Sessions:
    """Conversations that a client had in the project of a store."""

    def __init__(self, place: Path, project: Path, seed: int, titles: Sequence[str]) -> None:
        self._place = place
        self._titles = titles
        self._project = project
        self._random = random.Random(seed)
        self._text = Generator(seed + 1)
        self._count = 0

    def calls(self) -> Iterator[Call]:
        """Every event once, each of them in a session of its own."""
        yield Call(NOTHING, "", {})
        yield self._call("session start", "SessionStart", turns=0, source="startup")
        yield self._call("session start, 1 turn left", "SessionStart", turns=1, source="resume")
        # As a rule a turn is archived when it stops, and the next prompt finds nothing left.
        for prompt, language in zip(PROMPTS, ("English", "Chinese"), strict=True):
            yield self._call(f"prompt, {language}", "UserPromptSubmit", turns=0, prompt=prompt)
        known = f"What do we know about {self._random.choice(self._titles)}?"
        yield self._call("prompt on what is known", "UserPromptSubmit", turns=0, prompt=known)
        yield self._call("prompt, 1 turn left", "UserPromptSubmit", turns=1, prompt=PROMPTS[0])
        yield self._call("before a compaction, 5 turns", "PreCompact", turns=5)
        yield self._call("stop, 1 turn", "Stop", turns=1)
        yield self._call("session end, nothing new", "SessionEnd", turns=0)

    def _call(self, name: str, event: str, *, turns: int, **fields: str) -> Call:
        self._count += 1
        session = f"bench-{self._random.getrandbits(64):016x}-{self._count}"
        payload = {
            "session_id": session,
            "transcript_path": str(self._transcript(session, turns)),
            "cwd": str(self._project),
            "hook_event_name": event,
            **fields,
        }
        return Call(name, event, payload)

    def _transcript(self, session: str, turns: int) -> Path:
        path = self._place / f"{session}.jsonl"
        if turns:
            # What was said before the levels were on would not be archived.
            at = datetime.now(UTC)
            lines = [text for n in range(turns) for text in self._turn(session, n, at)]
            path.write_text("".join(lines), encoding="utf-8")
        return path

    def _turn(self, session: str, number: int, at: datetime) -> Iterator[str]:
        call = f"toolu_{number}"
        steps: list[tuple[str, Any]] = [
            ("user", self._prose(2)),
            ("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]),
            (
                "user",
                [{"type": "tool_result", "tool_use_id": call, "content": self._prose(30)}],
            ),
            ("assistant", [{"type": "text", "text": self._prose(10)}]),
        ]
        for n, (role, content) in enumerate(steps):
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                message["stop_reason"] = "end_turn" if n == len(steps) - 1 else "tool_use"
            moment = at + timedelta(milliseconds=10 * (number * len(steps) + n))
            entry = {
                "type": role,
                "uuid": f"{session}-{number}-{n}",
                "sessionId": session,
                "cwd": str(self._project),
                "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "message": message,
            }
            yield json.dumps(entry) + "\n"

    def _prose(self, count: int) -> str:
        return " ".join(self._text.sentence() for _ in range(count))


def turned_on(store: Path, project: Path) -> None:
    """Turn both levels on, once."""
    memory = Memory(Settings(home=store))
    person = memory.caller(
        Evidence(surface=Surface.CLI, client="cli", workspace=project, human=True)
    )
    levels = memory.switches.levels(person)
    if levels.l2 is None:
        memory.switches.turn_on(Level.L2, person)
    if levels.l3 is None:
        memory.switches.turn_on(Level.L3, person)
    memory.close()


def run(call: Call, store: Path, home: Path) -> subprocess.CompletedProcess[bytes]:
    """One process, to its end."""
    command = [sys.executable, "-c", "pass"]
    if call.event:
        command = [script("memex-mcp"), "hook", call.event, "--client", "claude"]
    return subprocess.run(
        command,
        input=json.dumps(call.payload).encode(),
        capture_output=True,
        # As it is installed, a hook finds the store by itself.
        env=bare_env(home) | {"XDG_DATA_HOME": str(store.parent)},
        check=True,
    )


def measure(
    store: Path, project: Path, runs: int, seed: int, titles: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Everything in turn, ``runs`` times over."""
    scratch = store.parent
    sessions = Sessions(scratch, project, seed, titles)
    samples: dict[str, list[float]] = {}
    printed: dict[str, int] = {}
    # The first round fills the disk cache, and the cache of compiled modules.
    for taken in range(runs + 1):
        for call in sessions.calls():
            done, took = timed(lambda: run(call, store, scratch))  # noqa: B023  # called at once
            if done.stderr:
                raise RuntimeError(f"{call.name} complained: {done.stderr!r}")
            if taken:
                samples.setdefault(call.name, []).append(took)
                printed[call.name] = printed.get(call.name, 0) + bool(done.stdout)
    for name, taken_each in samples.items():
        print(line(name, taken_each) + f"   said something {printed[name]} of {runs} times")
    return {
        name: {**summary(each), "said": printed[name], "samples": rounded(each)}
        for name, each in samples.items()
    }


def failures(store: Path) -> list[str]:
    """What the log of the hooks holds; a run with any of it counts for nothing."""
    log = store / "logs" / "hooks.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def bars(told: dict[str, dict[str, Any]]) -> list[dict[str, object]]:
    """Hold each event against the budgets."""
    print("\nbars")
    held = []
    for name, figures in told.items():
        if name != NOTHING:
            held.append(verdict(f"{name}, median", figures["p50"], P50_MS, "ms"))
            held.append(verdict(f"{name}, 95 %", figures["p95"], P95_MS, "ms"))
    every = [ms for name, each in told.items() if name != NOTHING for ms in each["samples"]]
    together = summary(every)
    held.append(verdict("all events together, median", together["p50"], P50_MS, "ms"))
    held.append(verdict("all events together, 95 %", together["p95"], P95_MS, "ms"))
    return held


def result(
    args: argparse.Namespace, store: Path, project: Path, titles: Sequence[str]
) -> dict[str, object]:
    """Run everything; what the raw file says."""
    head = environment(args, "hooks") | {"records": RECORDS, "runs": args.runs}
    before = len(failures(store))
    told = measure(store, project, args.runs, args.seed, titles)
    failed = failures(store)[before:]
    for each in failed:
        print(f"  failed: {each}")
    return head | {"events": told, "failures": failed, "bars": bars(told)}


def main() -> None:
    """Build the store, measure, write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=30)
    args = arguments.parse_args()
    notes = Generator(args.seed).notes(RECORDS)
    with workplace(args.work) as place, tempfile.TemporaryDirectory() as scratch:
        kept = filled(place, f"notes-{RECORDS}", [note_draft(note) for note in notes])
        # A store that other benchmarks use stays as it is; its project is who may read it.
        store = store_of(Path(scratch))
        shutil.copytree(store_of(kept.folder), store)
        project = kept.folder / "work"
        turned_on(store, project)
        print(f"whole processes, {args.runs} runs each; seed {args.seed}")
        titles = [note.title for note in notes if note.language == "en"]
        save(args, "hooks/hooks.json", result(args, store, project, titles))


if __name__ == "__main__":
    main()
