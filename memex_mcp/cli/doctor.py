"""``memex-mcp doctor``: check the store; changes nothing."""

import argparse
from collections.abc import Mapping

from memex_mcp import settings
from memex_mcp.cli import clients, look
from memex_mcp.cli.columns import one_line, padded, wrap
from memex_mcp.cli.common import add_root, put
from memex_mcp.memory import Memory
from memex_mcp.retrieval.plain import plain
from memex_mcp.text import tokens

EXAMPLE = "memex-mcp doctor --json"

_INDENT = 18


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``doctor``."""
    parser.add_argument(
        "--clients", action="store_true", help="ask the clients that are here as well"
    )
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Examine the store; exit code 1 when something is wrong."""
    memory = Memory(settings.load(args.root))
    # The server counts exactly where it can: what is told here should be what it does.
    tokens.load_vocabulary(memory.settings.vocabulary)
    home, disabled = str(memory.settings.home), memory.settings.disabled
    findings = memory.examine()
    asked = clients.examined(args.root) if args.clients else {}
    sound = all(finding.ok for finding in findings) and not any(
        each.troubles for each in asked.values()
    )
    if args.json:
        told = [plain(finding) for finding in findings]
        by_name = {name: each.troubles for name, each in asked.items()}
        wired = {"clients": by_name} if args.clients else {}
        put({"ok": sound, "store": home, "disabled": disabled, "findings": told, **wired})
        return 0 if sound else 1
    look.show_dim(home)
    for finding in findings:
        _show("ok" if finding.ok else "BAD", finding.check, finding.detail)
        if finding.fix and not finding.ok:
            _show("", "", f"-> {finding.fix}")
    if args.clients:
        _show_clients(asked)
    if disabled:
        _show("OFF", "settings", disabled)
    print()
    if not sound:
        print(look.bold("Something needs attention."))
    elif disabled:
        print(look.bold("The store is sound, but memory is switched off."))
    else:
        print(look.bold("All is well."))
    return 0 if sound else 1


def _show_clients(asked: Mapping[str, clients.Examined]) -> None:
    for name, examined in asked.items():
        for trouble in examined.troubles:
            _show("BAD", name, trouble)
        if examined.fix:
            _show("", "", f"-> {examined.fix}")
        if not examined.troubles:
            _show("ok", name, "wired, and nothing wrong with it")
    if not asked:
        _show("ok", "clients", "none is wired")


def _show(verdict: str, check: str, detail: str) -> None:
    first, *rest = wrap(one_line(detail), look.width() - _INDENT)
    print(f"{verdict:<4} {padded(check, _INDENT - 5)}{first}")
    for line in rest:
        print(" " * _INDENT + line)
