"""Write docs/recall.md from the raw files, so that no figure there is typed by hand.

python scripts/eval_tables.py
python scripts/eval_tables.py --readme README.md
python scripts/eval_tables.py --halves DEVELOPMENT.json HELD_BACK.json
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench_common import EVIDENCE, ROOT
from bench_tables import Raw, figure, origin, table
from eval_data import MIXED
from eval_recorded import REFERENCE, closest, means, one, recorded

TARGET = ROOT / "docs" / "recall.md"
RAW = EVIDENCE / "recall"
MOST_SHRUNK = 0.03
MARKS = ("<!-- recall: written by scripts/eval_tables.py -->", "<!-- end of recall -->")
HEAD = """# Recall

Written by `scripts/eval_tables.py` from the raw files under `docs/evidence/recall/`. Public
question sets with labelled evidence, none of them part of this repository; nobody's model judges
anything. A cell holds any@5 / MRR@10 unless its column says otherwise: the share of questions
with some labelled evidence among the first five records, and one over the place of the first.

    python scripts/eval_recall.py --data DIR --work DIR
    python scripts/eval_recall.py --data DIR --work DIR --through stdio
    python scripts/eval_recall.py --data DIR --work DIR --ablate all --made
    python scripts/eval_recall.py --data DIR --work DIR --foreign 240
    python scripts/eval_feedback.py --data DIR --work DIR

