"""``list`` and ``open``."""

from pathlib import Path

from tests.cli.using import Run, expect_told
from tests.process import memex

PORT = "The staging database listens on port 5433."
NEW = "The staging database listens on port 6543."
RULE = "Never open the staging port by hand."


def test_a_listed_record_is_told_without_its_body_to_programs(run: Run) -> None:
    [record_id] = run("write", PORT, "--title", "Port of staging", "--tag", "ops").ids

    told = run("list", "--json").named(ID=record_id)

    [record] = told["records"]
    expected = {"id": "ID", "title": "Port of staging", "tags": ["ops"], "recorded_at": "TIME"}
    assert {name: record[name] for name in expected} == expected
    assert "body" not in record
    assert told.keys() == {"records"}


def test_the_list_shows_titles_and_marks_newest_first(run: Run) -> None:
    assert run("list").out == "Nothing is on record here.\n"
    old = run("write", PORT).ids[0]
    new = run("write", RULE, "--type", "constraint").ids[0]

    lines = run("list").out.splitlines()

    assert lines[0::2] == [RULE, PORT]
    assert lines[1].startswith(f"  {new} · constraint · untrusted · cli · 20")
    assert lines[3].startswith(f"  {old} · fact · untrusted · cli · 20")


def test_the_list_of_all_has_what_recall_leaves_out(run: Run) -> None:
    kept = run("write", RULE).ids
    aside = run("write", PORT).ids
    past = run("write", "Standup is at ten.", "--expires-at", "2020-01-01").ids
    run("set-status", *aside, "archived", "--reason", "tidy")

    assert run("list").ids == kept
    assert run("list", "--all").ids == [*past, *aside, *kept]
    assert f"{aside[0]} · fact · archived · " in run("list", "--all").out


def test_pages_of_the_list_join_without_a_gap(run: Run) -> None:
    written = [run("write", f"The heron ledger has page {number}.").ids[0] for number in range(5)]

    first = run("list", "--limit", "2", "--json").json
    second = run("list", "--limit", "2", "--cursor", first["next_cursor"], "--json").json
    third = run("list", "--limit", "2", "--cursor", second["next_cursor"], "--json").json

    seen = [record["id"] for page in (first, second, third) for record in page["records"]]
    assert seen == written[::-1]
    assert "next_cursor" not in third
    shown = run("list", "--limit", "2").out.splitlines()
    assert shown[-1] == f"More: memex-mcp list --cursor {first['next_cursor']}"
    expect_told(run("list", "--cursor", "nonsense"), "invalid")


def test_an_opened_record_shows_what_it_is_and_where_it_comes_from(run: Run) -> None:
    options = ("--alias", "pgstage", "--question", "Which port?", "--source", "ops.md:12")
    times = ("--valid-from", "2020-01-01", "--expires-at", "2020-01-02")
    [record_id] = run("write", PORT, "--title", "Port", *options, *times).ids

    lines = run("open", record_id.lower()).out.splitlines()

    assert lines[0] == "Port"
    assert lines[1].startswith(f"{record_id} · version 1 · fact · untrusted · cli · ")
    assert lines[1].endswith(" · expired")
    assert lines[2:] == [
        "also called  pgstage",
        "answers      Which port?",
        "source       ops.md:12",
        "true from    2020-01-01T00:00:00.000Z",
        "expires      2020-01-02T00:00:00.000Z",
        "",
        PORT,
    ]


def test_history_and_links_are_shown_and_every_version_opens(run: Run) -> None:
    [old] = run("write", PORT).ids
    run("write", NEW, "--id", old)
    [new] = run("write", "Staging has no port any more.", "--supersedes", old).ids

    shown = run("open", old).out

    assert "earlier versions  2; --revision 1 shows the first\n" in shown
    assert "earlier versions" not in run("open", new).out
    assert f"replaced by       {new}\n" in shown
    assert f"{new} supersedes this\n" in shown
    assert f"this supersedes {old}\n" in run("open", new).out
    assert shown.splitlines()[-3].startswith("version 1 · ")
    assert f"\n{PORT}\n" in run("open", old, "--revision", "1").out
    assert run("open", old, "--revision", "2", "--json").json["text"] == NEW
    expect_told(run("open", old, "--revision", "9"), "not_found")


def test_a_long_text_is_whole_and_in_pages_if_asked(run: Run) -> None:
    lines = [f"Line {number} of the heron ledger 部署." for number in range(150)]
    lines[77] = "Line 77 names the walrus."
    text = "\n".join(lines)
    [record_id] = memex("write", "-", typed=text).ids

    whole = run("open", record_id)
    page = run("open", record_id, "--max-tokens", "200", "--json").json
    pages = [page["text"]]
    while "next_cursor" in page:
        cursor = ("--cursor", page["next_cursor"])
        page = run("open", record_id, "--max-tokens", "200", *cursor, "--json").json
        pages.append(page["text"])
    middle = run("open", record_id, "--query", "walrus", "--max-tokens", "100")

    assert text in whole.out
    assert "More:" not in whole.out
    assert run("open", record_id, "--json").json["text"] == text
    assert len(pages) > 3
    assert "".join(pages) == text
    assert "walrus" in middle.out
    assert "Line 1 " not in middle.out
    assert f"\nMore: memex-mcp open {record_id} --cursor " in middle.out


def test_a_cursor_of_an_earlier_text_is_told(run: Run) -> None:
    text = "The heron ledger has many lines.\n" * 50
    [record_id] = run("write", text).ids
    cursor = run("open", record_id, "--max-tokens", "50", "--json").json["next_cursor"]

    assert run("open", record_id, "--cursor", cursor).code == 0
    run("write", text + "And one more.", "--id", record_id)

    expect_told(run("open", record_id, "--cursor", cursor), "stale_cursor")
    expect_told(run("open", record_id, "--cursor", "nonsense"), "invalid")


def test_an_edit_of_a_file_is_taken_in_and_a_bad_one_is_told(run: Run, root: Path) -> None:
    [edited], [broken] = run("write", PORT).ids, run("write", RULE).ids
    good, bad = next(root.rglob(f"{edited}.md")), next(root.rglob(f"{broken}.md"))
    good.write_text(good.read_text(encoding="utf-8").replace("5433.", "7777."), encoding="utf-8")
    bad.write_text("no front matter", encoding="utf-8")

    ran = run("search", "staging port 7777")

    assert ran.ids[0] == edited
    assert run("open", edited, "--json").json["author"] == "file"
    assert ran.err.startswith("note: records/")
    assert "quarantine/" in ran.err
    assert run("open", broken, "--json").json["text"] == RULE
    assert run("search", "staging").err == ""
