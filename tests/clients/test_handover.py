"""A fact that one real client wrote is found and opened by another, in another process."""

from pathlib import Path

import pytest

from tests.card import card
from tests.clients.clients import CLAUDE, CODEX, GEMINI, Client, Run
from tests.clients.ground import RECORD_ID, Ground, need
from tests.clients.model import Call, Say

FACT = (
    "The staging database moved to port 6543 because the old pool ran out of connections "
    "during the nightly export."
)
QUESTION = "why did the staging database move to another port"
UNRELATED = "which font does the marketing brochure use"


def _id_in(result: str) -> str:
    found = RECORD_ID.search(result)
    return found[0] if found else "the answer named no id"


def _ended_well(client: Client, run: Run) -> None:
    assert run.exit_code == 0, run.story
    assert "done" in run.stdout, run.story
    assert run.first_method == client.opens_with, run.story
    assert run.troubles == (), run.story
    called = [message for message in run.sent if message.get("method") == "tools/call"]
    assert len(called) == len(run.results), run.story


@card("server.handover")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        pytest.param(CLAUDE, CODEX, id="claude to codex"),
        pytest.param(CODEX, CLAUDE, id="codex to claude"),
        pytest.param(CLAUDE, GEMINI, id="claude to gemini"),
        pytest.param(GEMINI, CODEX, id="gemini to codex"),
    ],
)
def test_fact_reaches_the_other_clients_model_and_an_unrelated_question_finds_nothing(
    writer: Client, reader: Client, tmp_path: Path
) -> None:
    need(writer.name, reader.name, "node")
    ground = Ground.under(tmp_path)

    wrote = writer.run(
        ground,
        [
            Call("memory_write", {"text": FACT, "title": "Staging database on port 6543"}),
            Say("done"),
        ],
    )
    read = reader.run(
        ground,
        [
            Call("memory_search", {"query": QUESTION}),
            Call("memory_open", lambda result: {"id": _id_in(result)}),
            Call("memory_search", {"query": UNRELATED}),
            Say("done"),
        ],
    )

    _ended_well(writer, wrote)
    _ended_well(reader, read)
    record_id = _id_in(wrote.results[-1])
    found, opened, nothing = read.results[-3:]
    assert record_id in found, read.story
    assert FACT in opened, read.story
    assert "no_match" in nothing, read.story
    assert "6543" not in nothing, read.story
    assert ground.open(record_id)["client"] == writer.says
