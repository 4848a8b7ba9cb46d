"""Prompts that a person picks, and the manuals behind them and the server's instructions."""

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from mcp import MCPError
from mcp.types import INVALID_PARAMS, TextContent

from memex_manuals.core import LANGUAGES
from memex_manuals.prompting import prompts
from memex_mcp.memory import Memory
from memex_mcp.model.kinds import NoteType, Scope, State, Status, Trust
from tests.card import card
from tests.server.using import ERAS, connect

MANUALS = files("memex_manuals")
HAN = re.compile(r"[\u4e00-\u9fff]")
RESOURCES = {"memory://catalog", "memory://status", "memory://record/{id}"}


@pytest.mark.parametrize("mode", ERAS)
async def test_every_prompt_is_listed_and_filled_in(
    memory: Memory, project: Path, mode: str
) -> None:
    given = {"topic": "the staging port", "what": "deploys wait for QA"}
    texts = {}
    async with connect(memory, project, mode) as client:
        listed = (await client.list_prompts()).prompts
        for prompt in listed:
            wanted = {one.name: given[one.name] for one in prompt.arguments or []}
            [message] = (await client.get_prompt(prompt.name, wanted)).messages
            assert isinstance(message.content, TextContent)
            assert message.role == "user"
            texts[prompt.name] = message.content.text

    assert list(texts) == ["recall", "remember", "handoff", "distill", "status"]
    assert "the staging port" in texts["recall"]
    assert "deploys wait for QA" in texts["remember"]
    assert all("{" not in text for text in texts.values())


@card("manual.form")
@pytest.mark.parametrize("mode", ERAS)
async def test_prompts_are_in_the_language_of_the_instructions(
    memory: Memory, project: Path, mode: str
) -> None:
    told = {}
    for language in LANGUAGES:
        chosen = Memory(replace(memory.settings, language=language))  # type: ignore[arg-type]  # known
        async with connect(chosen, project, mode) as client:
            listed = (await client.list_prompts()).prompts
            [message] = (await client.get_prompt("recall", {"topic": "测试库端口"})).messages
        chosen.close()
        assert isinstance(message.content, TextContent)
        assert "测试库端口" in message.content.text
        told[language] = [message.content.text, *(str(each) for each in listed)]

    assert [bool(HAN.search(text)) for text in told["zh"]] == [True] * 6
    assert [bool(HAN.search(text)) for text in told["en"]] == [True] + [False] * 5
    # The first holds what was asked, and beyond that nothing in the other language.
    assert not HAN.search(told["en"][0].replace("测试库端口", ""))


def test_every_language_has_the_same_prompts_with_the_same_names_in_them() -> None:
    english, chinese = prompts("en"), prompts("zh")

    assert LANGUAGES == ("en", "zh")
    assert [*english] == [*chinese]
    for one, other in zip(english.values(), chinese.values(), strict=True):
        assert one.arguments.keys() == other.arguments.keys()
        assert all(f"{{{name}}}" in each.text for each in (one, other) for name in each.arguments)
        names = [set(re.findall(r"`([^`]+)`", each.text)) for each in (one, other)]
        assert names[0] == names[1] != set()
    with pytest.raises(ValueError, match="no prompts in 'fr'"):
        prompts("fr")


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        pytest.param("recall", None, "argument topic is missing", id="no arguments"),
        pytest.param("recall", {"what": "x"}, "argument topic is missing", id="another one"),
        pytest.param("remember", {"what": " "}, "argument what is missing", id="blank"),
        pytest.param("forget", {}, "there is no prompt 'forget'", id="unknown prompt"),
        pytest.param("../instructions", {}, "there is no prompt '../instructions'", id="a path"),
    ],
)
async def test_a_prompt_that_cannot_be_filled_in_says_why(
    memory: Memory, project: Path, mode: str, name: str, given: dict[str, str] | None, told: str
) -> None:
    async with connect(memory, project, mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, given)
        fine = await client.get_prompt("status")

    assert (caught.value.code, caught.value.message) == (INVALID_PARAMS, told)
    assert fine.messages


def manuals() -> list[str]:
    folder = Path(str(MANUALS))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.md"))


@card("manual.true")
@pytest.mark.parametrize("name", manuals())
async def test_a_manual_names_only_what_the_server_has(
    memory: Memory, project: Path, name: str
) -> None:
    text = MANUALS.joinpath(name).read_text(encoding="utf-8")
    async with connect(memory, project) as client:
        offered = (await client.list_tools()).tools
    arguments = {each for tool in offered for each in tool.input_schema["properties"]}
    values = {str(one) for kind in (NoteType, Scope, State, Status, Trust) for one in kind}
    named = set(re.findall(r"`([^`\s]+)`", text))
    tools = set(re.findall(r"\bmemory_\w+", text))

    assert named | tools, "a manual that names nothing is of no use"
    assert tools <= {tool.name for tool in offered}
    assert named <= {tool.name for tool in offered} | arguments | values | RESOURCES
    assert set(re.findall(r"memory://[\w/{}]+", text)) <= RESOURCES


async def test_a_tool_description_names_only_what_the_tools_have(
    memory: Memory, project: Path
) -> None:
    async with connect(memory, project) as client:
        offered = (await client.list_tools()).tools
    told = " ".join(tool.description or "" for tool in offered)
    arguments = {each for tool in offered for each in tool.input_schema["properties"]}
    values = {str(one) for kind in (State, Status) for one in kind}

    assert {"variants", "cursor", "supersedes", "id", "scope"} <= arguments
    assert set(re.findall(r"\b[a-z]+_[a-z_]+\b", told)) <= arguments | values
