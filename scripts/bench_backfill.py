"""How fast conversations on disk are archived, and what that takes of memory and disk.

A home folder with sessions of all five clients is made from a seed, then taken in by the
installed command, as a process of its own: once as a rehearsal, once in earnest, once more with
nothing new.

    python scripts/bench_backfill.py --sessions 500
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from bench_common import ROOT, bare_env, environment, parser, resident_kb, save, script, verdict
from bench_text import Generator

sys.path.insert(0, str(ROOT))

from memex_mcp.capture.places import CLIENTS
from memex_mcp.text import tokens
from tests.capture.homes import BEGAN, Exchange, write_conversation

PROJECTS = 7
PEAK_MB = 400.0


def exchange(made: Generator, draw: random.Random, words: int) -> Exchange:
    """A turn of about three times so many words; one in eight is Chinese."""

    def said() -> str:
        sentence = made.han_sentence if draw.random() < 0.125 else made.sentence
        text = ""
        while len(text) < 6 * words:
            text += f"{sentence()} "
        return text

    return Exchange(said(), f"{made.code()}\n{said()}", said())


def people(args: argparse.Namespace, place: Path) -> dict[str, int]:
    """Write a home folder full of conversations; returns what they come to."""
    made, draw = Generator(args.seed), random.Random(args.seed)
    total = {"sessions": args.sessions, "turns": 0, "tokens": 0, "bytes": 0}
    for number in range(args.sessions):
        turns = [exchange(made, draw, args.words) for _ in range(args.turns)]
        project = place / f"project-{number % PROJECTS}"
        project.mkdir(exist_ok=True)
        path = write_conversation(
            place / "home",
            CLIENTS[number % len(CLIENTS)],
            project,
            turns,
            session_id=f"s-{number}",
            at=BEGAN + timedelta(minutes=number),
        )
        total["turns"] += len(turns)
        total["bytes"] += path.stat().st_size
        total["tokens"] += sum(
            tokens.count(text).tokens
            for turn in turns
            for text in (turn.asked, turn.result, turn.answered)
        )
    return total


def ran(place: Path, *options: str) -> dict[str, object]:
    """Run the command; returns its seconds, its peak of memory and what it told."""
    command = [script("memex-mcp"), "backfill", "--json", "--root", str(place / "store")]
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--home", str(place / "home"), *options],
            stdin=subprocess.DEVNULL,
            stdout=out,
            env=bare_env(place / "home"),
            cwd=place,
        )
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident_kb(process.pid) or 0)
            time.sleep(0.02)
        seconds = time.perf_counter() - began
        out.seek(0)
        told = json.loads(out.read())["total"]
    if process.returncode:
        raise SystemExit(f"backfill ended with {process.returncode}")
    return {"seconds": round(seconds, 2), "peak_mb": round(peak / 1024, 1), "told": told}


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--sessions", type=int, default=500)
    made.add_argument("--turns", type=int, default=4)
    made.add_argument("--words", type=int, default=130)
    args = made.parse_args()
    result = environment(args, "backfill")
    with tempfile.TemporaryDirectory() as temp:
        place = args.work or Path(temp)
        total = people(args, place)
        told = ", ".join(f"{number:,} {what}" for what, number in total.items())
        print(f"home folder: {told}")
        runs = {
            "dry run": ran(place, "--dry-run"),
            "first": ran(place),
            "again": ran(place),
        }
        stored = size(place / "store")
    for name, run in runs.items():
        rate = total["tokens"] / float(str(run["seconds"]))
        run["tokens_per_second"] = round(rate)
        print(f"  {name:<10} {run['seconds']:>8} s  {rate:>10,.0f} tokens/s  {run['peak_mb']} MB")
    print(f"  store: {stored / 1e6:.1f} MB of {total['bytes'] / 1e6:.1f} MB of transcripts")
    bar = verdict("peak memory", float(str(runs["first"]["peak_mb"])), PEAK_MB, "MB")
    result |= {"home": total, "runs": runs, "store_bytes": stored, "verdicts": [bar]}
    save(args, "capture/backfill.json", result)


if __name__ == "__main__":
    main()
