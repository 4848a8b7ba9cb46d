"""How fast records become durable, and what they take on disk.

Each write is acknowledged after its commit, its Markdown file written: notes one by one in
process, notes over stdio beside the peers, and long bodies by the thousand, as the parts of a
transcript are archived: several in one transaction.  Durable means what
it does for a local store: a killed process loses nothing that was acknowledged.

    python scripts/bench_write.py --server-memory DIR --basic-memory DIR --aiosqlite DIR
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench_common import (
    clocked,
    environment,
    line,
    parser,
    rounded,
    save,
    summary,
    timed,
    verdict,
)
from bench_hops import compare
from bench_peers import Peer, described, gather, store_of
from bench_stores import agent, hook, note_draft, sizes, span_draft, workplace
from bench_text import Generator, bodies

from memex_mcp import settings
from memex_mcp.memory import Memory
from memex_mcp.model.record import Draft

BULK_SECONDS = 10.0
FULL = 10_000
MODES = ("x", "prose", "code", "zh")
WARM = 20


def fresh(folder: Path) -> Path:
    """An empty data folder."""
    (folder / "work").mkdir(parents=True)
    (folder / "data").mkdir()
    return folder


def written(
    folder: Path, drafts: Sequence[Draft], *, spans: bool = False, together: int = 1
) -> tuple[list[float], list[float]]:
    """Write all, then close; milliseconds of each call by the wall clock and the processor."""
    memory = Memory(settings.load(store_of(fresh(folder)), {}))
    caller = hook(memory, folder) if spans else agent(memory, folder)
    took, worked = [], []
    for batch in batched(drafts, together):
        _, wall, cpu = clocked(lambda: memory.write_all(batch, caller))  # noqa: B023  # called at once
        took.append(wall)
        worked.append(cpu)
    memory.close()
    return took, worked


def batched(drafts: Sequence[Draft], size: int) -> Iterator[Sequence[Draft]]:
    """The drafts in batches, the last one perhaps smaller."""
    return (drafts[at : at + size] for at in range(0, len(drafts), size))


def notes_in_process(args: argparse.Namespace, place: Path) -> dict[str, object]:
    """Small notes, one by one, by an agent."""
    notes = Generator(args.seed).notes(args.notes + WARM)
    took, worked = written(place / "notes", [note_draft(note) for note in notes])
    took, worked = took[WARM:], worked[WARM:]
    print(f"\nin process, {args.notes:,} notes: {1000 * len(took) / sum(took):,.0f} a second")
    print(line("wall clock", took))
    print(line("processor time", worked))
    return {
        "notes": args.notes,
        "per_second": round(1000 * len(took) / sum(took)),
        "wall": {**summary(took), "samples": rounded(took)},
        "processor": {**summary(worked), "samples": rounded(worked)},
        "bytes": sizes(place / "notes"),
    }


def notes_over_stdio(
    args: argparse.Namespace, peers: Sequence[Peer], place: Path
) -> dict[str, dict[str, object]]:
    """The same notes to every server in turn."""
    notes = Generator(args.seed + 1).notes(args.peer_notes + WARM)
    wires = {peer.name: peer.start(place / f"peer-{n}") for n, peer in enumerate(peers)}
    for opened in wires.values():
        opened.initialize()
    samples: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for turn, note in enumerate(notes):
        first = turn % len(peers)
        for peer in (*peers[first:], *peers[:first]):
            wire = wires[peer.name]
            _, took = timed(lambda: peer.write(wire, note))  # noqa: B023  # called at once
            samples[peer.name].append(took)
    print(f"\nover stdio, {args.peer_notes:,} notes to each in turn")
    told: dict[str, dict[str, object]] = {}
    for peer in peers:
        wires[peer.name].close()
        taken = samples[peer.name][WARM:]
        rate = 1000 * len(taken) / sum(taken)
        print(f"{line(peer.name, taken)}   {rate:,.0f}/s")
        told[peer.name] = {
            **summary(taken),
            "per_second": round(rate, 1),
            "samples": rounded(taken),
        }
    return told


def bulk(
    args: argparse.Namespace, place: Path, mode: str, count: int, together: int
) -> dict[str, object]:
    """Long bodies as a hook archives them, a file each, so many in one transaction."""
    texts = [body.text for body in bodies(mode, count, args.characters, args.seed)]
    folder = place / f"bulk-{mode}"
    began = time.perf_counter()
    took, worked = written(
        folder, [span_draft(text) for text in texts], spans=True, together=together
    )
    seconds = time.perf_counter() - began
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    told = {
        "records": count,
        "together": together,
        "characters": args.characters,
        "seconds": round(seconds, 2),
        "processor_seconds": round(sum(worked) / 1000, 2),
        "seconds_for_10000": round(seconds * FULL / count, 1),
        "scaled": count != FULL,
        "text_mb": round(megabytes, 1),
        "mb_per_second": round(megabytes / seconds, 2),
        "wall": {**summary(took), "samples": rounded(took)},
        "bytes": sizes(folder),
    }
    mark = "" if count == FULL else f" (scaled: {told['seconds_for_10000']} s for {FULL:,})"
    print(f"  {mode:<6} {count:>6,} in {seconds:7.1f} s{mark}, {told['mb_per_second']} MB/s")
    print(f"         on disk {told['bytes']}")
    shutil.rmtree(folder)
    return told


def measure(args: argparse.Namespace, place: Path) -> dict[str, object]:
    """Run everything and hold it against the bar."""
    peers, missing = gather(args)
    result = environment(args, "write") | {"peers": described(peers, missing)}
    notes = notes_in_process(args, place)
    stdio = notes_over_stdio(args, peers, place)
    print(f"\nlong bodies, {args.characters:,} characters each")
    counts = dict(zip(MODES, args.bulk, strict=True))
    long = {
        mode: bulk(args, place, mode, count, args.together)
        for mode, count in counts.items()
        if count
    }
    alone = bulk(args, place, "x", args.alone, 1)
    print("\none insert transaction, three ways")
    rows = [(note.title, note.text) for note in Generator(args.seed + 2).notes(args.hops)]
    (place / "hops").mkdir()
    hops = compare(place / "hops", rows, args.hop_rounds, args.aiosqlite)
    print("\nbars")
    seconds = float(str(long["x"]["seconds_for_10000"])) if "x" in long else float("inf")
    bars = [
        verdict(f"{FULL:,} bodies of mode x, {args.together} together", seconds, BULK_SECONDS, "s")
    ]
    return result | {
        "notes": notes,
        "stdio": stdio,
        "long_bodies": long,
        "long_bodies_alone": alone,
        "transactions": hops,
        "bars": bars,
    }


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--notes", type=int, default=1_000)
    arguments.add_argument("--peer-notes", type=int, default=300)
    arguments.add_argument("--characters", type=int, default=40_000)
    arguments.add_argument(
        "--bulk",
        type=int,
        nargs=len(MODES),
        default=[FULL, 1_000, 1_000, 500],
        metavar=tuple(mode.upper() for mode in MODES),
        help="how many long bodies of each mode",
    )
    arguments.add_argument("--together", type=int, default=50, help="bodies in one transaction")
    arguments.add_argument("--alone", type=int, default=1_000, help="bodies written one by one")
    arguments.add_argument("--hops", type=int, default=2_000)
    arguments.add_argument("--hop-rounds", type=int, default=3)
    arguments.add_argument("--aiosqlite", type=Path, help="folder that holds aiosqlite")
    args = arguments.parse_args()
    with workplace(args.work) as place, tempfile.TemporaryDirectory(dir=place) as scratch:
        save(args, "write/write.json", measure(args, Path(scratch)))


if __name__ == "__main__":
    main()
