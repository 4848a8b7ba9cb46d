"""Stores that are missing, open to others, damaged, read-only or switched off."""

import sqlite3
from importlib import import_module
from pathlib import Path

import pytest

from memex_mcp.cli import COMMANDS, _module
from tests.cli.using import Run, expect_told, posix
from tests.frozen import frozen

PORT = "The staging database listens on port 5433."
READING = [("search", "staging"), ("list",), ("status",), ("tombstones",)]
WRITING = [
    ("write", PORT),
    ("set-status", "01M8P3BW606FGARXPKWD7Q9N59", "archived", "--reason", "tidy"),
]
EVERY = [*READING, *WRITING, ("open", "01M8P3BW606FGARXPKWD7Q9N59")]


@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: str(arguments[0]))
def test_a_missing_store_is_an_empty_one(run: Run, root: Path, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)

    assert (ran.code, ran.err) == (0, "")
    # Who asks how things are wants to look, not to begin.
    assert root.exists() == (arguments != ("status",))


def test_a_store_that_lost_its_database_is_not_called_empty(run: Run, root: Path) -> None:
    empty = run("status")
    run("write", PORT)
    for name in ("memex.db", "memex.db-wal", "memex.db-shm"):
        (root / name).unlink(missing_ok=True)

    assert (empty.code, "nothing on record" in empty.out) == (0, True)
    expect_told(run("status"), "damaged")


@posix
def test_a_store_open_to_others_is_told_and_closed_by_its_next_use(run: Run, root: Path) -> None:
    run("write", PORT)
    root.chmod(0o755)
    (root / "memex.db").chmod(0o644)

    told = run("doctor")
    run("list")

    assert told.code == 1
    assert "the store folder is open to others" in told.out
    assert (root.stat().st_mode & 0o777, (root / "memex.db").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


@pytest.mark.parametrize("arguments", EVERY, ids=lambda arguments: str(arguments[0]))
@pytest.mark.parametrize("spoiled", ["text", "pages", "newer", "folder"])
def test_a_store_that_cannot_be_read_is_told(
    run: Run, root: Path, arguments: tuple[str, ...], spoiled: str
) -> None:
    run("write", "The release branch is cut on Thursdays.")
    path = root / "memex.db"
    if spoiled == "text":
        path.write_bytes(b"this is no database" * 100)
    elif spoiled == "pages":
        path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096))
    elif spoiled == "newer":
        with sqlite3.connect(path) as db:
            db.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
        db.close()
    else:
        path.unlink()
        path.mkdir()

    ran, as_json = run(*arguments), run(*arguments, "--json")

    code = "damaged" if spoiled in ("text", "pages") else "unavailable"
    expect_told(ran, code)
    assert (as_json.code, as_json.json["error"]["code"], as_json.err) == (1, code, "")
    assert run("doctor").code == 1


def test_a_file_in_place_of_the_store_is_told(run: Run, root: Path) -> None:
    root.write_text("not a folder", encoding="utf-8")

    for arguments in EVERY:
        expect_told(run(*arguments), "invalid")
        expect_told(run(*arguments, "--root", str(root / "below")), "invalid")
    assert root.read_text(encoding="utf-8") == "not a folder"


@pytest.mark.parametrize("arguments", EVERY, ids=lambda arguments: str(arguments[0]))
def test_a_switched_off_memory_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    run("write", "The release branch is cut on Thursdays.")
    monkeypatch.setenv("MEMEX_DISABLED", "1")

    ran = run(*arguments)

    if arguments == ("status",):
        assert (ran.code, ran.err) == (0, "")
        assert "Memory is OFF: MEMEX_DISABLED is set.\n" in ran.out
        assert "1 active" in ran.out
        assert run("status", "--json").json["disabled"] == "MEMEX_DISABLED is set"
    else:
        expect_told(ran, "disabled")
        assert "MEMEX_DISABLED is set" in ran.err


def test_a_mistake_in_the_settings_is_told_with_its_name(run: Run, root: Path) -> None:
    run("write", PORT)
    (root / "config.toml").write_text("secretz = 'off'\n", encoding="utf-8")

    listed, status = run("list"), run("status")

    expect_told(listed, "disabled")
    assert "unknown key 'secretz'" in listed.err
    assert "unknown key 'secretz'" in " ".join(status.out.split())


@posix
def test_a_read_only_store_is_read_and_not_written(
    run: Run, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, project = public / "store", public / "project"
    project.mkdir()
    monkeypatch.setenv("MEMEX_HOME", str(root))
    monkeypatch.chdir(project)
    [record_id] = run("write", PORT).ids
    for name in COMMANDS:
        # Another user may not be able to read our libraries.
        import_module(f"memex_mcp.cli.{_module(name)}")
    with frozen(root):
        reads = [run(*arguments) for arguments in (*READING, ("open", record_id))]
        writes = [
            run("write", "The release branch is cut on Thursdays."),
            run("set-status", record_id, "archived", "--reason", "tidy"),
            run("rebuild", "--index"),
        ]

    assert [ran.code for ran in reads] == [0] * len(reads)
    assert {ran.ids[0] for ran in (reads[0], reads[1], reads[-1])} == {record_id}
    for ran in writes:
        expect_told(ran, "unavailable")
        assert "read-only" in ran.err
