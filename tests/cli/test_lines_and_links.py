import json
from pathlib import Path

import pytest

from tests.cli.using import Run, expect_told

BODY = "The heron in `src/pool.py` is blue."


def written(run: Run, text: str) -> str:
    return str(json.loads(run("write", text, "--json").out)["id"])


def test_lines_are_printed_with_the_record_they_stand_in(run: Run) -> None:
    record_id = written(run, BODY)

    plain, none = run("grep", "heron in"), run("grep", "stork")
    told = json.loads(run("grep", "b[a-z]+e", "--regex", "--json").out)

    assert record_id in plain.out
    assert BODY in plain.out
    assert "line 1" in plain.out
    assert none.out == "No line on record matches.\n"
    assert (told["truncated"], [line["id"] for line in told["lines"]]) == (False, [record_id])


def test_the_next_page_of_lines_begins_where_the_first_one_ended(run: Run) -> None:
    ids = [written(run, f"Heron {n} is blue.") for n in range(3)]

    first = run("grep", "blue", "--limit", "2")
    cursor = first.out.rpartition("--cursor ")[2].strip()
    second = run("grep", "blue", "--limit", "2", "--cursor", cursor)

    assert [each in first.out for each in ids] == [False, True, True]
    assert [each in second.out for each in ids] == [True, False, False]


def test_a_link_is_stated_and_shown(run: Run) -> None:
    one, two = written(run, BODY), written(run, "Queues drain at night.")

    said = run("link", one.lower(), two, "--relation", "depends-on", "--weight", "0.4")
    told = json.loads(run("link", one, two, "--json").out)

    assert said.out == f"linked: {one} depends-on {two} (weight 0.4)\n"
    assert told == {"from_id": one, "to_id": two, "relation": "related", "weight": 0.7}
    assert f"depends-on {two}" in run("open", one).out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["grep", "(", "--regex"], "invalid"),
        (["grep", "x", "--cursor", "x"], "invalid"),
        (["link", "x", "y"], "invalid"),
        (["link", "0" * 26, "1" * 26], "not_found"),
    ],
)
def test_what_cannot_be_done_is_told(run: Run, arguments: list[str], code: str) -> None:
    expect_told(run(*arguments), code)


def test_outside_of_any_workspace_it_is_said_why_nothing_is_found(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(run, BODY)
    monkeypatch.chdir(Path("/"))

    assert "No line on record matches.\nThis is no workspace" in run("grep", "heron").out
