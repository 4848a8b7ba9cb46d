"""The MCP inspector, an independent client, finds nothing to object to in either protocol era."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import pytest

from tests.card import card
from tests.clients.ground import RECORD_ID, Ground, environment, need, program
from tests.process import COMMAND

TEXT = "The release branch is cut on the first Tuesday of the month."


class Argument(TypedDict):
    name: str
    required: bool


class Named(TypedDict, total=False):
    name: str
    uri: str
    description: str
    arguments: list[Argument]


class Content(TypedDict):
    text: str


class Message(TypedDict):
    content: Content


class Result(TypedDict, total=False):
    """The parts of an answer that the tests read."""

    tools: list[Named]
    resources: list[Named]
    prompts: list[Named]
    content: list[Content]
    contents: list[Content]
    messages: list[Message]
    isError: bool


Inspect = Callable[..., Result]


@pytest.fixture(params=["legacy", "modern", "auto"])
def inspect(request: pytest.FixtureRequest, tmp_path: Path) -> Inspect:
    """Call one method of a fresh server process on one store, in one era."""
    need("inspector", "node")
    ground = Ground.under(tmp_path)
    home = tmp_path / "home"
    home.mkdir()

    def call(method: str, *options: str) -> Result:
        command = [
            *(str(program("inspector", "mcp-inspector")), "--cli"),
            *COMMAND,
            "serve",
            *ground.where,
            *("--protocol-era", str(request.param), "--format", "json", "--quiet"),
            *("--method", method, *options),
        ]
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            cwd=ground.workspace,
            env=environment(home),
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        result: Result = json.loads(done.stdout)["result"]
        return result

    return call


def _tool(inspect: Inspect, name: str, **arguments: str) -> str:
    written = json.dumps(arguments)
    result = inspect("tools/call", "--tool-name", name, "--tool-args-json", written)
    assert not result.get("isError")
    return result["content"][0]["text"]


@card("server.inspector")
@pytest.mark.timeout(300)
def test_inspector_accepts_every_tool_schema_and_calls_the_tools(inspect: Inspect) -> None:
    tools = inspect("tools/list", "--strict")["tools"]
    wrote = _tool(inspect, "memory_write", text=TEXT, title="Release branch")
    found = _tool(inspect, "memory_search", query="when is the release branch cut")

    assert {"memory_write", "memory_search", "memory_open"} <= {tool["name"] for tool in tools}
    assert all(tool["description"] for tool in tools)
    record_id = RECORD_ID.search(wrote)
    assert record_id is not None
    assert record_id[0] in found
    assert TEXT in _tool(inspect, "memory_open", id=record_id[0])


@pytest.mark.timeout(300)
def test_inspector_reads_the_catalog_that_lists_a_record_just_written(inspect: Inspect) -> None:
    listed = [resource["uri"] for resource in inspect("resources/list")["resources"]]
    before = inspect("resources/read", "--uri", "memory://catalog")["contents"][0]["text"]
    _tool(inspect, "memory_write", text=TEXT, title="Release branch")
    after = inspect("resources/read", "--uri", "memory://catalog")["contents"][0]["text"]

    assert "memory://catalog" in listed
    assert "Release branch" not in before
    assert "Release branch" in after


@pytest.mark.timeout(300)
def test_inspector_gets_every_prompt_with_its_arguments_filled_in(inspect: Inspect) -> None:
    prompts = inspect("prompts/list")["prompts"]

    assert "recall" in {prompt["name"] for prompt in prompts}
    for prompt in prompts:
        names = [argument["name"] for argument in prompt.get("arguments", [])]
        pairs = [f"{name}=the release branch" for name in names]
        options = ["--prompt-args", *pairs] if pairs else []
        messages = inspect("prompts/get", "--prompt-name", prompt["name"], *options)["messages"]
        assert messages[0]["content"]["text"]
        if names:
            assert "the release branch" in messages[0]["content"]["text"]
