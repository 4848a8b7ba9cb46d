"""A transcript read a piece at a time, and what is no transcript at all."""

import os
from collections import Counter
from pathlib import Path

import pytest

from memex_mcp.capture import reading
from memex_mcp.errors import Unavailable
from tests.capture.made import CLIENTS, exchanges, write_session


@pytest.mark.parametrize("client", CLIENTS)
def test_pieces_give_what_the_whole_gives(tmp_path: Path, client: str) -> None:
    path = write_session(tmp_path, client, "11111111-2222-4333-8444-555555555555", exchanges(12))
    whole = reading.read(path, client)

    for size in (1, 2_000, 10_000_000):
        parts = list(reading.pieces(path, client, 0, size))
        assert len(parts) == 1 if size > 1_000_000 else len(parts) > 2
        assert tuple(turn for part in parts for turn in part.turns) == whole.turns
        assert sum((Counter(part.skipped) for part in parts), Counter()) == whole.skipped
        assert parts[-1].stop == whole.stop


def test_a_piece_is_at_hand_before_the_rest_is_read(tmp_path: Path) -> None:
    path = write_session(tmp_path, "claude", "s", exchanges(200, words=200))

    parts = reading.pieces(path, "claude", 0, 1)
    first = next(parts)
    os.truncate(path, first.turns[0].stop)

    assert len(first.turns) == 1
    assert sum(len(part.turns) for part in parts) < 199


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")
@pytest.mark.timeout(20)
def test_nothing_that_is_no_file_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)

    for path in (pipe, tmp_path, Path(os.devnull)):
        assert reading.last_answer(path, "claude") == ""
        with pytest.raises(Unavailable):
            reading.read(path, "claude")
