"""How long a client waits for the first answer, and what an idle server weighs.

A cold process each time, our store holding 10,000 records.  The bar is the bare SDK server
started in the same round: a slow moment of the machine falls on both.

    python scripts/bench_start.py --server-memory DIR --basic-memory DIR
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench_common import (
    environment,
    line,
    parser,
    processor_ms,
    resident_kb,
    rounded,
    save,
    script,
    summary,
    timed,
    verdict,
)
from bench_peers import Peer, bare, described, gather, memex
from bench_stores import Filled, filled, note_draft, workplace
from bench_text import Generator

RECORDS = 10_000
IDLE_SECONDS = 3.0
OPENINGS = ("initialize", "server/discover")
SLOWER_THAN_BARE_MS = 100.0
IDLE_MB = 80.0


@dataclass(frozen=True)
class First:
    """The first answer of a new process.

    Attributes:
        took: Milliseconds since it was spawned.
        worked: Those of them that it spent on the processor; None where that is not told.
        error: What it answered, if that was an error.
    """

    took: float
    worked: float | None
    error: str


def first_answer(peer: Peer, folder: Path, opening: str) -> First:
    """Start a server and wait until it answers."""
    with peer.start(folder) as wire:
        answer = wire.initialize() if opening == "initialize" else wire.discover()
        took = (time.perf_counter() - wire.began) * 1000
        worked = processor_ms(wire.process.pid)
    error = str(answer["error"].get("message", "")) if "error" in answer else ""
    return First(took, worked, error)


def starts(
    peers: list[Peer], folders: dict[str, Path], runs: int
) -> dict[str, dict[str, dict[str, Any]]]:
    """Start everyone in turn, ``runs`` times for each way to open a connection."""
    told: dict[str, dict[str, dict[str, Any]]] = {}
    for opening in OPENINGS:
        answers: dict[str, list[First]] = {peer.name: [] for peer in peers}
        for run in range(runs + 1):
            # The order turns, so that nobody always runs after the same neighbour.
            for peer in peers[run % len(peers) :] + peers[: run % len(peers)]:
                answers[peer.name].append(first_answer(peer, folders[peer.name], opening))
        print(f"\n{opening}, {runs} runs each")
        # The first round fills the disk cache and first-run folders.
        told[opening] = {name: outcome(name, firsts[1:]) for name, firsts in answers.items()}
    return told


def outcome(name: str, firsts: list[First]) -> dict[str, Any]:
    """What one server's starts come to."""
    taken = [first.took for first in firsts]
    worked = [first.worked for first in firsts if first.worked is not None]
    error = firsts[-1].error
    print(line(name, taken) + (f"   (answers with an error: {error})" if error else ""))
    if worked:
        print(line("  on the processor", worked))
    return {
        **summary(taken),
        "error": error or None,
        "samples": rounded(taken),
        "processor": {**summary(worked), "samples": rounded(worked)} if worked else None,
    }


def weights(peers: list[Peer], folders: dict[str, Path]) -> dict[str, dict[str, float | None]]:
    """Resident MB three seconds after the handshake, and again after one English search."""
    told: dict[str, dict[str, float | None]] = {}
    print("\nresident memory, MB: 3 s after the handshake, after one English search")
    for peer in peers:
        with peer.start(folders[peer.name]) as wire:
            wire.initialize()
            time.sleep(IDLE_SECONDS)
            idle = resident_kb(wire.process.pid)
            peer.search(wire, "gateway retries request")
            searched = resident_kb(wire.process.pid)
        megabytes = [None if each is None else round(each / 1024, 1) for each in (idle, searched)]
        told[peer.name] = dict(zip(("idle_mb", "searched_mb"), megabytes, strict=True))
        print(f"  {peer.name:<34} {megabytes[0]} {megabytes[1]}")
    return told


def version_command(runs: int) -> dict[str, dict[str, object]]:
    """``memex-mcp --version``, spawn to exit, beside a Python that does nothing."""
    commands = {
        "memex-mcp --version": [script("memex-mcp"), "--version"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            _, took = timed(lambda: subprocess.run(command, capture_output=True, check=True))  # noqa: B023  # called at once
            samples[name].append(took)
    print(f"\nwhole processes, {runs} runs each")
    for name, taken in samples.items():
        print(line(name, taken))
    return {name: {**summary(v), "samples": rounded(v)} for name, v in samples.items()}


def versus_bare(told: dict[str, dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Ours minus the bare server's, round by round: by the clock, and on the processor."""
    ours, bare_server = told["memex"], told["bare SDK server"]
    clock = paired(ours["samples"], bare_server["samples"])
    if not (ours["processor"] and bare_server["processor"]):
        return clock, []
    return clock, paired(ours["processor"]["samples"], bare_server["processor"]["samples"])


def paired(ours: list[float], theirs: list[float]) -> list[float]:
    """Differences of two lists, place by place."""
    return [one - other for one, other in zip(ours, theirs, strict=True)]


def measure(args: argparse.Namespace, store: Filled, scratch: Path) -> dict[str, object]:
    """Run everything and hold it against the bars."""
    peers, missing = gather(args)
    folders = {peer.name: scratch / str(place) for place, peer in enumerate(peers)}
    folders["memex"] = store.folder
    result = environment(args, "start") | {
        "records": RECORDS,
        "runs": args.runs,
        "peers": described(peers, missing),
    }
    started = starts(peers, folders, args.runs)
    weighed = weights(peers, folders)
    versions = version_command(args.runs)
    print("\nbars")
    bars = []
    for opening, told in started.items():
        clock, processor = versus_bare(told)
        name = f"first answer to {opening} after a bare server, median of paired differences"
        bars.append(verdict(name, median(clock), SLOWER_THAN_BARE_MS, "ms"))
        if processor:
            print(f"         on the processor: {median(processor):.1f} ms")
    for when, megabytes in weighed["memex"].items():
        if megabytes is not None:
            bars.append(verdict(f"resident memory, {when}", megabytes, IDLE_MB, "MB"))
    return result | {
        "first_answer": started,
        "resident": weighed,
        "version": versions,
        "bars": bars,
    }


def main() -> None:
    """Build the store, measure, write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=15)
    args = arguments.parse_args()
    notes = Generator(args.seed).notes(RECORDS)
    with workplace(args.work) as place, tempfile.TemporaryDirectory() as scratch:
        print(f"memex {memex().version} beside {bare().name} and peers; seed {args.seed}")
        store = filled(place, f"notes-{RECORDS}", [note_draft(note) for note in notes])
        save(args, "start/start.json", measure(args, store, Path(scratch)))
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
