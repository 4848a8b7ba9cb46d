from tests.card import card
from tests.cli.using import Run, expect_told

PORT = "The staging database listens on port 5433."
RULE = "Never deploy on Fridays."


@card("window.states")
def test_the_page_is_printed_as_a_model_reads_it(run: Run) -> None:
    empty = run("window", "staging port")
    port = run("write", PORT).ids[0]
    rule = run("write", RULE, "--type", "constraint").ids[0]

    asked, alone = run("window", "staging", "port"), run("window")

    assert empty.out == "empty_archive: nothing is on record here yet.\n"
    assert asked.out.startswith("ok: 2 excerpts\n<memex-window nonce=")
    assert asked.ids == [rule, port]
    assert f"{PORT}\n</memex-window" in asked.out
    assert alone.ids == [rule]


def test_the_page_is_told_whole_to_programs(run: Run) -> None:
    [record_id] = run("write", PORT, "--source", "ops.md:12").ids

    ran = run("window", "staging port", "--json")

    told = ran.named(ID=record_id)
    assert told.pop("text").startswith("ok: 1 excerpts\n")
    assert 0 < told.pop("tokens") < 200
    assert told.pop("token_method")
    assert told == {
        "state": "ok",
        "excerpts": [
            {
                "id": "ID",
                "title": PORT,
                "text": PORT,
                "start": 0,
                "stop": len(PORT),
                "more": False,
                "why": "hit",
                "kind": "note",
                "type": "fact",
                "status": "active",
                "trust": "untrusted",
                "author": "agent",
                "client": "cli",
                "scope": "workspace",
                "source": "ops.md:12",
                "recorded_at": "TIME",
                "expired": False,
            }
        ],
        "left_out": 0,
        "skipped": [],
    }


@card("window.budget")
def test_the_budget_of_the_page_is_kept(run: Run) -> None:
    for n in range(12):
        run("write", f"The staging database of shard {n} listens on port {n}. " * 5)

    small = run("window", "staging port", "--max-tokens", "300", "--json").json
    large = run("window", "staging port", "--max-tokens", "3000", "--json").json

    assert small["tokens"] <= 300 < large["tokens"] <= 3_000
    assert 0 < len(small["excerpts"]) < len(large["excerpts"]) == 12
    assert small["left_out"] > 0
    assert run("window", "port", "--max-tokens", "199").code == 2


def test_filters_are_words_of_the_question_and_times_are_options_of_a_search(run: Run) -> None:
    port = run("write", PORT, "--tag", "ops").ids
    run("write", "The staging gateway has a port too.")

    assert set(run("search", "staging port").ids) > set(port)
    assert run("search", "staging port", "--after", "2020-01-01").ids
    assert not run("search", "staging port", "--before", "2020-01-01").ids
    expect_told(run("search", "port", "--before", "soon"), "invalid")
    expect_told(run("search", "port", "--after", "soon"), "invalid")
