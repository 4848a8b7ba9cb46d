"""The evaluation of recall: its measures by hand, and a whole run on a set made here."""

import json
import subprocess
import sys
from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest

from scripts.eval_metrics import evenly, first_place, of_places, score

ROOT = Path(__file__).parents[1]
SPOKEN = (
    ("D1", "Ann: I adopted a grey parrot called Pico.", "S1"),
    ("D2", "Bob: Lovely, what does he eat?", "S1"),
    ("D3", "Ann: Mostly walnuts and mango.", "S1"),
    ("D4", "Bob: The kiln arrives on Friday.", "S2"),
    ("D5", "Bob: Ok!", "S2"),
    ("D6", "Bob: Ok!", "S3"),
)
NOTED = (
    ("N1", "黑塔图书馆的闭馆时间是晚上九点。", ""),
    ("N2", "青石桥的维修从三月开始。", ""),
)


@pytest.mark.parametrize(
    ("ranked", "gold", "expected"),
    [
        pytest.param(
            ["x", "a", "y"],
            [["a"]],
            {
                "any@1": 0,
                "any@5": 1,
                "recall@5": 1,
                "all@5": 1,
                "mrr@10": 0.5,
                "ndcg@10": 1 / log2(3),
            },
            id="second place",
        ),
        pytest.param(
            ["b", "x", "a"],
            [["a"], ["b"]],
            {
                "any@1": 1,
                "all@1": 0,
                "recall@1": 0.5,
                "recall@5": 1,
                "all@5": 1,
                "mrr@10": 1,
                "ndcg@10": (1 + 1 / log2(4)) / (1 + 1 / log2(3)),
            },
            id="two groups",
        ),
        pytest.param(
            ["a2", "a1", "x"],
            [["a1", "a2"], ["b"]],
            {"recall@1": 0.5, "recall@10": 0.5, "all@10": 0, "ndcg@10": 1 / (1 + 1 / log2(3))},
            id="a second record of the same group brings nothing",
        ),
        pytest.param(
            ["x", "both"],
            [["both", "a"], ["both", "b"]],
            {"recall@1": 0, "recall@5": 1, "all@5": 1, "mrr@10": 0.5},
            id="one record for two groups",
        ),
        pytest.param(
            [*"0123456789", "a"],
            [["a"]],
            {"any@10": 0, "recall@10": 0, "mrr@10": 0, "ndcg@10": 0},
            id="eleventh place is none",
        ),
        pytest.param(
            ["x", "x", "x", "x", "x", "a"],
            [["a"]],
            {"any@5": 1, "mrr@10": 0.5},
            id="what is named twice takes one place",
        ),
        pytest.param([], [["a"]], {"any@10": 0, "recall@10": 0, "ndcg@10": 0}, id="no answer"),
    ],
)
def test_measures_are_those_computed_by_hand(
    ranked: Sequence[str], gold: Sequence[Sequence[str]], expected: dict[str, float]
) -> None:
    told = score(ranked, gold)

    assert {name: told[name] for name in expected} == pytest.approx(expected)
    assert first_place(ranked, gold) == (round(1 / told["mrr@10"]) if told["mrr@10"] else 0)


def test_places_of_first_evidence_give_the_same_figures_as_whole_answers() -> None:
    answers = [["a"], ["x", "a"], ["x"] * 3, ["x", "y", "z", "u", "v", "a"]]
    scores = [score(each, [["a"]]) for each in answers]
    told = of_places([first_place(each, [["a"]]) for each in answers])

    for name, value in told.items():
        assert value == pytest.approx(sum(each[name] for each in scores) / len(scores))
    assert told == pytest.approx(
        {"any@1": 0.25, "any@5": 0.5, "any@10": 0.75, "mrr@10": 1.6667 / 4}, abs=1e-4
    )


def test_a_sample_is_evenly_spaced_and_everything_when_there_is_little() -> None:
    assert evenly(10, 4) == [0, 2, 5, 7]
    assert evenly(3, 4) == [0, 1, 2]


