"""``memex-mcp backfill``: archive the conversations that your clients have on disk."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from memex_mcp.backfill import Asked, Filled, Report
from memex_mcp.capture.places import CLIENTS, VARIABLES
from memex_mcp.cli import look
from memex_mcp.cli.common import add_root, put
from memex_mcp.errors import Invalid
from memex_mcp.memory import Memory
from memex_mcp.model.kinds import Scope
from memex_mcp.model.times import parse_time
from memex_mcp.retrieval.plain import plain
from memex_mcp.settings import environment, load

EXAMPLE = "memex-mcp backfill all --dry-run"

_LEVELS = {"l2": Scope.SESSION, "l3": Scope.WORKSPACE}
_SESSIONS = {"empty": "without a finished turn", "older": "older than --since"}
_TURNS = {
    "empty": "without words",
    "ignored": "kept out by .memexignore",
    "parked": "said while memory was off or read-only",
    "refused": "withdrawn",
    "secrets": "whose secrets cannot be masked",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``backfill``."""
    add = parser.add_argument
    add(
        "clients",
        nargs="*",
        type=_client,
        metavar="CLIENT",
        help=f"{', '.join(CLIENTS)} or all (default: all)",
    )
    add("--since", metavar="TIME", help="only sessions that went on after it, such as 2026-11-01")
    add("--dry-run", action="store_true", help="count only, change nothing")
    add(
        "--level",
        choices=[*_LEVELS],
        default="l3",
        help="where summaries of turns go: l2 keeps them to their session (default: l3)",
    )
    add("--home", metavar="DIR", type=Path, help="home folder to look in (default: yours)")
    add_root(parser)


def _client(name: str) -> str:
    # As ``choices`` argparse would look for the empty list of no clients among them.
    if name not in (*CLIENTS, "all"):
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(CLIENTS)} and all")
    return name


def run(args: argparse.Namespace) -> int:
    """Archive what is found and say what became of it."""
    home = args.home or Path.home()
    if not home.is_dir():
        raise Invalid("there is no such home folder", "Name an existing folder.")
    every = not args.clients or "all" in args.clients
    asked = Asked(
        clients=CLIENTS if every else tuple(dict.fromkeys(args.clients)),
        home=home.absolute(),
        # Where this user's clients are told to look says nothing of another home.
        elsewhere={} if args.home else environment(VARIABLES),
        since=parse_time(args.since, "--since") if args.since else None,
        checkpoints=_LEVELS[args.level],
    )
    memory = Memory(load(args.root))
    shown = _Shown(quiet=args.json)
    try:
        with memory.rehearsed() if args.dry_run else nullcontext(memory) as where:
            report = where.backfill.run(asked, shown.progress)
    except KeyboardInterrupt:
        shown.broken_off()
        raise
    finally:
        memory.close()
    if args.json:
        put({"total": plain(report.total), **plain(report)})
    else:
        _show(report, dry_run=args.dry_run)
    return 0


class _Shown:
    """How far it is, in one line on a terminal that is written over."""

    def __init__(self, *, quiet: bool) -> None:
        self._line = not quiet and look.is_terminal(sys.stderr)
        self._last: Report | None = None

    def progress(self, report: Report) -> None:
        self._last = report
        if not self._line:
            return
        total = report.total
        of = total.sessions + report.left
        share = total.sessions / of if of else 1
        bar = "#" * round(20 * share) + "." * (20 - round(20 * share))
        turns = look.counted(total.turns.new, "new turn")
        end = "" if report.left else "\n"
        line = f"[{bar}] {total.sessions:,} of {look.counted(of, 'session')}, {turns}"
        print(f"\r{line:<70}", end=end, file=sys.stderr, flush=True)

    def broken_off(self) -> None:
        """What was done stays done; the next run goes on from there."""
        if self._last is None:
            return
        total = self._last.total
        print(
            f"\nBroken off after {look.counted(total.sessions, 'session')} with"
            f" {look.counted(total.turns.new, 'new turn')}; run it again to go on.",
            file=sys.stderr,
        )


def _show(report: Report, *, dry_run: bool) -> None:
    total = report.total
    if not total.sessions:
        print("No conversations of these clients were found.")
        return
    did = "Would archive" if dry_run else "Archived"
    turns = look.counted(total.turns.new, "turn")
    print(f"{did} {turns} of {look.counted(total.new, 'session')}.")
    look.show_table([(client, _line(each)) for client, each in report.clients.items()])
    for what, counts, words in (
        ("sessions left out", total.left_out, _SESSIONS),
        ("turns left out", total.turns.skipped, _TURNS),
    ):
        if counts:
            told = (f"{number:,} {words.get(why, why)}" for why, number in counts.items())
            look.show(f"{what}: {', '.join(told)}")
    for client, days in report.days_kept.items():
        look.show(
            f"{client} deletes its conversations after {look.counted(days, 'day')}; what is"
            " archived here stays."
        )


def _line(filled: Filled) -> str:
    turns = filled.turns
    parts = [
        f"{look.counted(filled.sessions, 'session')}:"
        f" {filled.new:,} with new turns, {filled.known:,} known",
        f"{look.counted(turns.seen, 'turn')}: {turns.new:,} new, {turns.known:,} known",
    ]
    if turns.masked:
        parts.append(f"{look.counted(turns.masked, 'secret')} masked")
    if turns.refused:
        parts.append(f"{turns.refused:,} withdrawn")
    return "; ".join(parts)
