"""kill -9 at every point of every kind of write, with a second process at work beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.card import card

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="fork and kill -9"),
    pytest.mark.timeout(180),
]


@card("write.atomic")
@pytest.mark.parametrize(
    ("operation", "points"),
    [
        ("create", 35),
        ("revise", 40),
        ("supersede", 45),
        ("reinforce", 20),
        ("propose", 35),
        ("retract", 30),
        ("restore", 30),
        ("refused", 8),
        ("edit", 50),
        ("edit-verified", 45),
        ("first-open", 80),
        ("migration", 12),
        ("capture", 70),
    ],
)
def test_a_killed_write_happened_whole_or_not_at_all(
    operation: str, points: int, tmp_path: Path
) -> None:
    told = kill_everywhere(operation, tmp_path)

    assert told["faults"] == []
    assert told["missed"] == []
    assert len(told["points"]) >= points
    # A migration leaves the records as they are, so its ends look alike.
    assert operation == "migration" or {*told["ends"]} == {"undone", "whole"}


def test_a_write_in_two_transactions_would_be_caught(tmp_path: Path) -> None:
    told = kill_everywhere("torn", tmp_path)

    torn = [fault for fault in told["faults"] if "neither whole nor undone" in fault]
    assert 0 < len(torn) < len(told["points"])
    assert all("audit -" in fault for fault in torn)


def kill_everywhere(operation: str, folder: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.whole.crash", operation, str(folder)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        timeout=170,
        check=True,
    )
    return json.loads(done.stdout)