def lines(path: Path, rows: Sequence[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def question(number: int, text: str, *gold: list[str], kind: str = "one") -> dict[str, object]:
    return {"store": "s", "id": f"q{number}", "text": text, "gold": gold, "category": kind}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sets of one store each: talk with sessions and times, and Chinese notes."""
    top = tmp_path / "sets"
    times = {"S1": "2023-05-08T13:56", "S2": "2023-06-01T09:00", "S3": "2023-06-02T09:00"}
    for name, held in (("talk-turn", SPOKEN), ("notes-zh", NOTED)):
        records: list[dict[str, object]] = [
            {"store": "s", "id": i, "text": text, "session": at, "time": times.get(at, "")}
            for i, text, at in held
        ]
        lines(top / name / "records.jsonl", records)
    talk = [
        question(1, "Which parrot did Ann adopt, and does it eat walnuts?", ["D1"], ["D3"]),
        question(2, "When does the kiln arrive?", ["D4", "D5"], kind="two"),
        question(3, "Who repairs helicopters in Winterthur?", ["D2"], kind="two"),
    ]
    lines(top / "talk-turn" / "queries.jsonl", talk)
    lines(top / "notes-zh" / "queries.jsonl", [question(1, "黑塔图书馆几点闭馆？", ["N1"])])
    return top


def run(data: Path, out: Path, *more: str) -> tuple[str, dict[str, Any]]:
    command = [sys.executable, str(ROOT / "scripts" / "eval_recall.py"), "--data", str(data)]
    command += ["--out", str(out), "--work", str(out.parent / "stores"), *more]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return done.stdout, told


def test_a_run_grades_the_product_and_plain_bm25_and_takes_kept_stores(
    data: Path, tmp_path: Path
) -> None:
    said, told = run(data, tmp_path / "first.json", "--ablate", "recency,leg body")

    talk = told["sets"]["talk-turn"]
    ours = talk["systems"]["memex"]
    assert talk["filled"]["merged"] == 1
    assert ours["places"] == {"s": [1, 1, 0]}
    assert ours["all"]["recall@5"] == pytest.approx(2 / 3, abs=1e-4)
    assert ours["empty"] == pytest.approx(1 / 3, abs=1e-4)
    assert ours["categories"]["two"] | {"any@1": 0.5, "n": 2} == ours["categories"]["two"]
    assert set(talk["ablation"]) == {"without recency", "without leg body"}
    assert talk["usual"]["tokens"]["n"] == 3
    notes = told["sets"]["notes-zh"]
    assert (notes["language"], talk["language"]) == ("zh", "en")
    for system in ("memex", "fts5"):
        assert notes["systems"][system]["all"]["mrr@10"] == 1
    assert "mean over 2 sets  memex" in said
    marker = tmp_path / "stores" / "talk-turn" / "s" / "filled.json"
    kept = marker.stat().st_mtime_ns

    _, again = run(data, tmp_path / "again.json", "--through", "stdio", "--sets", "talk-turn")

    assert marker.stat().st_mtime_ns == kept
    over = again["sets"]["talk-turn"]["systems"]["memex"]
    assert (over["places"], over["all"]) == (ours["places"], ours["all"])


def test_foreign_questions_are_weighed_at_every_floor(data: Path, tmp_path: Path) -> None:
    other = [question(9, "Which harbour does the night ferry leave from?", ["H1"])]
    held: list[dict[str, object]] = [
        {"store": "s", "id": "H1", "text": "The night ferry leaves from the east harbour."}
    ]
    lines(data / "harbour-notes" / "queries.jsonl", other)
    lines(data / "harbour-notes" / "records.jsonl", held)

    _, told = run(data, tmp_path / "foreign.json", "--foreign", "4")

    english = told["languages"]["en"]
    assert english["asked"] == 3
    assert english["now"] == {"answered": 0.0, "lost": 0.0}
    curve = english["curve"]
    assert curve[0]["answered"] >= curve[-1]["answered"]
    assert curve[0]["lost"] <= curve[-1]["lost"]
    assert curve[-1]["lost"] > 0


def test_the_tables_are_made_of_the_raw_file_and_mark_a_gain_that_shrinks(
    data: Path, tmp_path: Path
) -> None:
    raw = tmp_path / "memory.json"
    _, told = run(data, raw, "--sets", "talk-turn", "--quick")
    systems = told["sets"]["talk-turn"]["systems"]
    held_back = tmp_path / "held_back.json"
    systems["fts5"]["all"]["any@5"] += 0.04
    held_back.write_text(json.dumps(told), encoding="utf-8")
    readme = tmp_path / "README.md"
    marks = ("<!-- recall: written by scripts/eval_tables.py -->", "<!-- end of recall -->")
    readme.write_text(f"Before.\n{marks[0]}\nold\n{marks[1]}\nAfter.\n", encoding="utf-8")

    page = tmp_path / "recall.md"
    tables("--raw", str(tmp_path), "--target", str(page), "--readme", str(readme))

    line = "| talk-turn | 3 | 0.667 / 0.667 |"
    assert line in page.read_text(encoding="utf-8")
    assert "## Through the stdio server\n\nNot run yet." in page.read_text(encoding="utf-8")
    whole = readme.read_text(encoding="utf-8")
    assert line in whole
    assert whole.startswith(f"Before.\n{marks[0]}\n| set")
    assert whole.endswith(f"{marks[1]}\nAfter.\n")
    assert "shrinks" not in tables("--halves", str(raw), str(raw))
    assert tables("--halves", str(raw), str(held_back)).count("**shrinks**") == 1


def tables(*arguments: str) -> str:
    command = [sys.executable, str(ROOT / "scripts" / "eval_tables.py"), *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
