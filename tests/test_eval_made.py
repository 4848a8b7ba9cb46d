"""What no public set holds shows on made ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
# The scripts import one another by their bare names, as they do when they are run.
MEASURE = """
import json, sys
import eval_ablate, eval_made
print(json.dumps(eval_made.measure(eval_ablate.chosen(sys.argv[2]), 7, (sys.argv[1],))))
"""


@pytest.mark.parametrize(
    ("name", "part", "cut"),
    [
        ("made-tags", "spread", "recall@5"),
        ("made-aliases", "asked", "mrr@10"),
        ("made-recent-notes", "recency", "mrr@10"),
        ("made-opened-once", "usage", "mrr@10"),
    ],
)
def test_a_made_set_shows_what_its_part_is_worth(name: str, part: str, cut: str) -> None:
    command = [sys.executable, "-c", MEASURE, name, part]
    done = subprocess.run(command, cwd=SCRIPTS, capture_output=True, encoding="utf-8", check=True)
    told = json.loads(done.stdout)[name]

    [without] = told["ablation"].values()
    assert told["systems"]["memex"]["all"][cut] > without["all"][cut]
