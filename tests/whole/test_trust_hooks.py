"""What hooks leave alone where nobody asked for more."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Kind
from memex_mcp.model.levels import Level
from memex_mcp.model.record import Draft
from memex_mcp.model.times import now
from memex_mcp.settings import Settings
from tests.claude_file import ClaudeFile
from tests.using import rows
from tests.whole.injected import PORT, PROMPT, hook


def test_a_prompt_without_a_session_is_told_nothing(
    memory: Memory, agent: Caller, project: Path
) -> None:
    memory.write(Draft(text=PORT), agent)
    session = hook(memory, project)

    for nobody in (None, ""):
        assert memory.injection.prompt(replace(session, session_id=nobody), PROMPT) == ""

    with rows(memory) as db:
        assert db.execute("SELECT count(*) FROM recall_seen").fetchone()[0] == 0
    assert PORT in memory.injection.prompt(session, PROMPT)


def test_without_the_setting_no_rule_makes_a_candidate(
    root: Path, project: Path, tmp_path: Path
) -> None:
    rule = "Never push to main without a review"
    made: dict[bool, list[str]] = {}
    for asked in (False, True):
        memory = Memory(Settings(home=root / str(asked), rules=asked))
        session = hook(memory, project)
        for level in Level:
            memory.switches.turn_on(level, replace(session, human=True))
        talk = ClaudeFile(tmp_path / f"{asked}.jsonl", project, began=now() + timedelta(seconds=1))
        talk.turn(f"{rule}.", "Understood.")
        memory.archive.capture(talk.path, "claude", session)
        records = memory.listing(session, every=True).records
        made[asked] = [each.card.title for each in records if each.kind is Kind.NOTE]
        memory.close()

    assert made == {False: [], True: [rule]}


def test_what_a_session_was_shown_is_forgotten_in_the_end(
    memory: Memory, agent: Caller, project: Path
) -> None:
    memory.write(Draft(text=PORT), agent)
    session = hook(memory, project)
    told = memory.injection.prompt(session, PROMPT)
    memory.refresh()
    assert (told != "", memory.injection.prompt(session, PROMPT)) == (True, "")
    with rows(memory) as db:
        for table in ("recall_seen", "injected"):
            changed = db.execute(f"UPDATE {table} SET at = at - 91 * 86400000").rowcount
            assert changed == 1

    memory.refresh()

    with rows(memory) as db:
        for table in ("recall_seen", "injected"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    assert memory.injection.prompt(session, PROMPT) == told
