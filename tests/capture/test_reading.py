"""Files are read whole or bit by bit, and whatever is in them."""

import hashlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.capture import reading
from memex_mcp.capture.transcripts import raw
from memex_mcp.errors import Invalid, Unavailable
from memex_mcp.model.turn import Envelope, Turn
from tests.capture import made
from tests.capture.made import CLIENTS, Call, Exchange
from tests.capture.reader import whole, written

SESSION = "01234567-89ab-4cde-8f01-23456789abcd"
# What the others write shows for every line whether more belongs to its turn.
_SURE = ("claude", "qwen", "copilot")


def _texts() -> st.SearchStrategy[str]:
    plain = st.sampled_from(["run it", "为什么报错？", "ok", "again", "a\nb", '<b> & "c"', "é😀"])
    return plain | st.text(
        st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20
    ).filter(lambda text: any(map(str.isalnum, text)))


def _exchanges() -> st.SearchStrategy[list[Exchange]]:
    call = st.builds(
        Call, name=st.sampled_from(["Read", "Bash"]), path=st.just("a.py"), result=_texts()
    )
    turn = st.builds(
        Exchange,
        prompt=_texts(),
        answer=_texts(),
        calls=st.lists(call, max_size=3).map(tuple),
        injected=st.sampled_from(["", "recalled"]),
        compacted=st.booleans(),
        interrupted=st.booleans(),
        image=st.sampled_from([b"", b"\x89PNG"]),
    )
    return st.lists(turn, min_size=1, max_size=4)


def _bytes(client: str, turns: list[Exchange]) -> bytes:
    lines = made.session_lines(client, SESSION, turns)
    return "".join(f"{line}\n" for line in lines).encode()


def _envelopes(turns: list[Turn]) -> list[Envelope]:
    return [step.envelope for turn in turns for step in turn.steps]


def _as_captured(path: Path, data: bytes, client: str, cuts: list[int]) -> list[Turn]:
    """Closed turns as one gets them who reads on from the last of them while the file grows."""
    taken: list[Turn] = []
    mark = 0
    for cut in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:cut])
        for turn in reading.read(path, client, mark).turns:
            if turn.closed:
                taken.append(turn)
                mark = turn.stop
    return taken


@pytest.mark.parametrize("client", _SURE)
@settings(max_examples=40)
@given(data=st.data())
def test_reading_a_growing_file_bit_by_bit_gives_the_turns_of_the_whole(
    client: str, data: st.DataObject
) -> None:
    content = _bytes(client, data.draw(_exchanges()))
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=5))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        bit_by_bit = _as_captured(path, content, client, cuts)
        closed = [turn for turn in reading.read(path, client).turns if turn.closed]

    assert list(map(whole, bit_by_bit)) == list(map(whole, closed))


@pytest.mark.parametrize("client", CLIENTS)
@settings(max_examples=40)
@given(data=st.data())
def test_no_line_is_lost_or_taken_twice_wherever_reading_stopped(
    client: str, data: st.DataObject
) -> None:
    content = _bytes(client, data.draw(_exchanges()))
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=5))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        taken = _envelopes(_as_captured(path, content, client, cuts))
        turns = reading.read(path, client).turns
    lines = [each.start for each in _envelopes(list(turns))]
    closed = _envelopes([turn for turn in turns if turn.closed])
    assert [each.start for each in taken] == lines[: len(taken)]
    assert len(taken) >= len(closed)


@pytest.mark.parametrize("client", CLIENTS)
def test_where_a_client_fires_its_hook_reading_on_gives_the_turns_of_the_whole(
    tmp_path: Path, client: str
) -> None:
    turns = made.exchanges(12, seed=5)
    ends = [len(_bytes(client, turns[:number])) for number in range(1, len(turns))]
    path = tmp_path / "session.jsonl"
    content = _bytes(client, turns)

    bit_by_bit = _as_captured(path, content, client, ends)

    closed = [turn for turn in reading.read(path, client).turns if turn.closed]
    assert list(map(whole, bit_by_bit)) == list(map(whole, closed))
    assert len(closed) == 12


@pytest.mark.parametrize("client", CLIENTS)
@settings(max_examples=40)
@given(turns=_exchanges())
def test_every_line_is_in_a_turn_to_the_byte_or_counted(client: str, turns: list[Exchange]) -> None:
    content = _bytes(client, turns)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(content)
        read = reading.read(path, client)

    lines = _envelopes(list(read.turns))
    for line in lines:
        there = content[line.start : line.stop]
        assert line.data.encode("utf-8", "surrogateescape") == there
        assert line.sha256 == hashlib.sha256(there).hexdigest()
        assert content[line.stop : line.stop + 1] == b"\n"
    assert len(lines) + sum(read.skipped.values()) == content.count(b"\n")
    assert read.stop == len(content)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_made_session_is_read_as_it_was_said(tmp_path: Path, client: str) -> None:
    turns = made.exchanges(20, seed=2)
    path = made.write_session(tmp_path, client, SESSION, turns)

    read = reading.read(path, client)

    assert [turn.asked for turn in read.turns] == [turn.prompt for turn in turns]
    finished = [number for number, turn in enumerate(turns) if not turn.interrupted]
    assert [read.turns[number].answered for number in finished] == [
        turns[number].answer for number in finished
    ]
    assert (read.source.session_id, read.source.cwd) == (SESSION, made.CWD)
    assert reading.source(path, client) == read.source
    images = [bool(turn.image) for turn in turns]
    assert [any(step.attachments for step in turn.steps) for turn in read.turns] == images


