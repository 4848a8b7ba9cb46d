import json

from tests.cli.using import Run, expect_told, posix
from tests.process import at_terminal, memex


def test_the_server_answers_on_its_pipes_and_ends_with_them() -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        },
    }

    ran = memex("serve", typed=json.dumps(hello) + "\n")

    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["result"]["serverInfo"]["name"] == "memex"


@posix
def test_at_a_terminal_it_says_what_it_waits_for() -> None:
    ran = at_terminal("serve", typed="\x04")

    assert ran.code == 0
    assert "a client starts it. Ctrl-D ends it.\n" in ran.out


def test_a_tool_that_does_not_exist_is_told_before_anything_is_served(run: Run) -> None:
    ran = run("serve", "--tools", "memory_search,memory_sing")

    expect_told(ran, "invalid")
    assert "'memory_sing'" in ran.err
