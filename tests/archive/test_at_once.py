"""Several processes archive one transcript at the same time."""

import json
import subprocess
import sys
from pathlib import Path

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.model.kinds import Scope
from memex_mcp.model.record import Draft, owner_of
from memex_mcp.model.turn import Source
from memex_mcp.store import events
from memex_mcp.store.database import Database
from memex_mcp.store.ledger import Fate, Ledger, Mark, Place, Taken
from memex_mcp.writing import Batch, Writer
from tests.archive.using import hashes, kept_lines
from tests.card import card
from tests.claude_file import ClaudeFile
from tests.spoken import make_span

TURNS = 120
CAPTURE = """
import json, pathlib, sys
from memex_mcp.memory import Memory
from memex_mcp.model.caller import Evidence
from memex_mcp.model.kinds import Author, Surface
from memex_mcp.settings import Settings
root, project, talk = map(pathlib.Path, sys.argv[1:])
memory = Memory(Settings(home=root))
caller = memory.caller(Evidence(
    surface=Surface.IMPORT, client="claude", workspace=project, writes_as=Author.DERIVED
))
print("ready", flush=True)
sys.stdin.readline()
told = memory.archive.capture(talk, "claude", caller, explicit=True)
memory.close()
print(json.dumps([told.seen, told.new, told.known, told.records, sorted(told.skipped)]))
"""


@card("evidence.once")
def test_each_turn_is_archived_once(
    memory: Memory, old: ClaudeFile, root: Path, project: Path
) -> None:
    for number in range(TURNS):
        old.turn(f"What is the number {number} of the list?", f"It is otter {number}.")
    crowd = [
        subprocess.Popen(
            [sys.executable, "-c", CAPTURE, str(root), str(project), str(old.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(3)
    ]
    for process in crowd:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    said = [json.loads(process.communicate("go\n", timeout=50)[0]) for process in crowd]

    assert sum(new for _, new, *_ in said) == TURNS
    assert sum(records for *_, records, _ in said) == 2 * TURNS
    for seen, new, known, _, skipped in said:
        assert (seen, new + known, skipped) == (TURNS, TURNS, [])
    assert kept_lines(memory) == hashes(old.path)


def test_what_was_decided_before_somebody_else_captured_is_not_written(
    root: Path, hook: Caller, tmp_path: Path
) -> None:
    database = Database(root)
    writer = Writer(database, secrets="mask", check=lambda _db, _caller: None)
    source = Source(client="claude", session_id="s", path=tmp_path / "talk.jsonl")
    place = Place(path="talk.jsonl", stop=9, head_sha256="0" * 64, size=9)
    first, second = make_span("one"), make_span("two", first=2)

    def batch(key: str, draft: Draft, known: tuple[tuple[str, int], ...]) -> Batch:
        mark = Mark(key=key, start=0, stop=9, fate=Fate.CAPTURED)
        turns = (Taken(mark=mark, spans=(draft,)),)
        return Batch(source=source, known=known, place=place, turns=turns)

    assert writer.capture(batch("a", first, ()), hook) is not None
    assert writer.capture(batch("b", second, ()), hook) is None
    with database.read() as db:
        workspace = hook.workspace.id if hook.workspace else ""
        owner = owner_of(Scope.SESSION, workspace, hook.session_id or "")
        lines = [line.sha256 for line in (*first.events, *second.events)]
        assert events.known(db, owner, lines) == {first.events[0].sha256}
        assert Ledger(db).state(source.key) == (("captured", 1),)

    assert writer.capture(batch("b", second, (("captured", 1),)), hook) is not None
    database.close()
