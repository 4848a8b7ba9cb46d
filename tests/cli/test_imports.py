import json
import subprocess
import sys

import pytest

from tests.card import card

HEAVY = ("anyio", "asyncio", "jieba", "mcp", "openai", "pydantic", "tiktoken")

CHECK = """
import json, sys
before = set(sys.modules)
{code}
loaded = sorted(name for name in {heavy!r} if name in set(sys.modules) - before)
print(json.dumps(loaded), file=sys.stderr)
"""


def loaded(code: str) -> list[str]:
    """Which heavy modules a piece of code loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK.format(code=code, heavy=HEAVY)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    names: list[str] = json.loads(done.stderr.splitlines()[-1])
    return names


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["search", "--help"], ["serch"]])
def test_asking_what_there_is_loads_nothing_heavy(arguments: list[str]) -> None:
    assert loaded(f"from memex_mcp.cli import main; main({arguments!r})") == []


@card("cli.lazy")
def test_the_command_itself_loads_nothing_heavy_and_the_server_does() -> None:
    assert loaded("import memex_mcp.cli") == []
    assert loaded("import memex_mcp.server.main") == ["anyio", "asyncio", "mcp", "pydantic"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "部署 release branch"],
        ["list"],
        ["write", "The release branch is cut on Thursdays."],
        ["rebuild", "--index"],
        ["open", "nope"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_commands_work_without_the_server_and_its_libraries(arguments: list[str]) -> None:
    assert loaded(f"from memex_mcp.cli import main; main({arguments!r})") == []


@pytest.mark.parametrize("name", ["status", "doctor"])
def test_what_tells_the_counter_may_load_the_counter_and_no_more(name: str) -> None:
    assert loaded(f"from memex_mcp.cli import main; main([{name!r}])") in ([], ["tiktoken"])
