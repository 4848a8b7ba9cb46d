"""Which entries are ours, and which words of one a person added."""

import pytest

from memex_adapters.launch import is_our_server, with_options


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/home/a b/bin/memex-mcp|serve", True),
        ("memex-mcp|serve|--readonly", True),
        ("C:\\bin\\memex-mcp.exe|serve", True),
        ("python3|-m|memex_mcp|serve", True),
        ("uvx|memex-mcp|serve", True),
        ("/usr/bin/uvx|--from|memex|memex-mcp|serve", True),
        ("uv|run|--with|memex|memex-mcp|serve|--levels|l3", True),
        ("uvx|other|serve|memex-mcp", False),
        ("uvx|memex-mcp", False),
        ("npx|memex-mcp|serve", False),
        ("/opt/memex-like|serve", False),
        ("memex-mcp|hook|stop", False),
        ("python3|-m|other|serve|-m|memex_mcp", False),
    ],
)
def test_an_entry_is_ours_by_what_it_starts(line: str, expected: bool) -> None:
    command, *arguments = line.split("|")

    assert is_our_server(command, arguments) is expected
    assert is_our_server([command, *arguments], None) is expected


@pytest.mark.parametrize(
    ("ours", "present", "expected"),
    [
        pytest.param("serve", "serve --readonly", "serve --readonly", id="added"),
        pytest.param(
            "serve --root /a", "serve --tools x,y --root /b", "serve --root /a --tools x,y",
            id="the store is ours to say",
        ),
        pytest.param("serve", "serve --root=/b --levels=l2", "serve --levels=l2", id="one word"),
        pytest.param("serve --model b", "serve --model a", "serve --model b", id="said anew"),
        pytest.param(
            "serve --root /a", "serve --readonly --root /a", "serve --readonly --root /a",
            id="the same in another order",
        ),
        pytest.param("serve", "-m memex_mcp serve --readonly", "serve --readonly", id="module"),
    ],
)  # fmt: skip
def test_options_of_an_earlier_entry_stay(ours: str, present: str, expected: str) -> None:
    assert with_options(ours.split(), present.split()) == expected.split()
