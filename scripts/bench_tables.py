"""Write docs/benchmarks.md from the raw files, so that no figure there is typed by hand.

python scripts/bench_tables.py
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bench_common import EVIDENCE, ROOT

Raw = Mapping[str, Any]
TARGET = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Written by `scripts/bench_tables.py` from the raw files under `docs/evidence/`; every sample is
there. Times are milliseconds unless a column says otherwise. Systems in one table were measured
in turn within one run on one machine, so that whatever else it did fell on all of them.

    python scripts/bench_start.py  --server-memory DIR --basic-memory DIR
    python scripts/bench_search.py --server-memory DIR --basic-memory DIR
    python scripts/bench_write.py  --server-memory DIR --basic-memory DIR --aiosqlite DIR
    python scripts/bench_hooks.py
    python scripts/bench_backfill.py

*bare SDK server* has one tool that echoes: what no server on the same SDK can go below.
*server-memory* is `@modelcontextprotocol/server-memory`, *basic-memory* the package of that name
with its word search; its vector search would download a model. Texts are generated from a seed.
"""


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are figures."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines) + "\n"


def figure(value: float | None, digits: int = 1) -> str:
    """A number as people read it."""
    return "–" if value is None else f"{value:,.{digits}f}"


def megabytes(count: float) -> str:
    """Bytes in MB."""
    return figure(count / 1e6)


def origin(raw: Raw) -> str:
    """Where and when a run took place, and how busy the machine was."""
    machine, commit = raw["machine"], raw["commit"]
    dirty = " with uncommitted changes" if commit["dirty"] else ""
    return (
        f"{raw['at']}, {machine['cpus']} × {machine['cpu']}, {machine['memory_mb'] // 1024} GB, "
        f"{machine['platform']}, Python {machine['python']}, SQLite {machine['sqlite']}; "
        f"commit {commit['head'][:10]}{dirty}; seed {raw['seed']}; load {raw['load_before'][0]} "
        f"before and {raw['load_after'][0]} after; a fixed piece of work took "
        f"{raw['calibration_before_ms']['p50']:.0f} ms before and "
        f"{raw['calibration_after_ms']['p50']:.0f} ms after.\n"
    )


def peers(raw: Raw) -> str:
    """Versions, and who did not run."""
    told = [f"{name}: {version}" for name, version in raw.get("peers", {}).items()]
    return "; ".join(told) + ".\n" if told else ""


def bars(raw: Raw) -> str:
    """Each bar and whether it was met."""
    rows = [
        (
            bar["name"],
            figure(bar["value"], 2),
            bar["bar"],
            bar["unit"],
            "yes" if bar["met"] else "**no**",
        )
        for bar in raw.get("bars") or raw["verdicts"]
    ]
    return table(("bar", "measured", "at most", "unit", "met"), rows)


def start(raw: Raw) -> str:
    """Waiting for the first answer, and memory."""
    rows = []
    for opening, told in raw["first_answer"].items():
        for name, taken in told.items():
            note = " (answers with an error)" if taken["error"] else ""
            rows.append(
                (f"{opening}, {name}{note}", figure(taken["p50"], 0), figure(taken["p95"], 0))
            )
    rows += [
        (f"`{name}`, whole process", figure(taken["p50"], 0), figure(taken["p95"], 0))
        for name, taken in raw["version"].items()
    ]
    resident = [
        (name, figure(weighed["idle_mb"]), figure(weighed["searched_mb"]))
        for name, weighed in raw["resident"].items()
    ]
    return "\n".join(
        (
            f"Cold process to first answer, {raw['runs']} runs each, our store holding"
            f" {raw['records']:,} records.\n",
            table(("", "p50", "p95"), rows),
            table(("resident MB", "idle", "after a search"), resident),
        )
    )


def quality(row: Raw) -> tuple[str, str, str]:
    """Hit@1 and hit@5 of the known record, and how often nothing was rightly found."""
    graded = row.get("quality", {})
    known, nothing = graded.get("all", {}), graded.get("no_match", {})
    shares = (known.get("hit_at_1"), known.get("hit_at_5"), nothing.get("left_empty"))
    one, five, empty = (("–" if share is None else f"{share:.1%}") for share in shares)
    return one, five, empty


