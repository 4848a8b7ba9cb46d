from tests.card import card
from tests.cli.using import Run, expect_told

PORT = "The staging database listens on port 5433."
NEW = "The staging database listens on port 6543."
LONG = (
    "Deploys go through the gateway. " * 3 + "Ask the platform team before the heron script runs."
)


def test_a_hit_is_told_whole_to_programs(run: Run) -> None:
    [record_id] = run("write", PORT, "--alias", "pgstage", "--source", "ops.md:12").ids

    ran = run("search", "staging port", "--json")

    told = ran.named(ID=record_id)
    assert told["hits"][0].pop("score") > 0
    assert told == {
        "state": "ok",
        "hits": [
            {
                "id": "ID",
                "title": PORT,
                "snippet": PORT,
                "kind": "note",
                "type": "fact",
                "status": "active",
                "trust": "untrusted",
                "author": "agent",
                "client": "cli",
                "scope": "workspace",
                "level": "L3",
                "tier": "hot",
                "via": "lexical",
                "matched_in": "title",
                "recorded_at": "TIME",
                "valid_from": None,
                "valid_to": None,
                "source": "ops.md:12",
                "session": "other",
                "tokens": told["hits"][0]["tokens"],
                "expired": False,
            }
        ],
        "searched": {"hot": 1, "cold": 0},
        "skipped": [],
    }


def test_a_hit_shows_title_marks_and_what_the_title_leaves_out(run: Run) -> None:
    short = run("write", PORT).ids[0]
    long = run("write", LONG, "--title", "Before a deploy").ids[0]

    one, other = run("search", "staging", "port"), run("search", "heron script")

    lines = one.out.splitlines()
    assert lines[0] == f"1. {PORT}"
    assert lines[1].startswith(f"   {short} · fact · untrusted · cli · ")
    assert lines[2:] == [""]
    assert other.out.startswith("1. Before a deploy\n   ")
    assert "heron script runs." in other.out
    assert long in other.out


@card("recall.states")
def test_nothing_found_is_an_answer_and_says_why(run: Run) -> None:
    empty = run("search", "staging port")
    run("write", PORT)
    absent, filtered = run("search", "marketing budget"), run("search", "port", "--tag", "ops")
    found = run("search", "staging port")

    assert (empty.code, absent.code, filtered.code, found.code) == (0, 0, 0, 0)
    assert empty.out.startswith("Nothing is on record here yet.\n")
    assert absent.out.startswith("Nothing on record matches.\n")
    assert filtered.out.startswith("There are matches, but the filters hide every one.\n")
    assert "Without --tag there are matches.\n" in filtered.out
    assert PORT in found.out
    assert run("search", "marketing budget", "--json").json["state"] == "no_match"


def test_an_empty_question_is_told(run: Run) -> None:
    for words in ("", " "):
        expect_told(run("search", words), "invalid")


def test_what_was_replaced_shows_on_request_and_names_its_successor(run: Run) -> None:
    old = run("write", PORT).ids[0]
    new = run("write", NEW, "--supersedes", old).ids[0]

    plain = run("search", "staging port")
    asked = run("search", "staging port", "--include", "superseded")

    assert plain.ids == [new]
    assert f"{old} · fact · superseded · " in asked.out
    assert f"replaced by {new}" in " ".join(asked.out.split())


def test_what_hides_a_match_is_told_in_options_of_the_command(run: Run) -> None:
    old = run("write", PORT, "--tag", "ops").ids[0]
    run("write", "The gateway moved to Lisbon.", "--supersedes", old)
    narrow = ("--tag", "dev", "--kind", "span")

    hidden = run("search", "staging database port")
    narrowed = run("search", "gateway Lisbon", *narrow, "--json").json["hint"]

    assert "There are superseded matches; ask with --include superseded" in hidden.out
    assert run("search", "staging database port", "--include", "superseded").ids[0] == old
    assert narrowed == "Without --kind, --tag there are matches."


def test_filters_narrow(run: Run) -> None:
    about = ("--tag", "Ops", "--source", "src/db.py:4", "--valid-from", "2020-01-01")
    port = run("write", PORT, "--type", "fact", *about).ids
    rule = run("write", "Never open the staging port by hand.", "--type", "constraint").ids

    def found(*options: str) -> set[str]:
        return set(run("search", "staging port", *options).ids)

    assert found() == {*port, *rule}
    assert found("--type", "constraint") == {*rule}
    assert found("--type", "constraint", "--type", "fact") == {*port, *rule}
    assert found("--tag", "OPS") == {*port}
    assert found("--path", "src") == {*port}
    assert found("--kind", "span") == set()
    assert found("--scope", "session") == set()
    assert found("--as-of", "2001-01-01") == {*rule}
    assert found("--believed-at", "2001-01-01") == set()
    assert found("--variant", "database listens") == {*port, *rule}


def test_a_time_that_is_none_is_told(run: Run) -> None:
    run("write", PORT)

    expect_told(run("search", "port", "--as-of", "soon"), "invalid")
    expect_told(run("search", "port", "--believed-at", "soon"), "invalid")
    assert run("search", "port", "--as-of", "2999-01-01").ids


@card("recall.explained")
def test_an_explained_score_adds_up(run: Run) -> None:
    run("write", PORT)

    ran = run("search", "staging port", "--explain")
    [hit] = run("search", "staging port", "--explain", "--json").json["hits"]

    assert abs(sum(hit["parts"].values()) - hit["score"]) < 1e-9
    assert f"{hit['score']:.4f} = " in ran.out
    assert "matched in title" in " ".join(ran.out.split())


def test_pages_of_hits_join_without_a_gap(run: Run) -> None:
    written = {run("write", f"The heron ledger has page {number}.").ids[0] for number in range(5)}

    seen: list[str] = []
    cursor: list[str] = []
    while True:
        page = run("search", "heron ledger page", "--limit", "2", *cursor, "--json").json
        seen += [hit["id"] for hit in page["hits"]]
        if "next_cursor" not in page:
            break
        cursor = ["--cursor", page["next_cursor"]]

    assert sorted(seen) == sorted(written)
    shown = run("search", "heron ledger page", "--limit", "2")
    assert shown.out.splitlines()[-1].startswith("More: repeat it with --cursor ")
    expect_told(run("search", "another question", "--cursor", cursor[1]), "invalid")


def test_chinese_is_found_by_its_words(run: Run) -> None:
    text = "部署前必须先跑 make smoke，否则网关会拒绝新版本。"
    run("write", text)

    assert f"1. {text.rstrip('。')}" in run("search", "部署").out
    assert run("search", "数据库备份").out.startswith("Nothing on record matches.")
