"""A purge takes what memex made, whatever happens meanwhile, and nothing else."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memex_mcp.errors import Damaged, Denied, Invalid, Unavailable
from memex_mcp.hooks import log
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.holdings import Counts
from memex_mcp.model.ids import new_id
from memex_mcp.model.kinds import Status
from memex_mcp.server.main import log_to
from memex_mcp.settings import Settings
from memex_mcp.store import purge
from memex_mcp.store.database import Database
from memex_mcp.store.lock import FileLock
from tests.card import card
from tests.make import make_draft
from tests.process import DEADLINE
from tests.using import PORT, edit

RECORD = f"{new_id()}.md"


@pytest.fixture
def home(memory: Memory, agent: Caller, person: Caller) -> Path:
    """A store that has one of everything, closed."""
    home = memory.settings.home
    written = memory.write(PORT, agent)
    memory.write(make_draft("The port moves on Mondays.", id=written.id), agent)
    gone = memory.write(make_draft("The release branch is cut on Fridays."), agent)
    memory.set_status(gone.id, Status.RETRACTED, person, reason="never")
    edit(memory, written.id, "Mondays", "Tuesdays")
    memory.refresh()
    [path] = (home / "records").rglob(f"{written.id}.md")
    path.with_name(f"{new_id()}.md").write_text("no record", encoding="utf-8")
    (home / "config.toml").write_text("disabled = false\n", encoding="utf-8")
    memory.rebuild_from_files()
    memory.close()
    log.note(home, {"event": "stop", "error": "OSError"})
    log_to(home)
    return home


def made() -> set[str]:
    return {
        *("README.md", "memex.db", "config.toml", "tombstones.jsonl", "lock"),
        *("records", "backups", "quarantine", "logs"),
    }


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@card("purge.own")
def test_all_that_a_store_got_in_its_life_is_counted_and_goes_with_its_folder(home: Path) -> None:
    before = below(home)
    assert {name for name in before if "/" not in name} == made()

    held = purge.holdings(home)

    assert held.counts == Counts(records={"note": 2}, workspaces=1, sessions=1)
    assert held.foreign == ()
    assert held.files == sum(1 for name in before if (home / name).is_file()) > 8
    assert held.bytes == sum(
        (home / name).lstat().st_size for name in before if (home / name).is_file()
    )
    assert below(home) == before
    purged = purge.remove(home)
    assert (purged.files, purged.failed, purged.foreign) == (held.files, (), ())
    assert not home.exists()


@card("purge.own")
def test_what_others_put_there_stays_and_is_named(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / RECORD).write_text("mine", encoding="utf-8")
    (home / "records" / "away").symlink_to(outside)
    (home / "logs" / "memex.log.1").symlink_to(outside / RECORD)
    (home / "mine").mkdir()
    (home / "mine" / RECORD).write_text("mine", encoding="utf-8")
    for name in ("notes.txt", "records/notes.md", "quarantine/mine.md", "backups/mine.db"):
        (home / name).write_text("mine", encoding="utf-8")
    (home / "README.md").write_text("# mine\n", encoding="utf-8")
    # What an editor leaves beside a record holds what the record said.
    (home / "records" / f".{RECORD}.swp").write_text("ours", encoding="utf-8")
    foreign = {
        *("README.md", "backups/mine.db", "logs/memex.log.1", "mine/", "notes.txt"),
        *("quarantine/mine.md", "records/away", "records/notes.md"),
    }
    assert set(purge.holdings(home).foreign) == foreign

    purged = purge.remove(home)

    assert (set(purged.foreign), purged.failed) == (foreign, ())
    assert below(home) == {
        *(name.rstrip("/") for name in foreign),
        *("backups", "logs", "quarantine", "records", f"mine/{RECORD}"),
    }
    assert (outside / RECORD).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["memex.db", "records", "backups", "quarantine"])
def test_memory_that_lies_behind_a_link_is_not_said_to_be_gone(
    home: Path, tmp_path: Path, name: str
) -> None:
    (home / name).rename(tmp_path / "elsewhere")
    (home / name).symlink_to(tmp_path / "elsewhere")
    before = below(tmp_path)

    for ask in (purge.holdings, purge.remove):
        with pytest.raises(Invalid, match=f"{name} in the store folder is a link"):
            ask(home)

    assert below(tmp_path) == before
    (home / name).unlink()
    (tmp_path / "elsewhere").rename(home / name)
    purge.remove(home)
    assert not home.exists()


def test_in_a_folder_that_is_no_store_nothing_is_ours(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "work"
    for name in ("logs/memex.log", "backups/before-rebuild-1.db", "config.toml", "README.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("mine", encoding="utf-8")
    before = below(project)

    assert purge.holdings(project).files == 0
    assert purge.remove(project).files == 0
    assert below(project) == before
    assert purge.remove(tmp_path / "nowhere").files == 0
    assert purge.remove(home).files > 8


def test_while_somebody_writes_nothing_goes(home: Path) -> None:
    before = below(home)

    with FileLock(home / "lock"), pytest.raises(Unavailable, match="another program"):
        purge.remove(home, timeout=0.0)

    assert below(home) == before
    purge.remove(home, timeout=0.0)
    assert not home.exists()


def test_a_database_that_nobody_can_read_goes_all_the_same(home: Path) -> None:
    (home / "memex.db").write_bytes(b"garbage" * 1000)

    held = purge.holdings(home)

    assert (held.counts, held.files > 8) == (None, True)
    purge.remove(home)
    assert not home.exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from memex_mcp.store import purge

left = int(sys.argv[2])

def watch(event, args):
    global left
    if event in ("os.remove", "os.rmdir"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
purge.remove(Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize("done", [0, 1, 9, -3, -2, -1])
def test_a_purge_that_was_killed_goes_on_and_no_store_begins_in_between(
    home: Path, done: int
) -> None:
    # Everything and the folder itself.
    steps = len(below(home)) + 1
    after = done if done >= 0 else steps + done
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(home), str(after)], timeout=DEADLINE, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert (home / "memex.db").exists() is (after == 0)
    if 0 < after < steps - 4:
        with pytest.raises(Damaged), Database(home).read():
            pytest.fail("it began anew")

    assert purge.remove(home).foreign == ()

    assert not home.exists()


def test_what_is_to_stay_stays(home: Path) -> None:
    (home / "clients").mkdir()
    (home / "clients" / "installed.json").write_text("{}", encoding="utf-8")
    assert purge.holdings(home).foreign == ()

    purged = purge.remove(home, keep=["clients"])

    assert (purged.failed, purged.foreign) == ((), ())
    assert below(home) == {"clients", "clients/installed.json"}
    assert purge.holdings(home).files == 0


@card("purge.person")
def test_only_a_person_purges_switched_off_or_not(
    home: Path, agent: Caller, person: Caller
) -> None:
    memory = Memory(Settings(home=home, disabled="config.toml says disabled = true"))
    before = below(home)

    for deed in (memory.check_purger, memory.purge):
        with pytest.raises(Denied, match="only a person removes the memory"):
            deed(agent)

    assert below(home) >= before
    memory.check_purger(person)
    assert memory.purge(person).files > 8
    assert not home.exists()
