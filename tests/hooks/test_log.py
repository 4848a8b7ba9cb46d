"""The log of the hooks: private, bounded, and no place for anybody's words."""

import os
import re
import stat
from pathlib import Path

import pytest

from memex_mcp.hooks import log


def lines(home: Path) -> list[str]:
    return (home / "logs" / "hooks.log").read_text(encoding="utf-8").splitlines()


def test_a_failure_is_one_line_of_facts(tmp_path: Path) -> None:
    log.note(tmp_path, {"event": "stop", "error": "Unavailable", "ms": 12})
    log.note(tmp_path, {"event": "stop", "at": "memex_mcp.store.lock:71"})

    first, second = lines(tmp_path)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ event=stop error=Unavailable ms=12", first
    )
    assert second.endswith(" event=stop at=memex_mcp.store.lock:71")


@pytest.mark.parametrize("value", ["my password is heron", "a\nb", "", "x" * 81, "端口 5433"])
def test_what_could_be_somebodys_words_is_not_told(tmp_path: Path, value: str) -> None:
    log.note(tmp_path, {"session": value, "client": "claude"})

    (line,) = lines(tmp_path)
    assert line.endswith(" session=? client=claude")


def test_the_log_is_private_and_does_not_grow_without_end(tmp_path: Path) -> None:
    for _ in range(3):
        log.note(tmp_path, {"event": "stop"})
        with (tmp_path / "logs" / "hooks.log").open("ab") as file:
            file.write(b"x" * 300_000 + b"\n")
    log.note(tmp_path, {"event": "session-end"})

    assert lines(tmp_path)[0].endswith(" event=session-end")
    files = {path.name: path.stat() for path in (tmp_path / "logs").iterdir()}
    assert files.keys() == {"hooks.log", "hooks.log.1"}
    assert all(found.st_size < 400_000 for found in files.values())
    if os.name != "nt":
        assert {stat.S_IMODE(found.st_mode) for found in files.values()} == {0o600}
        assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700


def test_a_store_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    log.note(tmp_path / "gone", {"event": "stop"})

    assert not (tmp_path / "gone").exists()


def test_a_log_that_cannot_be_written_is_gone_without(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder belongs", encoding="utf-8")

    log.note(tmp_path, {"event": "stop"})

    assert (tmp_path / "logs").read_text(encoding="utf-8") == "a file where the folder belongs"
