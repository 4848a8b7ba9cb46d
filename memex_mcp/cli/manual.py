"""``memex-mcp manual``: what an agent should know of memory, for its client and model."""

import argparse
import sys

from memex_manuals.clients import CLIENTS
from memex_manuals.core import LANGUAGES
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import render
from memex_mcp import settings
from memex_mcp.cli.common import add_root, put
from memex_mcp.profiles.reader import reader
from memex_mcp.text import tokens

EXAMPLE = "memex-mcp manual codex --language zh"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``manual``."""
    parser.add_argument(
        "client", choices=list(CLIENTS), metavar="CLIENT", help=f"one of {', '.join(CLIENTS)}"
    )
    parser.add_argument(
        "--model", metavar="NAME", default="", help="written for this model (default: by client)"
    )
    parser.add_argument("--language", choices=LANGUAGES, help="default: as the settings say")
    add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Print the manual."""
    who = reader(settings.load(args.root), args.client, args.model)
    language = args.language or who.language
    family = who.family if who.family in FAMILIES else "default"
    text = render(args.client, family, language, who.format.value)
    if args.json:
        told = {"client": args.client, "profile": who.name, "language": language}
        cost = tokens.estimate(text)
        put({**told, "format": who.format.value, "tokens": cost, "text": text})
    else:
        sys.stdout.write(text)
    return 0
