"""Every real client works in one home that ``init`` alone set up, and ``uninstall`` clears it."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.card import card
from tests.clients.clients import ALL, CLINE
from tests.clients.ground import RECORD_ID, Ground, need
from tests.clients.model import Call, Say
from tests.clients.persons import furnish
from tests.clients.running import Client, Run
from tests.process import until

# What is on record before, and what each client writes; the next one in line is asked for it.
FACTS = {
    "person": ("The crane simulator replaced the shim.", "what replaced the shim of the crane"),
    "claude": ("Invoices are numbered by the ledger service.", "who gives invoices their numbers"),
    "codex": ("The lighthouse build needs 12 GB of memory.", "memory for the lighthouse build"),
    "gemini": ("Tariffs are rounded down to whole cents.", "how are tariffs rounded"),
    "qwen": ("The pilot roster lives in roster.yaml.", "file that holds the pilot roster"),
    "copilot": ("Backups of the harbour run at 03:40.", "when do backups of the harbour run"),
    "opencode": ("Mooring fees are paid in advance.", "are mooring fees paid in advance"),
    "cline": ("The tide tables come from the survey office.", "where tide tables come from"),
}
UNRELATED = "which font does the marketing brochure use"
# Only the manual says so, neither the server's instructions nor a tool.
IN_MANUAL = "what another session may know"

# Claude Code keeps its own notes in it.
REWRITTEN = ".claude.json"


def _files(home: Path) -> dict[str, bytes]:
    """Content of each file below a home by its name there."""
    paths = (path for path in home.rglob("*") if path.is_file())
    return {str(path.relative_to(home)): path.read_bytes() for path in paths}


def _id_in(result: str) -> str:
    found = RECORD_ID.search(result)
    return found[0] if found else "the answer named no id"


def _asks(client: Client, ground: Ground, home: Path, question: str) -> Run:
    """It searches for what was asked, opens what it finds, and writes a fact of its own."""
    return client.run(
        ground,
        [
            Call("memory_search", {"query": UNRELATED}),
            Call("memory_write", {"text": FACTS[client.name][0]}),
            Call("memory_search", {"query": question}),
            Call("memory_open", lambda result: {"id": _id_in(result)}),
            Say(lambda opened: f"Memory says: {opened}"),
        ],
        f"{client.name} asks: {question}?",
        home=home,
    )


def _archived(client: Client, ground: Ground) -> int:
    """How many turns of a client are on record."""
    listed = json.loads(ground.show("list", "--json"))["records"]
    turns = [record["client"] for record in listed if record["kind"] == "checkpoint"]
    return turns.count(client.name)


def _check(client: Client, run: Run, ground: Ground, fact: str) -> None:
    """The loop is whole: asked, called, answered, used; and the hooks ran before and after it."""
    assert (run.exit_code, run.troubles) == (0, ()), run.story
    assert run.first_method == client.opens_with, run.story
    assert len([each for each in run.sent if each.get("method") == "tools/call"]) == 4, run.story
    nothing, wrote, found, opened = run.results
    assert "no_match" in nothing, run.story
    assert ground.open(_id_in(wrote))["client"] == client.says, run.story
    assert fact in found, run.story
    assert fact in opened, run.story
    assert fact in run.stdout, run.story
    begun = next(each.body for each in run.requests if each.asked and each.asked.main)
    assert (IN_MANUAL in begun) is (client is not CLINE), run.story
    assert (fact in begun) is client.hooked, run.story
    # Copilot may write its transcript after its last hook, and then is waited for.
    assert until(lambda: _archived(client, ground) == client.hooked), run.story


@card("clients.loop")
@card("server.handover")
@pytest.mark.timeout(400)
def test_every_client_finds_what_the_last_one_wrote_and_the_home_is_as_it_was(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    names = [client.name for client in ALL]
    need(*names, "node")
    ground = Ground.under(tmp_path)
    ground.switch_on()
    home = tmp_path / "home of 某人"
    furnish(home)
    before = _files(home)
    ground.set_up(home, "init", "--all", "--yes", "--allow", "--no-check", clients=names)
    entered = _files(home)

    fact, question = FACTS["person"]
    ground.show("write", fact)
    for client in ALL:
        began = time.monotonic()
        run = _asks(client, ground, home, question)
        record_property(f"seconds of {client.name}", f"{time.monotonic() - began:.1f}")
        _check(client, run, ground, fact)
        fact, question = FACTS[client.name]
    # It tells what went wrong, and is not made while nothing does.
    assert not (ground.root / "logs" / "hooks.log").exists()

    ground.set_up(home, "uninstall", "--all", "--yes", clients=names)
    left = {name: (home / name).read_bytes() for name in entered if (home / name).exists()}
    assert before.keys() <= entered.keys()
    for name in entered.keys() - {REWRITTEN}:
        # Claude Code's backups and the like were there after init, and are not ours.
        if name in before or b"memex" in entered[name]:
            assert left.get(name) == before.get(name), name
    servers = [json.loads(each[REWRITTEN])["mcpServers"] for each in (before, left)]
    assert servers[0] == servers[1]