*FTS5* is SQLite's BM25 with porter stems, and characters with their pairs for Chinese, asked in
turn with memex in the same process. *Nearest peer* is the recorded product that comes closest to
memex, and by how much memex is ahead on the questions which that peer was asked; *reference* is
a keyword design of the same benchmark. Both are in `peers.json` with date and versions.
"""


def pair(figures: Mapping[str, float] | None) -> str:
    """any@5 and MRR@10 in one cell."""
    return "–" if figures is None else f"{figures['any@5']:.3f} / {figures['mrr@10']:.3f}"


def nearest(name: str, row: Raw) -> str:
    """The peer that comes nearest at any@5 and at MRR@10, and the lead over each."""
    known = recorded(name, row["data"])
    told: list[str] = []
    for cut in ("any@5", "mrr@10"):
        near = closest(known, "peer", cut, row["systems"]["memex"]["places"])
        if near is not None:
            told.append(f"{near[0].name} {near[0].figures[cut]:.3f} ({near[1]:+.3f})")
    return " / ".join(told) or "–"


def main_table(raw: Raw) -> str:
    """Every set beside FTS5, the reference and the nearest peer; then the means."""
    rows: list[Sequence[object]] = []
    for name, row in raw["sets"].items():
        reference = one(recorded(name, row["data"]), REFERENCE)
        rows.append(
            (
                name,
                row["questions"],
                pair(row["systems"]["memex"]["all"]),
                pair(row["systems"]["fts5"]["all"]),
                pair(reference.figures if reference else None),
                nearest(name, row),
            )
        )
    mean = means(raw["sets"])
    cells = [pair(mean.get(name)) for name in ("memex", "fts5", REFERENCE)]
    rows.append(("**mean of the sets, mixtures left out**", "", *cells, ""))
    columns = ("set", "questions", "memex", "FTS5", "reference", "nearest peer, and our lead")
    return table(columns, rows)


def detail_table(raw: Raw) -> str:
    """All measures of memex and FTS5."""
    cuts = ("any@1", "any@5", "any@10", "recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10")
    rows = [
        (
            f"{name}, {system}",
            *(figure(told["all"][cut], 3) for cut in cuts),
            percent(told["empty"]),
        )
        for name, row in raw["sets"].items()
        for system, told in row["systems"].items()
    ]
    return table(("set, system", *cuts, "no hits"), rows)


def category_table(raw: Raw) -> str:
    """Every category of the sets that have several."""
    rows = []
    for name, row in raw["sets"].items():
        parts = row["systems"]["memex"]["categories"]
        if len(parts) < 2:
            continue
        plain = row["systems"]["fts5"]["categories"]
        for kind, told in parts.items():
            ours, theirs = ((each["recall@5"], each["mrr@10"]) for each in (told, plain[kind]))
            cells = (f"{a:.3f} / {b:.3f}" for a, b in (ours, theirs))
            rows.append((f"{name}, {kind}", told["n"], *cells))
    return table(("category, recall@5 / MRR@10", "questions", "memex", "FTS5"), rows)


def cost_table(raw: Raw) -> str:
    """What a search takes, and what an ordinary answer costs."""
    rows = []
    for name, row in raw["sets"].items():
        told, cost = row["systems"]["memex"], row.get("usual")
        wall, cpu = told["wall_ms"], told["processor_ms"] or {"p50": None, "p95": None}
        times = (figure(each, 2) for each in (wall["p50"], wall["p95"], cpu["p50"], cpu["p95"]))
        spent = ("–", "–", "–")
        if cost:
            held = cost["tokens"]
            spent = (figure(cost["hits"]), figure(held["p50"], 0), figure(held["p95"], 0))
        rows.append((name, figure(row["records"], 0), *times, *spent))
    columns = ("set", "records", "p50 ms", "p95 ms", "cpu p50", "cpu p95")
    return table((*columns, "hits, default limits", "tokens p50", "tokens p95"), rows)


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.1f} %"


def foreign_table(raw: Raw) -> str:
    """What is answered of what nothing answers, now and along the curve."""
    rows: list[Sequence[object]] = []
    for language, told in raw["languages"].items():
        now = told["now"]
        rows.append(
            (
                f"{language}, {told['asked']} questions: as it is",
                percent(now["answered"]),
                percent(now["lost"]),
            )
        )
        for point in told["curve"]:
            if round(point["evidence"] * 10) % 4 == 0:
                label = f"{language}: evidence {point['evidence']:.1f}"
                rows.append((label, percent(point["answered"]), percent(point["lost"])))
    return table(("floor", "foreign questions answered", "recall@5 lost"), rows)


def ablation_table(raw: Raw) -> str:
    """What is lost without each part: the mean over sets, and on how many sets it helps.

    What public sets cannot show stands in a table of its own: the made sets.
    """
    public = {name: row for name, row in raw["sets"].items() if not name.startswith(MIXED)}
    told = [_parts(public)]
    if made := raw.get("made"):
        told += ["On the sets that `scripts/eval_made.py` makes:\n", _parts(made)]
    return "\n".join(told)


def _parts(sets: Mapping[str, Raw]) -> str:
    rows = []
    for variant in next(iter(sets.values()))["ablation"]:
        cells: list[str] = [variant.removeprefix("without ")]
        for cut in ("recall@5", "mrr@10"):
            gains = [
                row["systems"]["memex"]["all"][cut] - row["ablation"][variant]["all"][cut]
                for row in sets.values()
            ]
            helped, hurt = sum(each > 0 for each in gains), sum(each < 0 for each in gains)
            cells += [f"{sum(gains) / len(gains):+.4f}", f"{helped} / {hurt}"]
        rows.append(cells)
    columns = ("part", "worth, recall@5", "sets better / worse", "worth, MRR@10")
    return table((*columns, "sets better / worse"), rows)


def halves(development: Raw, held_back: Raw) -> str:
    """Gains over FTS5 on both halves; one that shrinks by more than 3 points is marked."""
    rows = []
    for name, row in development["sets"].items():
        other = held_back["sets"].get(name)
        if other is None:
            continue
        cells: list[str] = [name]
        for cut in ("any@5", "recall@5", "mrr@10"):
            here, there = _gain(row, cut), _gain(other, cut)
            mark = " **shrinks**" if here - there > MOST_SHRUNK else ""
            cells.append(f"{here:+.3f} → {there:+.3f}{mark}")
        rows.append(cells)
    return table(("gain over FTS5", "any@5", "recall@5", "MRR@10"), rows)


def _gain(row: Raw, cut: str) -> float:
    systems = row["systems"]
    return float(systems["memex"]["all"][cut] - systems["fts5"]["all"][cut])


def feedback_table(raw: Raw) -> str:
    """Every question asked again with words of its first hits: what that would change."""
    rows = [
        [name, count, each["asked"], *(figure(each[cut], 3) for cut in ("r@1", "r@3", "mrr@10"))]
        for name, counts in raw["sets"].items()
        for count, each in counts.items()
    ]
    about = "Asked again with the rarest words of the three best hits; no search does so.\n"
    columns = ("set", "words added", "questions", "first", "among three", "MRR@10")
    return f"{about}\n{table(columns, rows)}"


def page(folder: Path) -> str:
    """The whole page, from the raw files in a folder."""
    parts = [HEAD]
    sections = (
        ("Beside others", "memory", (main_table, detail_table, category_table, cost_table)),
        ("Through the stdio server", "stdio", (main_table, cost_table)),
        ("What nothing on record answers", "foreign", (foreign_table,)),
        ("What each part is worth", "ablation", (ablation_table,)),
        ("What feedback would be worth", "feedback", (feedback_table,)),
    )
    for title, name, tables in sections:
        parts.append(f"## {title}\n")
        raw = read(folder / f"{name}.json")
        if raw is None:
            parts.append("Not run yet.\n")
            continue
        parts += [origin(raw), *(each(raw) for each in tables)]
    return "\n".join(parts)


def read(path: Path) -> Raw | None:
    """A raw file; None when it was not made yet."""
    if not path.exists():
        return None
    raw: Raw = json.loads(path.read_text(encoding="utf-8"))
    return raw


def into_readme(path: Path, folder: Path) -> None:
    """Put the main table between the two marks of a file.

    Raises:
        SystemExit: A mark is missing, or nothing was measured yet.
    """
    raw = read(folder / "memory.json")
    text = path.read_text(encoding="utf-8")
    begin, end = map(re.escape, MARKS)
    if raw is None or not re.search(f"{begin}.*{end}", text, re.DOTALL):
        raise SystemExit(
            f"run eval_recall.py first, and put {' and '.join(MARKS)} into {path.name}"
        )
    told = f"{MARKS[0]}\n{main_table(raw)}{MARKS[1]}"
    text = re.sub(f"{begin}.*{end}", lambda _: told, text, flags=re.DOTALL)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Read what is there, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", type=Path, help="also put the main table into this file")
    parser.add_argument("--halves", type=Path, nargs=2, help="only print gains on two halves")
    parser.add_argument("--raw", type=Path, default=RAW, help="folder of the raw files")
    parser.add_argument("--target", type=Path, default=TARGET)
    args = parser.parse_args()
    if args.halves:
        print(halves(*(json.loads(path.read_text(encoding="utf-8")) for path in args.halves)))
        return
    args.target.write_text(page(args.raw), encoding="utf-8")
    print(f"wrote {args.target.name}")
    if args.readme:
        into_readme(args.readme, args.raw)


if __name__ == "__main__":
    main()