def search(raw: Raw) -> str:
    """Latency and quality as the store grows, and beside the peers."""
    rows = []
    for name, held in raw["in_process"].items():
        for row in held:
            label = f"{row['records']:,} {name}"
            if "write_seconds" in row:
                label += f" ({row['tokens'] / 1e6:.0f} M tokens,"
                label += f" written in {row['write_seconds']:.0f} s)"
            times = (
                row[clock][share] for clock in ("wall", "processor") for share in ("p50", "p95")
            )
            rows.append((label, *(figure(each, 2) for each in times), *quality(row)))
    held = ("in process", "p50", "p95", "cpu p50", "cpu p95", "hit@1", "hit@5", "no match: empty")
    stdio = [
        (
            f"{name}, {row['records']:,} notes",
            figure(row["search"]["p50"], 2),
            figure(row["search"]["p95"], 2),
            *quality(row),
        )
        for name, row in raw["stdio"].items()
    ]
    columns = ("over stdio", "p50", "p95", "hit@1", "hit@5", "no match: empty")
    filled = "".join(
        f"The store of {row['records']:,} {name} was filled by {row['filled']}.\n"
        for name, each in raw["in_process"].items()
        for row in each
    )
    return f"{table(held, rows)}\n{filled}\n{table(columns, stdio)}"


def write(raw: Raw) -> str:
    """Notes, long bodies, and one transaction three ways."""
    notes = raw["notes"]
    rows = [
        (
            f"memex, in process ({notes['notes']:,} notes)",
            figure(notes["wall"]["p50"], 2),
            figure(notes["wall"]["p95"], 2),
            figure(notes["per_second"], 0),
        )
    ]
    rows += [
        (
            f"{name}, stdio",
            figure(row["p50"], 2),
            figure(row["p95"], 2),
            figure(row["per_second"], 0),
        )
        for name, row in raw["stdio"].items()
    ]
    long = [
        (
            f"{mode}, {row['records']:,} × {row['characters']:,} characters",
            figure(row["seconds"]),
            figure(row["processor_seconds"]),
            figure(row["seconds_for_10000"]) + (" (scaled)" if row["scaled"] else ""),
            figure(row["mb_per_second"], 2),
            megabytes(row["text_mb"] * 1e6),
            megabytes(row["bytes"]["database"]),
            megabytes(row["bytes"]["wal"]),
            megabytes(row["bytes"]["files"]),
        )
        for mode, row in raw["long_bodies"].items()
    ]
    ways = [
        (name, figure(row["p50"], 3), figure(row["p95"], 3), figure(1000 / row["p50"], 0))
        if isinstance(row, dict)
        else (f"{name}: {row}", "–", "–", "–")
        for name, row in raw["transactions"].items()
    ]
    columns = (
        "long bodies",
        "s",
        "cpu s",
        "s for 10,000",
        "MB/s",
        "text MB",
        "db MB",
        "wal MB",
        "files MB",
    )
    return "\n".join(
        (
            table(("one small note", "p50", "p95", "a second"), rows),
            table(columns, long),
            "One insert transaction of six statements and a look-up, from an async program:\n",
            table(("way", "p50", "p95", "a second at the median"), ways),
        )
    )


def hooks(raw: Raw) -> str:
    """Each event, from spawn to exit."""
    rows = [
        (name, figure(row["p50"]), figure(row["p95"]), f"{row['said']} of {raw['runs']}")
        for name, row in raw["events"].items()
    ]
    told = f"Whole processes beside a store of {raw['records']:,} records.\n"
    return f"{told}\n{table(('event', 'p50', 'p95', 'said something'), rows)}"


def backfill(raw: Raw) -> str:
    """What it took to archive a whole home, and to find nothing new in it."""
    home = raw["home"]
    rows = [
        (name, figure(run["seconds"]), figure(home["tokens"] / run["seconds"], 0), run["peak_mb"])
        for name, run in raw["runs"].items()
    ]
    told = (
        f"{home['sessions']:,} sessions of five clients, {home['turns']:,} turns, "
        f"{home['tokens']:,} tokens, {megabytes(home['bytes'])} MB of transcripts; the store "
        f"takes {megabytes(raw['store_bytes'])} MB.\n"
    )
    return f"{told}\n{table(('run', 's', 'tokens a second', 'peak MB'), rows)}"


PARTS = (
    ("start/start", "Start", start),
    ("search/search", "Search", search),
    ("write/write", "Write", write),
    ("hooks/hooks", "Hooks", hooks),
    ("capture/backfill", "Backfill", backfill),
)


def main() -> None:
    """Read what is there, write the page."""
    parts = [HEAD]
    for name, title, told in PARTS:
        path = EVIDENCE / f"{name}.json"
        parts.append(f"## {title}\n")
        if not path.exists():
            parts.append("Not run yet.\n")
            continue
        raw = json.loads(path.read_text(encoding="utf-8"))
        parts += [origin(raw), peers(raw), bars(raw), told(raw)]
    TARGET.write_text("\n".join(parts), encoding="utf-8")
    print(f"wrote {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
