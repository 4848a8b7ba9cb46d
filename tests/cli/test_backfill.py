import os
from pathlib import Path
from typing import Any

import pytest

from memex_mcp.capture.places import CLIENTS
from memex_mcp.memory import Memory
from memex_mcp.model.kinds import Kind, Scope
from tests.capture.homes import Exchange, add_turn, write_conversation
from tests.cli.using import Run, expect_told
from tests.using import rows
from tests.whole.using import tree

KEY = "ghp_" + "a1B2" * 9
PORT = Exchange("Which port does staging use?", "listen 6543", "Staging listens on port 6543.")
BRANCH = Exchange("When is the branch cut?", "cron: 4", "The release branch is cut on Thursdays.")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's home folder, not the test's own."""
    folder = tmp_path / "people"
    folder.mkdir()
    return folder


def fill(run: Run, home: Path, *arguments: str) -> Any:
    return run("backfill", *arguments, "--home", str(home), "--json").json


def counts(told: Any) -> dict[str, Any]:
    """Sessions and turns in one; what is zero or empty is left out."""
    turns = {f"turns_{name}": told["turns"][name] for name in ("seen", "new", "known")}
    more = {name: told["turns"][name] for name in ("masked", "refused", "skipped")}
    every = {**{name: told[name] for name in ("sessions", "new", "known", "left_out")}, **turns}
    return {name: value for name, value in {**every, **more}.items() if value}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_turn_becomes_evidence_with_its_own_time(
    run: Run, home: Path, project: Path, memory: Memory, client: str
) -> None:
    write_conversation(home, client, project, [PORT, BRANCH])

    told = fill(run, home, client)

    assert counts(told["total"]) == {"sessions": 1, "new": 1, "turns_seen": 2, "turns_new": 2}
    assert told["clients"].keys() == {client}
    with rows(memory) as db:
        kept = [
            tuple(row)
            for row in db.execute(
                "SELECT kind, scope, session_id, author, surface, client, trust, status"
                " FROM record ORDER BY kind, id"
            )
        ]
        days = {
            row[0] for row in db.execute("SELECT date(observed_at / 1000, 'unixepoch') FROM record")
        }
    whose = ("s-1", "derived", "import", client, "untrusted", "active")
    assert kept == [
        *[(Kind.CHECKPOINT, Scope.WORKSPACE, *whose)] * 2,
        *[(Kind.SPAN, Scope.SESSION, *whose)] * 2,
    ]
    assert days == {"2026-10-01"}


def test_the_first_search_answers_from_it(run: Run, home: Path, project: Path) -> None:
    write_conversation(home, "claude", project, [PORT, BRANCH])
    assert run("search", "staging port", "--json").json["hits"] == []

    fill(run, home)

    hits = run("search", "staging port", "--json").json["hits"]
    assert [hit["kind"] for hit in hits] == ["checkpoint"]
    private = run("search", "staging port", "--session", "s-1", "--json").json["hits"]
    assert {hit["kind"] for hit in private} == {"checkpoint", "span"}


def test_a_second_run_adds_nothing_and_a_turn_that_came_since_is_taken(
    run: Run, home: Path, project: Path, root: Path
) -> None:
    path = write_conversation(home, "claude", project, [PORT])
    fill(run, home)

    again = fill(run, home)
    add_turn(path, "claude", project, [PORT, BRANCH])
    more = fill(run, home)

    assert counts(again["total"]) == {"sessions": 1, "known": 1, "turns_seen": 1, "turns_known": 1}
    assert counts(more["total"]) == {
        "sessions": 1,
        "new": 1,
        "turns_seen": 2,
        "turns_new": 1,
        "turns_known": 1,
    }


def test_a_dry_run_counts_the_same_and_touches_nothing(
    run: Run, home: Path, project: Path, root: Path
) -> None:
    secret = Exchange("Which token?", f"TOKEN={KEY}", "It is in the file.")
    for number, client in enumerate(CLIENTS):
        write_conversation(home, client, project, [PORT, secret], session_id=f"s-{number}")
    first = fill(run, home, "--dry-run")
    assert not root.exists()
    assert fill(run, home) == first
    assert first["total"]["turns"]["masked"]
    write_conversation(home, "qwen", project, [BRANCH], session_id="s-9")
    before = tree(root)

    rehearsed = fill(run, home, "--dry-run")

    assert tree(root) == before
    assert rehearsed == fill(run, home)
    assert rehearsed["total"]["turns"]["new"] == 1


def test_secrets_are_masked_wherever_they_stand(
    run: Run, home: Path, project: Path, root: Path
) -> None:
    turns = [Exchange(f"Use {KEY}.", f"TOKEN={KEY}", f"Used {KEY}."), PORT]
    write_conversation(home, "claude", project, turns)

    told = fill(run, home)

    assert told["total"]["turns"]["masked"] >= 3
    data = [path.read_bytes() for path in root.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in each for each in data)
    assert any(b"6543" in each for each in data)


def test_what_is_left_out_is_counted_with_the_reason(
    run: Run, home: Path, project: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    write_conversation(home, "claude", project, [PORT], session_id="s-1")
    write_conversation(home, "claude", gone, [PORT], session_id="s-2")
    write_conversation(home, "codex", tmp_path / "home", [PORT], session_id="s-3")
    (tmp_path / "home").mkdir()
    nameless = home / ".qwen/projects/p/chats/s-4.jsonl"
    nameless.parent.mkdir(parents=True)
    nameless.write_text('{"type": "user"}\n', encoding="utf-8")
    old = home / ".gemini/tmp/p/chats/session-old.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}", encoding="utf-8")

    told = fill(run, home)

    assert told["total"]["sessions"] == 5
    assert told["total"]["left_out"] == {
        "another format": 1,
        "folder is gone": 1,
        "no folder named": 1,
        "no workspace": 1,
    }
    assert counts(told["clients"]["claude"]) == {
        "sessions": 2,
        "new": 1,
        "left_out": {"folder is gone": 1},
        "turns_seen": 1,
        "turns_new": 1,
    }


def test_a_conversation_without_a_closed_turn_is_empty(run: Run, home: Path, project: Path) -> None:
    path = write_conversation(home, "claude", project, [PORT])
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), encoding="utf-8")

    assert counts(fill(run, home)["total"]) == {"sessions": 1, "left_out": {"empty": 1}}
    path.write_text("".join(lines), encoding="utf-8")
    assert fill(run, home)["total"]["turns"]["new"] == 1


def test_since_leaves_out_what_ended_before(run: Run, home: Path, project: Path) -> None:
    write_conversation(home, "claude", project, [PORT])
    later = write_conversation(home, "claude", project, [BRANCH], session_id="s-2")
    os.utime(later, (1_800_000_000, 1_800_000_000))

    told = fill(run, home, "--since", "2027-01-01")

    assert counts(told["total"]) == {
        "sessions": 2,
        "new": 1,
        "left_out": {"older": 1},
        "turns_seen": 1,
        "turns_new": 1,
    }


def test_level_l2_keeps_everything_to_its_session(
    run: Run, home: Path, project: Path, memory: Memory
) -> None:
    write_conversation(home, "claude", project, [PORT])

    fill(run, home, "--level", "l2")

    with rows(memory) as db:
        kept = {tuple(row) for row in db.execute("SELECT kind, scope FROM record")}
    assert kept == {(Kind.CHECKPOINT, Scope.SESSION), (Kind.SPAN, Scope.SESSION)}


def test_what_the_workspace_keeps_out_is_left_out(run: Run, home: Path, project: Path) -> None:
    write_conversation(home, "claude", project, [PORT])
    (project / ".memexignore").write_text("*\n", encoding="utf-8")

    told = fill(run, home)

    assert told["total"]["turns"]["skipped"] == {"ignored": 1}
    assert told["total"]["turns"]["new"] == 0
    shown = run("backfill", "--home", str(home)).out
    assert "turns left out: 1 kept out by .memexignore\n" in shown
    older = run("backfill", "--home", str(home), "--since", "2099-01-01").out
    assert "sessions left out: 1 older than --since\n" in older


def test_a_client_that_is_none_is_wrong_usage_and_the_known_are_named(run: Run, home: Path) -> None:
    ran = run("backfill", "cursor", "--home", str(home))

    assert (ran.code, ran.out) == (2, "")
    assert "'cursor' is none of claude, codex, gemini, qwen, copilot and all\n" in ran.err
    assert run("backfill", "all", "--home", str(home)).code == 0


def test_memory_that_is_off_takes_nothing(run: Run, home: Path, project: Path) -> None:
    write_conversation(home, "claude", project, [PORT])
    run("mode", "off")

    assert fill(run, home)["total"]["left_out"] == {"memory is off there": 1}
    run("mode", "auto")
    run("off")
    expect_told(run("backfill", "--home", str(home)), "disabled")
    run("on")
    assert fill(run, home)["total"]["sessions"] == 1


def test_a_person_is_told_counts_and_what_a_client_deletes(
    run: Run, home: Path, project: Path
) -> None:
    write_conversation(home, "claude", project, [PORT, BRANCH])
    write_conversation(home, "codex", project, [PORT], session_id="s-2")

    ran = run("backfill", "--home", str(home))

    assert ran.out == (
        "Archived 3 turns of 2 sessions.\n"
        "claude  1 session: 1 with new turns, 0 known; 2 turns: 2 new, 0 known\n"
        "codex   1 session: 1 with new turns, 0 known; 1 turn: 1 new, 0 known\n"
        "claude deletes its conversations after 30 days; what is archived here stays.\n"
    )


def test_where_no_client_keeps_anything_that_is_told(run: Run, home: Path) -> None:
    assert run("backfill", "--home", str(home)).out == (
        "No conversations of these clients were found.\n"
    )


def test_without_a_home_the_environment_says_where_clients_are(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_conversation(tmp_path / "home", "claude", project, [PORT])
    moved = write_conversation(tmp_path / "else", "codex", project, [BRANCH], session_id="s-2")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "else" / ".codex"))
    assert moved.exists()

    told = run("backfill", "claude", "codex", "--json").json

    assert told["clients"].keys() == {"claude", "codex"}
    assert told["total"]["turns"]["new"] == 2


def test_a_home_or_a_client_that_is_none_is_told(run: Run, home: Path) -> None:
    expect_told(run("backfill", "--home", str(home / "nowhere")), "invalid")
    assert run("backfill", "emacs", "--home", str(home)).code == 2


def test_the_environment_can_forbid_every_archive(
    run: Run, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_conversation(home, "claude", project, [PORT])
    monkeypatch.setenv("MEMEX_MAX_LEVELS", "none")

    expect_told(run("backfill", "--home", str(home)), "denied")
    monkeypatch.delenv("MEMEX_MAX_LEVELS")
    assert fill(run, home)["total"]["turns"]["new"] == 1
