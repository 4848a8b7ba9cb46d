"""What an evaluation says while it runs: a few lines for each set, then the means."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval_recorded import REFERENCE, closest, means, one, recorded

SHOWN = (
    "any@1",
    "any@5",
    "any@10",
    "all@10",
    "recall@1",
    "recall@5",
    "recall@10",
    "mrr@10",
    "ndcg@10",
)


def tell(row: Mapping[str, Any], peers: Path) -> None:
    """Print what one set came to."""
    systems = row["systems"]
    held = f"{row['records']} records, {row['questions']} questions"
    print(f"\n{row['set']}: {held}, filled in {row['seconds']['filling']} s")
    for name, each in systems.items():
        wall, cpu = each["wall_ms"], each["processor_ms"] or {"p50": "-", "p95": "-"}
        times = f"ms {wall['p50']} {wall['p95']} cpu {cpu['p50']} {cpu['p95']}"
        print(f"  {name:<26} {_line(each['all'])} empty {each['empty']:.3f} {times}")
    if "usual" in row:
        each = row["usual"]
        cost = f"{each['hits']} hits, {each['tokens']['p50']} tokens"
        print(f"  {'memex, default limits':<26} {_line(each['all'])} {cost}")
    for name, each in row.get("ablation", {}).items():
        base = systems["memex"]["all"]
        changes = (f"{cut} {each['all'][cut] - base[cut]:+.4f}" for cut in SHOWN)
        print(f"  {name:<26} {' '.join(changes)}")
    known = recorded(row["set"], row["data"], peers)
    reference = one(known, REFERENCE)
    if reference is not None:
        print(f"  {REFERENCE:<26} {_line(reference.figures)}")
    for cut in ("any@5", "mrr@10") if "memex" in systems else ():
        near = closest(known, "peer", cut, systems["memex"]["places"])
        if near is not None:
            peer, lead = near
            print(f"  {peer.name:<26} {cut} {peer.figures[cut]:.3f}, ours {lead:+.3f}")
    sys.stdout.flush()


def tell_means(rows: Mapping[str, Any], peers: Path) -> None:
    """Print the means over sets; mixtures of them do not count again."""
    for name, figures in means(rows, peers).items():
        print(f"mean over {figures['sets']:.0f} sets  {name:<14} {_line(figures)}")


def _line(figures: Mapping[str, float]) -> str:
    return " ".join(f"{cut} {figures[cut]:.3f}" for cut in SHOWN if cut in figures)
