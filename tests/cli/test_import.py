from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.using import Run, expect_told, posix
from tests.process import at_terminal, memex
from tests.whole.using import tree

GUIDE = """\
# CLAUDE.md

## Build

- Run `make lint` before a commit.
- Never push to main.

## Ports

Staging listens on 6543.
"""
KEY = "ghp_" + "a1B2" * 9
NOTHING = {"new": 0, "revised": 0, "known": 0, "refused": 0, "masked": 0, "gone": 0}


def guide(project: Path, text: str = GUIDE, name: str = "CLAUDE.md") -> Path:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def counts(told: dict[str, Any]) -> dict[str, int]:
    """What became of the statements; what is zero is left out."""
    return {name: told[name] for name in NOTHING if told[name]}


@pytest.fixture
def imports(run: Run) -> Callable[..., dict[str, int]]:
    def told(*arguments: str) -> dict[str, int]:
        return counts(run("import", *arguments, "--json").json)

    return told


def notes(run: Run) -> list[dict[str, Any]]:
    """Every note on record here, oldest first."""
    listed = run("list", "--all", "--json").json["records"]
    return [run("open", each["id"], "--json").json for each in reversed(listed)]


def stored(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


Imports = Callable[..., dict[str, int]]


def test_each_statement_becomes_a_candidate_that_names_file_and_line(
    run: Run, project: Path
) -> None:
    guide(project)

    ran = run("import", "CLAUDE.md")

    assert ran.code == 0
    assert "new    3" in ran.out
    found = [
        (each["text"], each["type"], each["source"], each["status"], each["author"], each["trust"])
        for each in notes(run)
    ]
    waiting = ("candidate", "file", "untrusted")
    assert sorted(found) == [
        ("Build: Never push to main.", "constraint", "CLAUDE.md:6", *waiting),
        ("Build: Run `make lint` before a commit.", "instruction", "CLAUDE.md:5", *waiting),
        ("Ports: Staging listens on 6543.", "fact", "CLAUDE.md:10", *waiting),
    ]


def test_a_candidate_is_not_recalled_and_a_note_of_the_same_words_is(
    run: Run, project: Path
) -> None:
    guide(project)
    run("import", "CLAUDE.md")
    assert run("search", "staging listens", "--json").json["hits"] == []

    run("write", "Staging listens on 7000.")

    assert len(run("search", "staging listens", "--json").json["hits"]) == 1


def test_a_second_import_changes_nothing(
    run: Run, imports: Imports, project: Path, root: Path
) -> None:
    guide(project)
    assert imports("CLAUDE.md") == {"new": 3}
    before = stored(root)

    assert imports("CLAUDE.md") == {"known": 3}

    assert stored(root) == before


def test_lines_that_move_are_known_and_a_line_that_changes_revises_its_note(
    run: Run, imports: Imports, project: Path
) -> None:
    guide(project)
    imports("CLAUDE.md")
    moved = GUIDE.replace("## Build\n", "Read this first.\n\n## Build\n\n- Keep commits small.\n")
    guide(project, moved.replace("on 6543", "on port 7000"))

    assert imports("CLAUDE.md") == {"new": 2, "revised": 1, "known": 2}

    (port,) = [each for each in notes(run) if "Staging" in each["text"]]
    assert port["text"] == "Ports: Staging listens on port 7000."
    assert (port["status"], port["revisions_total"]) == ("candidate", 2)


def test_a_line_that_is_gone_leaves_its_note_alone_and_is_counted(
    run: Run, imports: Imports, project: Path
) -> None:
    guide(project)
    imports("CLAUDE.md")
    guide(project, GUIDE.replace("- Never push to main.\n", ""))

    assert imports("CLAUDE.md") == {"known": 2, "gone": 1}
    assert len(notes(run)) == 3


def test_what_was_withdrawn_does_not_come_back(run: Run, imports: Imports, project: Path) -> None:
    guide(project)
    imports("CLAUDE.md")
    (record,) = [each for each in notes(run) if "Never" in each["text"]]
    run("set-status", record["id"], "retracted", "--reason", "not so")

    assert imports("CLAUDE.md") == {"known": 2, "refused": 1}


def test_secrets_are_masked_and_known_again(
    run: Run, imports: Imports, project: Path, root: Path
) -> None:
    guide(project, f"- The deploy token is {KEY}\n- The port is 6543.\n")

    assert imports("CLAUDE.md") == {"new": 2, "masked": 1}
    assert imports("CLAUDE.md") == {"known": 2}
    assert not any(KEY.encode() in data for data in stored(root).values())
    assert any(b"The port is 6543" in data for data in stored(root).values())


def test_a_dry_run_counts_the_same_and_touches_nothing(
    run: Run, imports: Imports, project: Path, root: Path
) -> None:
    guide(project)
    assert imports("CLAUDE.md", "--dry-run") == {"new": 3}
    assert not root.exists()
    imports("CLAUDE.md")
    guide(project, GUIDE.replace("6543", "7000"))
    before = tree(root)

    assert imports("CLAUDE.md", "--dry-run") == {"revised": 1, "known": 2}

    assert tree(root) == before


def test_a_folder_gives_its_markdown_and_nothing_that_is_hidden_or_foreign(
    run: Run, project: Path
) -> None:
    for name in ("docs/a.md", "docs/deep/b.MD", "docs/rules.mdc"):
        guide(project, f"- statement of {name}\n", name)
    for name in ("docs/.hidden/c.md", "docs/node_modules/d.md", "docs/e.txt", "docs/.f.md"):
        guide(project, f"- statement of {name}\n", name)

    told = run("import", "docs", "--json").json

    assert (told["files"], told["new"]) == (3, 3)
    assert {each["source"] for each in notes(run)} == {
        "docs/a.md:1",
        "docs/deep/b.MD:1",
        "docs/rules.mdc:1",
    }


def test_a_hidden_folder_that_is_named_is_taken(run: Run, project: Path) -> None:
    guide(project, "---\nalwaysApply: true\n---\n- Use tabs.\n", ".cursor/rules/style.mdc")

    told = run("import", ".cursor/rules", "--json").json

    assert (told["new"], told["left_out"]) == (1, {"front matter": 1})


def test_a_file_outside_is_named_from_the_home_folder(
    run: Run, project: Path, tmp_path: Path
) -> None:
    path = guide(tmp_path / "home", "- Answer in German.\n", ".claude/CLAUDE.md")

    run("import", str(path))

    assert [each["source"] for each in notes(run)] == ["~/.claude/CLAUDE.md:1"]


def test_what_cannot_be_read_or_is_ignored_is_counted(run: Run, project: Path) -> None:
    guide(project, "- kept\n", "docs/a.md")
    guide(project, "- private\n", "docs/private/b.md")
    guide(project, "docs/private/\n", ".memexignore")
    (project / "docs" / "latin.md").write_bytes(b"- caf\xe9\n")
    (project / "docs" / "huge.md").write_bytes(b"- x\n" * 600_000)

    told = run("import", "docs", "--json").json

    assert told["skipped"] == {"ignored": 1, "not UTF-8": 1, "too large": 1}
    assert [each["text"] for each in notes(run)] == ["kept"]


def test_the_same_statement_twice_is_one_note(imports: Imports, project: Path) -> None:
    guide(project, "- Use tabs.\n- Use tabs.\n", "A.md")
    guide(project, "- Use tabs.\n", "B.md")

    assert imports("A.md", "B.md") == {"new": 1, "known": 2}


def test_what_an_agent_wrote_before_is_known_and_not_counted_again(
    run: Run, imports: Imports, project: Path
) -> None:
    run("write", "Use tabs.")
    guide(project, "- Use tabs.\n- Use ruff.\n")

    assert imports("CLAUDE.md") == {"new": 1, "known": 1}
    assert [each["observations"] for each in notes(run)] == [1, 1]


@posix
def test_a_person_accepts_and_the_notes_count_at_once(
    run: Run, imports: Imports, project: Path, root: Path
) -> None:
    guide(project)
    imports("CLAUDE.md")
    place = ("--root", str(root), "--workspace", str(project))

    ran = at_terminal("import", str(project / "CLAUDE.md"), "--accept", *place)

    assert ran.code == 0, ran.out
    assert {(each["status"], each["trust"]) for each in notes(run)} == {("active", "verified")}
    assert len(notes(run)) == 3
    assert len(run("search", "staging listens", "--json").json["hits"]) == 1
    again = at_terminal("import", str(project / "CLAUDE.md"), "--accept", "--json", *place)
    assert counts(again.json) == {"known": 3}


def test_through_a_pipe_nobody_accepts(project: Path, root: Path) -> None:
    guide(project)

    ran = memex("import", str(project / "CLAUDE.md"), "--accept", "--root", str(root))

    expect_told(ran, "denied")
    assert not root.exists()


@posix
def test_a_verified_note_is_not_replaced_by_an_edit_of_the_file(
    run: Run, imports: Imports, project: Path, root: Path
) -> None:
    guide(project, "- Staging listens on 6543.\n")
    place = ("--root", str(root), "--workspace", str(project))
    at_terminal("import", str(project / "CLAUDE.md"), "--accept", *place)
    guide(project, "- Staging listens on 7000.\n")

    assert imports("CLAUDE.md") == {"revised": 1}
    assert imports("CLAUDE.md") == {"known": 1, "gone": 1}

    found = {each["text"]: each["status"] for each in notes(run)}
    assert found == {
        "Staging listens on 6543.": "active",
        "Staging listens on 7000.": "candidate",
    }


@pytest.mark.parametrize("switch", ["off", "mode"])
def test_memory_that_is_off_takes_nothing(run: Run, project: Path, switch: str) -> None:
    guide(project)
    run(*(["off"] if switch == "off" else ["mode", "off"]))

    assert run("import", "CLAUDE.md").code == 1
    run(*(["on"] if switch == "off" else ["mode", "auto"]))
    assert run("import", "CLAUDE.md").code == 0


def test_a_path_that_leads_nowhere_is_told(run: Run, root: Path) -> None:
    expect_told(run("import", "nowhere.md"), "invalid")


def test_without_a_workspace_nothing_is_imported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = guide(tmp_path / "home").parent
    monkeypatch.chdir(home)

    expect_told(run("import", "CLAUDE.md"), "denied")
    assert [path.name for path in home.iterdir()] == ["CLAUDE.md"]
