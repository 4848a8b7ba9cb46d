"""``open --events``: what was captured, to the byte."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Author, Surface
from tests.process import COMMAND, at_terminal, memex
from tests.spoken import make_line, make_span, said

RAW = (
    said("Which port?").data.encode(),
    b'{"text": "caf\xe9 \\u0000", "n":  1}',
    '{"text": "水獺 \u202e"}'.encode(),
)


@pytest.fixture
def place(memory: Memory, agent: Caller, project: Path) -> list[str]:
    """Arguments that open the span."""
    hook = replace(agent, surface=Surface.HOOK, writes_as=Author.DERIVED)
    lines = tuple(make_line(raw, number) for number, raw in enumerate(RAW))
    span = memory.write(replace(make_span("Which port?"), events=lines), hook).id
    memory.close()
    root = str(memory.settings.home)
    where = ["--root", root, "--workspace", str(project), "--session", "s-a"]
    return ["open", span, *where, "--events"]


def test_a_program_gets_the_lines_to_the_byte(place: list[str]) -> None:
    done = subprocess.run([*COMMAND, *place], capture_output=True, check=True)

    assert done.stdout == b"".join(raw + b"\n" for raw in RAW)


def test_a_terminal_gets_nothing_that_it_would_obey(place: list[str]) -> None:
    ran = at_terminal(*place)

    assert ran.code == 0
    assert "Which port?" in ran.out
    assert "\u202e" not in ran.out


def test_what_is_known_of_the_lines_is_told_in_json(place: list[str]) -> None:
    told = memex(*place, "--json").json

    assert [line["sha256"] for line in told["events"]] == [make_line(raw).sha256 for raw in RAW]
    assert [line["masked"] for line in told["events"]] == [False] * 3
    assert json.loads(told["text"].splitlines()[0]) == json.loads(RAW[0])


def test_a_note_has_no_lines(memory: Memory, agent: Caller, project: Path) -> None:
    note = memex("write", "Otters swim.", "--root", str(memory.settings.home), cwd=project).ids[0]
    ran = memex("open", note, "--events", "--root", str(memory.settings.home), cwd=project)

    assert (ran.code, ran.out) == (0, "")
