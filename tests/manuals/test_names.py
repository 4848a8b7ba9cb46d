"""Whatever a manual names exists: tools, arguments, values, commands, and the shape of a hit."""

import argparse
import ast
import re
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from memex_manuals.clients import CLIENTS
from memex_manuals.core import LANGUAGES, sections
from memex_manuals.families import FAMILIES
from memex_manuals.rendering import render
from memex_mcp.cli import COMMANDS, _module
from memex_mcp.memory import Memory
from memex_mcp.model.kinds import Author, Kind, NoteType, Scope, State, Status, Tier, Trust
from memex_mcp.model.query import Hit
from memex_mcp.retrieval.render import hit_block
from memex_mcp.server.arguments import Include, Target
from tests.card import card
from tests.server.using import connect

VALUES = {str(one) for kind in (NoteType, Scope, State, Status, Trust) for one in kind}
# What clients call their own tools, and how Codex calls the namespace of ours.
THEIRS = {"ToolSearch", "tool_search", "tool_call", "mcp__memex"}
_CALL = re.compile(r"^(memory_\w+)\((.*)\)$")


def everything(form: str = "markdown") -> list[str]:
    return [
        render(client, family, language, form)  # type: ignore[arg-type]  # one of the three
        for client in CLIENTS
        for family in FAMILIES
        for language in LANGUAGES
    ]


async def offered(memory: Memory, project: Path) -> dict[str, set[str]]:
    """Every tool that a server offers by default, with its arguments."""
    async with connect(memory, project) as client:
        tools = (await client.list_tools()).tools
    return {tool.name: set(tool.input_schema["properties"]) for tool in tools}


@card("manual.true")
async def test_every_name_in_a_manual_is_one_of_ours_or_of_the_client(
    memory: Memory, project: Path
) -> None:
    tools = await offered(memory, project)
    shown = {client.shown.format(tool) for client in CLIENTS.values() for tool in tools}
    arguments = {each for names in tools.values() for each in names}
    commands = {f"memex-mcp {name}" for name in COMMANDS}

    named = {name for text in everything() for name in re.findall(r"`([^`\n]+)`", text)}
    bare = {name for text in everything("plain") for name in re.findall(r"\bmemory_\w+", text)}

    assert named <= {*tools, *shown, *arguments, *VALUES, *THEIRS, *commands}
    assert named >= {"variants", "aliases", "supersedes", "untrusted", "disputed", "no_match"}
    assert bare == set(tools)


async def test_every_call_in_an_example_is_one_that_the_tool_takes(
    memory: Memory, project: Path
) -> None:
    tools = await offered(memory, project)
    called = set()
    for language in LANGUAGES:
        for line in (line for section in sections(language) for line in section.lines):
            if found := _CALL.match(line.text):
                [call] = (n for n in ast.walk(ast.parse(line.text)) if isinstance(n, ast.Call))
                given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
                assert not call.args
                assert given.keys() <= tools[found[1]]
                async with connect(memory, project) as client:
                    answer = await client.call_tool(found[1], given)
                assert not answer.is_error
                called.add(found[1])

    assert called == {"memory_search", "memory_write"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hit_looks_as_the_manual_shows_it(language: str) -> None:
    [section] = [section for section in sections(language) if section.key == "hits"]
    shown = [line.text for line in section.lines if line.example]
    title, snippet = shown[0].split(" ", 2)[2], shown[2].strip()
    hit = Hit(
        id="01KB7Q4M7T3V5W6X8Y9Z0A1B2C",
        title=title,
        snippet=snippet,
        kind=Kind.NOTE,
        type=NoteType.FACT,
        status=Status.ACTIVE,
        trust=Trust.UNTRUSTED,
        author=Author.AGENT,
        scope=Scope.WORKSPACE,
        level=None,
        tier=Tier.HOT,
        score=1.0,
        via="lexical",
        matched_in="body",
        recorded_at=datetime(2026, 11, 30, tzinfo=UTC),
        valid_from=None,
        valid_to=None,
        source="",
        session="other",
        tokens=9,
        client="codex",
    )

    assert shown == hit_block(1, hit).splitlines()


def test_every_command_in_a_manual_takes_its_arguments() -> None:
    named = {
        tuple(call.split()[1:])
        for text in everything()
        for call in re.findall(r"`(memex-mcp [^`\n]+)`", text)
    }

    assert named
    for name, *options in named:
        parser = argparse.ArgumentParser(add_help=False)
        import_module(f"memex_mcp.cli.{_module(name)}").configure(parser)
        assert all(option in parser.format_help() for option in options)


def test_every_status_and_trust_is_explained_and_can_be_asked_for_or_set() -> None:
    for language in LANGUAGES:
        text = render("claude", "claude", language)
        for word in (*Trust, *Status):
            assert str(word) in text, (language, word)
    assert {str(status) for status in Status} <= set(get_args(Include))
    assert {"retracted", "disputed", "archived"} <= set(get_args(Target))


@pytest.mark.parametrize(("language", "mark"), [("en", "Unverified:"), ("zh", "未经核实：")])
def test_assumptions_are_marked_in_words_and_in_the_example(language: str, mark: str) -> None:
    [section] = [section for section in sections(language) if section.key == "write"]
    told = [line.text for line in section.lines if mark in line.text and not line.example]
    examples = [line.text for line in section.lines if line.example]

    assert len(told) == 1
    assert f'text="{mark}' in examples[0]
