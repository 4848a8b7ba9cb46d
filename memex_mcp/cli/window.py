"""``memex-mcp window``: a page of context for one question."""

import argparse

from memex_mcp.cli import look
from memex_mcp.cli.common import add_place, between, catch_up, opened, put
from memex_mcp.retrieval.plain import plain
from memex_mcp.text import tokens

EXAMPLE = 'memex-mcp window "how do we deploy to staging" --max-tokens 1200'


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``window``."""
    parser.add_argument(
        "question",
        nargs="*",
        metavar="QUESTION",
        help="words and filters as for a search (default: what always counts)",
    )
    parser.add_argument(
        "--max-tokens",
        type=between(200, 20_000),
        default=2_000,
        metavar="N",
        help="budget of the whole page, 200 to 20000 (default: 2000)",
    )
    add_place(parser)


def run(args: argparse.Namespace) -> int:
    """Print the page as a model would read it; an empty one is an answer."""
    with opened(args) as (memory, caller):
        tokens.load_vocabulary(memory.settings.vocabulary)
        catch_up(memory)
        page = memory.window(" ".join(args.question), args.max_tokens, caller)
    if args.json:
        put(plain(page))
    else:
        look.show(page.text)
    return 0
