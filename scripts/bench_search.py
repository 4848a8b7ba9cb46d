"""How fast and how well a search finds what was written, as the store grows.

In process at 10,000 and 100,000 notes and at 10,000 bodies of 10,000 tokens; over stdio beside
the peers.  Questions are made of words of known records, so each has one right answer.

    python scripts/bench_search.py --server-memory DIR --basic-memory DIR
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
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
from bench_peers import Peer, described, gather
from bench_stores import Filled, agent, filled, note_draft, sizes, span_draft, workplace
from bench_text import Generator, Note, Probe, bodies

from memex_mcp.model.query import Query

WARM = 50
P50_MS, P95_MS, GROWTH = 5.0, 15.0, 3.0
KINDS = ("en", "zh", "identifier", "quoted", "no_match")


def in_process(store: Filled, probes: Sequence[Probe], repeat: int) -> dict[str, object]:
    """Ask every question of a warm store, ``repeat`` times over."""
    memory = store.open()
    caller = agent(memory, store.folder)
    for probe in probes[:WARM]:
        memory.search(Query(text=probe.text), caller)
    took: list[float] = []
    worked: list[float] = []
    found: list[list[str]] = []
    for _ in range(repeat):
        asked = [clocked(lambda: memory.search(Query(text=probe.text), caller)) for probe in probes]  # noqa: B023  # called at once
        found = [[hit.id for hit in answer.hits] for answer, _, _ in asked]
        took += [wall for _, wall, _ in asked]
        worked += [cpu for _, _, cpu in asked]
    status = memory.status(caller)
    memory.close()
    print(line("wall clock", took))
    print(line("processor time", worked))
    return {
        "wall": {**summary(took), "samples": rounded(took)},
        "processor": {**summary(worked), "samples": rounded(worked)},
        "processor_by_kind": by_kind(list(probes) * repeat, worked),
        "quality": graded(probes, found, lambda at: store.ids[at]),
        "filled": store.how,
        "bytes": sizes(store.folder),
        "tokens": sum(level.hot_tokens for level in status.levels),
        "token_method": status.token_method,
    }


def by_kind(probes: Sequence[Probe], samples: Sequence[float]) -> dict[str, object]:
    """The same figures for each kind of question."""
    told: dict[str, object] = {}
    for kind in KINDS:
        taken = [ms for probe, ms in zip(probes, samples, strict=True) if probe.kind == kind]
        if taken:
            print(line(f"  {kind}", taken))
            told[kind] = summary(taken)
    return told


def graded(
    probes: Sequence[Probe], found: Sequence[Sequence[str]], name: Callable[[int], str]
) -> dict[str, object]:
    """How often the known record came first, and among the first five, by kind of question."""
    told: dict[str, object] = {}
    for kind in ("all", *KINDS[:-1]):
        pairs = [
            (list(answer), name(probe.target))
            for probe, answer in zip(probes, found, strict=True)
            if probe.target is not None and kind in ("all", probe.kind)
        ]
        if pairs:
            told[kind] = {
                "asked": len(pairs),
                "hit_at_1": round(sum(a[:1] == [t] for a, t in pairs) / len(pairs), 3),
                "hit_at_5": round(sum(t in a[:5] for a, t in pairs) / len(pairs), 3),
            }
    nothing = [
        not answer for probe, answer in zip(probes, found, strict=True) if probe.target is None
    ]
    if nothing:
        told["no_match"] = {
            "asked": len(nothing),
            "left_empty": round(sum(nothing) / len(nothing), 3),
        }
    print(f"  {told.get('all')}  no match: {told.get('no_match')}")
    return told


def over_stdio(
    args: argparse.Namespace, peers: Sequence[Peer], notes: Sequence[Note], scratch: Path
) -> dict[str, dict[str, object]]:
    """The same questions to every server in turn; all targets lie in what everyone holds."""
    fewest = min(args.peer_records, args.basic_memory_records)
    made = Generator(args.seed + 1)
    probes = made.probes(notes[:fewest], args.peer_queries)
    wires = {peer.name: peer.start(scratch / f"peer-{n}") for n, peer in enumerate(peers)}
    names: dict[str, list[str]] = {}
    told: dict[str, dict[str, object]] = {}
    for peer in peers:
        wire = wires[peer.name]
        wire.initialize()
        held = notes[: fewest if peer.name == "basic-memory" else args.peer_records]
        print(f"  filling {peer.name} with {len(held):,} notes ...", flush=True)
        written = [timed(lambda: peer.write(wire, note)) for note in held]  # noqa: B023  # called at once
        names[peer.name] = [name for name, _ in written]
        told[peer.name] = {"records": len(held), "write": summary([ms for _, ms in written])}
    answers: dict[str, list[tuple[list[str], float]]] = {peer.name: [] for peer in peers}
    for turn, probe in enumerate(probes):
        first = turn % len(peers)
        for peer in (*peers[first:], *peers[:first]):
            wire = wires[peer.name]
            answers[peer.name].append(timed(lambda: peer.search(wire, probe.text)))  # noqa: B023  # called at once
    for peer in peers:
        wires[peer.name].close()
        taken = [ms for _, ms in answers[peer.name]]
        print(line(f"{peer.name}, {told[peer.name]['records']:,} notes", taken))
        told[peer.name] |= {"search": {**summary(taken), "samples": rounded(taken)}}
        if peer.name != "bare SDK server":
            found = [found for found, _ in answers[peer.name]]
            told[peer.name]["quality"] = graded(probes, found, names[peer.name].__getitem__)
    return told


def wall(row: dict[str, object], share: str) -> float:
    """A percentile of the wall clock."""
    taken = row["wall"]
    assert isinstance(taken, dict)
    return float(taken[share])


def notes_at(args: argparse.Namespace, place: Path, count: int) -> dict[str, object]:
    """A store of so many notes, filled through the product, then asked."""
    made = Generator(args.seed)
    notes = made.notes(count)
    store = filled(place, f"notes-{count}", [note_draft(note) for note in notes])
    print(f"\nin process, {count:,} notes, {args.queries} questions")
    probes = made.probes(notes, args.queries)
    row = in_process(store, probes, args.repeat)
    return row | {"records": count}


def spans_at(args: argparse.Namespace, place: Path, count: int) -> dict[str, object]:
    """Bodies of about 10,000 tokens each, as a hook archives them."""
    texts = bodies("prose", count, args.span_characters, args.seed)
    store = filled(place, f"spans-{count}", [span_draft(each.text) for each in texts], spans=True)
    print(f"\nin process, {count:,} bodies of {args.span_characters:,} characters")
    probes = Generator(args.seed + 1).probes([each.fact for each in texts], args.queries)
    row = in_process(store, probes, args.repeat)
    seconds = sum(store.samples) / 1000
    print(f"  written in {seconds:.1f} s")
    size = {
        "records": count,
        "characters": sum(len(each.text) for each in texts),
        "write_seconds": round(seconds, 1),
    }
    return row | size | {"write": summary(store.samples)}


def span_label(row: dict[str, object]) -> str:
    """How much the long bodies hold, as the product counts it."""
    return f"{row['records']:,} spans, {int(str(row['tokens'])) / 1e6:.0f} M tokens"


def measure(args: argparse.Namespace, place: Path, scratch: Path) -> dict[str, object]:
    """Run everything and hold it against the bars."""
    peers, missing = gather(args)
    result = environment(args, "search") | {"peers": described(peers, missing)}
    rows = {"notes": [notes_at(args, place, count) for count in args.sizes]}
    rows["spans"] = [spans_at(args, place, args.spans)] if args.spans else []
    print("\nover stdio, the same questions in turn")
    notes = Generator(args.seed).notes(args.peer_records)
    stdio = over_stdio(args, peers, notes, scratch)
    print("\nbars")
    bars = []
    smallest = rows["notes"][0]
    held = [(f"{smallest['records']:,} notes", smallest)]
    held += [(span_label(row), row) for row in rows["spans"]]
    for name, row in held:
        bars.append(verdict(f"search p50, {name}", wall(row, "p50"), P50_MS, "ms"))
        bars.append(verdict(f"search p95, {name}", wall(row, "p95"), P95_MS, "ms"))
    if len(rows["notes"]) > 1:
        ratio = wall(rows["notes"][-1], "p50") / wall(rows["notes"][0], "p50")
        bars.append(
            verdict("p50 at the largest store over that at the smallest", ratio, GROWTH, "x")
        )
    return result | {"in_process": rows, "stdio": stdio, "bars": bars}


def main() -> None:
    """Measure and write the raw file."""
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    arguments.add_argument("--spans", type=int, default=10_000)
    arguments.add_argument("--span-characters", type=int, default=64_000)
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--peer-records", type=int, default=2_000)
    arguments.add_argument("--basic-memory-records", type=int, default=500)
    arguments.add_argument("--peer-queries", type=int, default=200)
    args = arguments.parse_args()
    with workplace(args.work) as place, tempfile.TemporaryDirectory() as scratch:
        save(args, "search/search.json", measure(args, place, Path(scratch)))


if __name__ == "__main__":
    main()
