"""``memex-mcp doctor``: check the store; changes nothing."""

import argparse

from memex_mcp import settings
from memex_mcp.cli import look
from memex_mcp.cli.common import put
from memex_mcp.memory import Memory
from memex_mcp.retrieval.plain import plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``doctor``."""
    parser.add_argument("--root", metavar="DIR", help="store folder (default: MEMEX_HOME)")
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(args: argparse.Namespace) -> int:
    """Examine the store; exit code 1 when something is wrong."""
    memory = Memory(settings.load(args.root))
    findings = memory.examine()
    sound = all(finding.ok for finding in findings)
    if args.json:
        put({"ok": sound, "findings": [plain(finding) for finding in findings]})
        return 0 if sound else 1
    print(look.dim(str(memory.settings.home)))
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'BAD '} {finding.check:<12} {look.safe(finding.detail)}")
        if finding.fix and not finding.ok:
            print(f"     {'':<12} -> {finding.fix}")
    print("\nAll is well." if sound else "\nSomething needs attention.")
    return 0 if sound else 1
