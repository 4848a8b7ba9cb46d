"""What every benchmark shares: the machine, the statistics, the raw file.

A benchmark measures several systems in turn within one run, so that whatever else the
machine does falls on all of them alike.
"""

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import TypeVar

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "docs" / "evidence"
T = TypeVar("T")


def parser(about: str | None) -> argparse.ArgumentParser:
    """The arguments that every benchmark takes."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--seed", type=int, default=20_26)
    made.add_argument("--out", type=Path, help="raw JSON file (default: below docs/evidence)")
    made.add_argument(
        "--work",
        type=Path,
        help="folder for stores, kept and used again (default: a temporary one)",
    )
    made.add_argument(
        "--server-memory",
        type=Path,
        default=_folder("BENCH_SERVER_MEMORY"),
        help="folder in which npm installed the peer (or BENCH_SERVER_MEMORY)",
    )
    made.add_argument(
        "--basic-memory",
        type=Path,
        default=_folder("BENCH_BASIC_MEMORY"),
        help="virtual environment that holds the peer (or BENCH_BASIC_MEMORY)",
    )
    return made


def _folder(name: str) -> Path | None:
    value = os.environ.get(name)
    return Path(value) if value else None


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample at ``share`` of the way through the sorted list, between two interpolated."""
    ordered = sorted(samples)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Count, median, 95th percentile and extremes, in the unit of the samples."""
    return {
        "n": len(samples),
        "p50": round(median(samples), 3),
        "p95": round(percentile(samples, 0.95), 3),
        "min": round(min(samples), 3),
        "max": round(max(samples), 3),
    }


def line(name: str, samples: Sequence[float], unit: str = "ms") -> str:
    """One printed line: who, median and p95."""
    told = summary(samples)
    return f"  {name:<34} p50 {told['p50']:>10.2f} {unit}   p95 {told['p95']:>10.2f} {unit}"


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What ``work`` returns and how long it took, in milliseconds."""
    began = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - began) * 1000


def clocked(work: Callable[[], T]) -> tuple[T, float, float]:
    """What ``work`` returns, the milliseconds it took, and those it spent on the processor.

    Where the two differ, the process waited: for the disk, or because others had the processor.
    """
    began, worked = time.perf_counter(), time.process_time()
    result = work()
    return (
        result,
        (time.perf_counter() - began) * 1000,
        (time.process_time() - worked) * 1000,
    )


def rounded(samples: Sequence[float]) -> list[float]:
    """Samples as they go into the raw file: to the microsecond."""
    return [round(each, 3) for each in samples]


def environment(args: argparse.Namespace, about: str) -> dict[str, object]:
    """Where, when and on what the figures were taken."""
    return {
        "benchmark": about,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": args.seed,
        "machine": machine(),
        "load_before": load(),
        "calibration_before_ms": calibration(),
        "commit": commit(),
        "versions": versions(),
    }


def machine() -> dict[str, object]:
    """Platform, processor, memory, Python and SQLite."""
    return {
        "platform": platform.platform(),
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "memory_mb": _memory_mb(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def _proc(path: str, key: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
    for row in text.splitlines():
        name, _, value = row.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""


def _cpu_model() -> str:
    return _proc("/proc/cpuinfo", "model name") or platform.processor() or "unknown"


def _memory_mb() -> int | None:
    total = _proc("/proc/meminfo", "MemTotal")
    return int(total.split()[0]) // 1024 if total else None


def load() -> list[float] | None:
    """Load averages over 1, 5 and 15 minutes, where there are any."""
    return [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None


def calibration() -> dict[str, float]:
    """Milliseconds of a fixed piece of work, eleven times over.

    Two runs compare only as far as these figures do: a machine that others use shows here.
    """
    return summary([timed(_fixed_work)[1] for _ in range(11)])


def _fixed_work() -> int:
    counts: dict[str, int] = {}
    for number in range(60_000):
        key = f"w{number * 7919 % 4099}"
        counts[key] = counts.get(key, 0) + 1
    return max(counts.values())


def commit() -> dict[str, object]:
    """The commit that was measured, and whether the tree differs from it."""
    return {
        "head": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain", "--", "memex_mcp", "manuals")),
    }


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Versions of our own distribution and of what it runs on."""
    found = {}
    for name in ("memex-mcp-server", "mcp", "pydantic", "anyio", "pyyaml", "snowballstemmer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def resident_kb(pid: int) -> int | None:
    """Resident memory of a process in KiB; None where /proc does not tell."""
    value = _proc(f"/proc/{pid}/status", "VmRSS")
    return int(value.split()[0]) if value else None


def processor_ms(pid: int) -> float | None:
    """Milliseconds a running process spent on the processor, in steps of a clock tick."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    # The name in brackets may hold blanks; user and system time are the 12th and 13th after it.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def save(args: argparse.Namespace, default: str, result: dict[str, object]) -> Path:
    """Write the raw file and say where it lies."""
    result["load_after"] = load()
    result["calibration_after_ms"] = calibration()
    path: Path = args.out or EVIDENCE / default
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(result, ensure_ascii=False, indent=None, separators=(",", ":")) + "\n",
        encoding="utf-8",
    )
    print(f"raw figures: {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}")
    return path


def verdict(name: str, value: float, bar: float, unit: str) -> dict[str, object]:
    """Hold a figure against its bar, print and return both."""
    met = value <= bar
    print(f"  {'met   ' if met else 'MISSED'} {name}: {value:.2f} {unit} (bar {bar:g} {unit})")
    return {"name": name, "value": round(value, 3), "bar": bar, "unit": unit, "met": met}


def bare_env(home: Path) -> dict[str, str]:
    """An environment in which a server finds nothing of the user's."""
    kept = {
        key: os.environ[key] for key in ("PATH", "LANG", "SYSTEMROOT", "TEMP") if key in os.environ
    }
    return kept | {"HOME": str(home)}


def script(name: str) -> str:
    """Path of a command that was installed beside this Python."""
    suffix = ".exe" if sys.platform == "win32" else ""
    return str(Path(sys.executable).parent / f"{name}{suffix}")
