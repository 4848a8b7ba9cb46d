"""What a server does to the store before anybody asks it anything."""

from pathlib import Path

from memex_mcp.memory import Memory
from memex_mcp.model.caller import Caller
from memex_mcp.server import main
from memex_mcp.store.database import Database
from tests.store.shelf import listing
from tests.using import PORT, edit, stored


def test_a_server_that_only_reads_refreshes_nothing_and_another_does(
    memory: Memory, agent: Caller
) -> None:
    written = memory.write(PORT, agent)
    edit(memory, written.id, "port 5433", "port 6543")
    database = Database(memory.settings.home)
    with database.write() as db:
        db.execute("UPDATE meta SET value = 'earlier' WHERE key = 'analyzer_version'")
        db.execute("INSERT INTO mirror_queue VALUES ('gone', 1)")
    database.close()
    memory.close()
    before = listing(memory.settings.home)

    main._refresh(memory, readonly=True)

    assert listing(memory.settings.home) == before
    main._refresh(memory, readonly=False)
    assert stored(memory, agent, written.id).version == 2
    with database.read() as db:
        assert db.execute("SELECT count(*) FROM mirror_queue").fetchone()[0] == 0
        [version] = db.execute("SELECT value FROM meta WHERE key = 'analyzer_version'").fetchone()
    database.close()
    assert version != "earlier"


def test_a_server_of_no_store_makes_none(root: Path, memory: Memory, agent: Caller) -> None:
    for readonly in (True, False):
        main._refresh(memory, readonly=readonly)

    assert not root.exists()
    memory.write(PORT, agent)
    assert root.exists()
