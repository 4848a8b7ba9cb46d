"""What of a client's files is ours, and who else changes them."""

from .shape import In

_pieces = In("adapters/memex_adapters/pieces.py")
_plan = In("adapters/memex_adapters/plan.py")
_wiring = In("memex_mcp/cli/wiring.py")
_launch = In("adapters/memex_adapters/launch.py")
_receipts = In("adapters/memex_adapters/receipts.py")
_unwiring = In("memex_mcp/cli/unwiring.py")

_SHARED = "tests/adapters/test_shared_manual.py::test_"
_ODD = "tests/cli/test_wiring.py::test_"
_ONE = f"{_SHARED}the_block_is_one_names_its_readers_and_goes_with_the_last"
_BELOW = f"{_SHARED}what_somebody_writes_below_a_shared_block_stays"

MUTATIONS = (
    _wiring(
        "wired.turns",
        "nullcontext() if args.dry_run else taking_turns(_home())",
        "nullcontext()",
        "two runs at once would lose a receipt",
        "tests/adapters/test_at_once.py::test_what_each_entered_is_there_and_goes_again",
    ),
    _launch(
        "wired.options",
        "for k, v in theirs.items() if k not in ours",
        "for k, v in theirs.items() if False",
        "a server that a person made read-only would write again",
        f"{_ODD}options_that_a_person_gave_the_server_stay",
    ),
    _unwiring(
        "wired.earlier",
        "in _earlier(Path(path), name, place):",
        "in ():",
        "a client would start what purge has removed",
        f"{_ODD}what_a_variable_named_once_is_told_and_goes_with_all",
    ),
    _pieces(
        "wired.common",
        "body = self.body if clients == (self.client,) else self.common or self.body",
        "body = self.body",
        "a client would read the names of another's tools",
        _ONE,
    ),
    _pieces(
        "wired.others",
        "if others else text_block.drop(text)",
        "if False else text_block.drop(text)",
        "the first client to go would take the manual of the others along",
        _ONE,
    ),
    _pieces(
        "wired.theirs",
        "if present is None or (present.clients and self.client not in present.clients):\n"
        "            return text",
        "if present is None:\n            return text",
        "a colleague's block would go with a client that shared another file",
        f"{_SHARED}a_client_takes_no_block_that_is_not_its_own",
    ),
    _plan(
        "wired.changed_install",
        "if receipt and was_changed and clients != (client,):",
        "if False:",
        "a block would come back with what somebody wrote around it",
        _BELOW,
    ),
    _plan(
        "wired.changed_remove",
        "left = left if was_changed else replace(left, after=digest(after))",
        "left = replace(left, after=digest(after))",
        "what somebody wrote into a shared file would be lost",
        _BELOW,
    ),
    _receipts(
        "wired.planned",
        "if planned is not None:",
        "if False:",
        "the block of the first client would come back when the last one goes",
        f"{_SHARED}what_goes_in_at_once_comes_out_to_the_last_byte",
    ),
    _plan(
        "wired.joins",
        "if block and piece.joins]",
        "if block]",
        "Zed would have its manual in a file that it does not read",
        f"{_SHARED}zed_shares_no_file_that_it_does_not_read",
    ),
)
