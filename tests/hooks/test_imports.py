"""What a hook may not load: it has a tenth of a second from its first to its last instruction."""

import json
import subprocess
import sys

import pytest

from tests.hooks.payloads import EVENTS
from tests.hooks.using import ARCHIVED, NOTE, Place

HEAVY = (
    "anyio",
    "argparse",
    "asyncio",
    "email",
    "gzip",
    "importlib.metadata",
    "importlib.resources",
    "jieba",
    "logging",
    "mcp",
    "numpy",
    "openai",
    "platformdirs",
    "pathspec",
    "pydantic",
    "random",
    "secrets",
    "shutil",
    "snowballstemmer",
    "statistics",
    "tempfile",
    "tiktoken",
    "traceback",
    "yaml",
)
# Of our own, what only other commands need.
OURS = ("backfill", "care", "embedding", "importing", "memory", "retrieval.window", "server")

CHECK = """
import json, os, sys
os._exit = sys.exit
# What measures coverage loads things of its own.
before = set(sys.modules)
from memex_mcp.cli import main
out = os.dup(1)
try:
    main(sys.argv[1:])
finally:
    os.write(out, b"\\n" + json.dumps(sorted(set(sys.modules) - before)).encode())
"""


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_loads_what_its_event_needs_and_nothing_heavy(place: Place, event: str) -> None:
    arguments = ["hook", event, "--client", "claude", "--root", str(place.root)]
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *arguments, "--timeout", "30"],
        input=place.payload("claude", event),
        capture_output=True,
        cwd=place.project,
        timeout=60,
        check=True,
    )
    said, _, told = done.stdout.decode("utf-8").rpartition("\n")
    loaded = set(json.loads(told))

    # It did all of its work.
    answered = event in ("session-start", "user-prompt-submit")
    assert (NOTE in said) == answered
    assert place.archived("claude") == ([] if event == "user-prompt-submit" else ARCHIVED)
    assert loaded.intersection(HEAVY) == set()
    assert loaded.intersection(f"memex_mcp.{name}" for name in OURS) == set()
    if event == "user-prompt-submit":
        assert loaded.intersection({"memex_mcp.gate", "memex_mcp.archive"}) == set()
    if event not in ("session-start", "user-prompt-submit"):
        assert loaded.intersection({"tomllib", "memex_manuals"}) == set()
        assert loaded.intersection({"memex_mcp.retrieval.recall", "memex_mcp.injection"}) == set()
