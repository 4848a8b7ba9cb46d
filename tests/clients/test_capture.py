"""A real session is archived line for line, and the next client is reminded of it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.clients.clients import CLAUDE, CODEX
from tests.clients.ground import Ground, need
from tests.clients.model import SUMMARY, Call, Say
from tests.clients.running import Client, kill

ASKED = "Why does the release train of the harbour service leave on Thursdays?"
ANSWERED = (
    "The release train of the harbour service leaves on Thursdays, because the pilots sign "
    "the tide tables on Wednesday evening."
)
RELATED = "On which day does the release train of the harbour service leave?"
UNRELATED = "Which colour should the brochure for the garden show have?"

# More than the model's window holds: the client compacts before its next request.
FULL = {"claude": 990_000, "codex": 260_000}

Line = Mapping[str, object]
TRANSCRIPTS: dict[str, str] = {
    "claude": ".claude/projects/*/*.jsonl",
    "codex": ".codex/sessions/**/rollout-*.jsonl",
}


def _said_to_codex(line: Line) -> bool:
    """Whether a line is said or done, and no setting of the stage by the client."""
    payload = json.dumps(line["payload"])
    staged = '"role": "developer"' in payload or "<environment_context>" in payload
    return line["type"] == "response_item" and not staged


SAID: dict[str, Callable[[Line], bool]] = {
    "claude": lambda line: line["type"] in ("user", "assistant"),
    "codex": _said_to_codex,
}


def _home(ground: Ground, name: str) -> Path:
    """A home in which ``init`` entered both clients' files."""
    home = ground.workspace.with_name(name)
    home.mkdir()
    ground.set_up(home, "init", "claude", "codex", "--yes", "--allow")
    return home


def _kill(home: Path) -> Mapping[str, object]:
    """Kill the client in the middle of its turn."""
    kill(home)
    return {"query": "never sent"}


def _transcript(client: Client, home: Path) -> tuple[str, list[str], list[str]]:
    """The one session of a home: its id, the hash of every line, and of those that are said."""
    (path,) = home.glob(TRANSCRIPTS[client.name])
    lines = path.read_bytes().splitlines()
    said = [line for line in lines if SAID[client.name](json.loads(line))]
    return path.stem[-36:], _hashes(lines), _hashes(said)


def _hashes(lines: list[bytes]) -> list[str]:
    return [hashlib.sha256(line).hexdigest() for line in lines]


def _archived(ground: Ground, session: str) -> tuple[list[str], str]:
    """The hash of every archived line of a session, and the bodies of all its spans."""
    listed = json.loads(ground.show("list", "--session", session, "--limit", "200", "--json"))
    spans = [record["id"] for record in listed["records"] if record["kind"] == "span"]
    lines = [
        line
        for span in spans
        for line in ground.show("open", span, "--session", session, "--events").splitlines()
    ]
    bodies = [ground.show("open", span, "--session", session) for span in spans]
    return _hashes([line.encode() for line in lines]), "\n".join(bodies)


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("client", "other"),
    [
        pytest.param(CLAUDE, CODEX, id="claude to codex"),
        pytest.param(CODEX, CLAUDE, id="codex to claude"),
    ],
)
def test_every_turn_is_archived_line_for_line_and_the_other_client_is_reminded(
    client: Client, other: Client, tmp_path: Path
) -> None:
    need(client.name, other.name, "node")
    ground = Ground.under(tmp_path)
    ground.switch_on()
    home, elsewhere, third = (_home(ground, name) for name in ("home", "elsewhere", "third"))
    full = Call("memory_search", {"query": "tide tables"}, FULL[client.name])

    first = client.run(ground, [full, Say(ANSWERED)], ASKED, home=home)
    again = client.run(
        ground, [full, Say("The pilots meet at seven.")], "And when?", home=home, words=client.again
    )
    client.run(
        ground,
        [Call("memory_search", lambda _: _kill(home))],
        "Who told you about the pilots?",
        home=home,
        words=client.again,
    )
    last = client.run(
        ground, [Say("The harbour master did.")], "Who was it?", home=home, words=client.again
    )
    reminded = other.run(ground, [Say("On Thursdays.")], RELATED, home=elsewhere)
    left_alone = other.run(ground, [Say("Green.")], UNRELATED, home=third)

    for run in (first, again, last, reminded, left_alone):
        assert run.exit_code == 0, run.story
        assert run.troubles == (), run.story
    session, every_line, said = _transcript(client, home)
    archived, bodies = _archived(ground, session)
    assert len(archived) == len(set(archived)), "a line is archived twice"
    assert set(said) - set(archived) == set(), "a line is missing"
    assert set(archived) - set(every_line) == set(), "a line is not the client's"
    assert ANSWERED in bodies
    assert SUMMARY in first.requests[-1].body + again.requests[-1].body, again.story
    assert "harbour" in reminded.requests[-1].body.replace(RELATED, ""), reminded.story
    assert "tide tables" not in left_alone.requests[-1].body, left_alone.story