@pytest.mark.parametrize("client", CLIENTS)
def test_reading_from_the_middle_knows_the_session_all_the_same(
    tmp_path: Path, client: str
) -> None:
    path = made.write_session(tmp_path, client, SESSION, made.exchanges(6, seed=1))
    everything = reading.read(path, client)

    rest = reading.read(path, client, everything.turns[2].stop)

    assert rest.source == everything.source
    assert list(map(whole, rest.turns)) == list(map(whole, everything.turns[3:]))


def _claude(prompt: str) -> str:
    return made.session_lines("claude", SESSION, [Exchange(prompt=prompt, answer="done")])[2]


def test_a_line_that_is_still_being_written_is_left_for_the_next_time(tmp_path: Path) -> None:
    first, second = _claude("one"), _claude("two")
    path = written(tmp_path, [first])
    with path.open("ab") as file:
        file.write(second.encode())

    read = reading.read(path, "claude")
    path.write_bytes(path.read_bytes() + b"\n")
    later = reading.read(path, "claude")

    assert [turn.asked for turn in read.turns] == ["one"]
    assert read.stop == len(first) + 1
    assert [turn.asked for turn in later.turns] == ["one", "two"]


@pytest.mark.parametrize(
    ("before", "asked", "skipped"),
    [
        pytest.param(b"", ["one"], {}, id="nothing"),
        pytest.param(b"\xef\xbb\xbf", ["one"], {}, id="byte order mark"),
        pytest.param(b"\0\0\0\0", ["one"], {}, id="zeros of a crash"),
        pytest.param(b"\n\r\n", ["one"], {}, id="empty lines"),
        pytest.param(b"not json\n[1]\n3\n", ["one"], {"unreadable": 3}, id="no objects"),
        pytest.param(b"\0\0\n", ["one"], {"unreadable": 1}, id="zeros alone"),
        pytest.param(
            b'{"type":"x","n":' + b"9" * 5000 + b"}\n", ["one"], {"unreadable": 1}, id="n"
        ),
        pytest.param(b"[" * 100_000 + b"\n", ["one"], {"unreadable": 1}, id="deep"),
        pytest.param(b'{"a":1}\n{"type":"new"}\n', ["one"], {"untyped": 1, "new": 1}, id="unknown"),
        pytest.param(b'{"type":"user","mess', ["one"], {"unreadable": 1}, id="cut in the middle"),
        pytest.param(b'{"type":"user","message":7}\n', ["", "one"], {}, id="wrong types"),
    ],
)
def test_whatever_stands_before_a_line_it_is_read(
    tmp_path: Path, before: bytes, asked: list[str], skipped: dict[str, int]
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(before + _claude("one").encode() + b"\n")

    read = reading.read(path, "claude")

    assert [turn.asked for turn in read.turns] == asked
    assert dict(read.skipped) == skipped


def test_bytes_that_are_no_text_are_kept_as_they_are(tmp_path: Path) -> None:
    line = _claude("one MARK").encode().replace(b"MARK", b"\xff\xfe")
    path = tmp_path / "session.jsonl"
    path.write_bytes(line + b"\n")

    (turn,) = reading.read(path, "claude").turns

    assert turn.asked == "one \ufffd\ufffd"
    assert turn.steps[0].envelope.data.encode("utf-8", "surrogateescape") == line


def test_a_line_of_a_hundred_megabytes_is_counted_and_the_next_one_read(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with path.open("wb") as file:
        file.write(b'{"uuid":"u","type":"user","text":"')
        for _ in range(100):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}\n' + _claude("one").encode() + b"\n")

    read = reading.read(path, "claude")

    assert [turn.asked for turn in read.turns] == ["one"]
    assert dict(read.skipped) == {raw.TOO_LONG: 1}


def test_an_empty_file_has_no_turns_and_a_missing_one_is_said_to_be_missing(
    tmp_path: Path,
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()

    read = reading.read(empty, "claude")
    with pytest.raises(Unavailable):
        reading.read(tmp_path / "none.jsonl", "claude")
    with pytest.raises(Unavailable):
        reading.source(tmp_path, "claude")
    with pytest.raises(Invalid):
        reading.read(empty, "emacs")

    assert (read.turns, read.stop, dict(read.skipped)) == ((), 0, {})
    assert read.source.session_id == "empty"
    assert reading.last_answer(tmp_path / "none.jsonl", "claude") == ""


@pytest.mark.parametrize("client", CLIENTS)
def test_the_last_answer_is_found_behind_much_that_is_none(tmp_path: Path, client: str) -> None:
    calls = (Call(name="Read", path="a", result="r" * 400_000),)
    turns = [
        Exchange(prompt="one", answer="not this", calls=calls),
        Exchange(prompt="two", answer="this one", calls=()),
        Exchange(prompt="three", calls=calls, interrupted=client != "gemini"),
    ]
    path = made.write_session(tmp_path, client, SESSION, turns[:2])
    answered = reading.last_answer(path, client)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "noise", "text": "x" * 300_000}) + "\n{half a li")

    assert answered == "this one"
    assert reading.last_answer(path, client) == "this one"
