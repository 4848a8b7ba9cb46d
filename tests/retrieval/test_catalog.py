"""The catalog: one short text that says what is here."""

from datetime import timedelta

from memex_mcp.model.kinds import Status
from memex_mcp.retrieval import catalog
from tests.make import NOON, make_caller
from tests.retrieval.using import put, store


def test_a_pinned_record_leads_the_catalog_however_old_it_is() -> None:
    with store() as db:
        old = put(db, "Never push to main.", pinned=True)
        hidden = put(db, "Never push at all.", pinned=True, status=Status.RETRACTED)
        foreign = put(db, "Push where you like.", pinned=True, workspace_id="w2")
        for n in range(250):
            put(db, f"Shard {n} is east.")
        newest = put(db, "Deploys wait for QA.")
        lines = catalog.build(db, make_caller(), NOON + timedelta(days=1)).splitlines()

    assert lines[0] == ("252 records, pinned ones first, then the newest; open one with its id.")
    assert lines[1] == f"- {old.id} Never push to main. (fact, untrusted, pinned)"
    assert lines[2].startswith(f"- {newest.id} ")
    assert sum(old.id in line for line in lines) == 1
    assert not any(one.id in line for one in (hidden, foreign) for line in lines)


def test_a_catalog_without_pinned_records_is_newest_first() -> None:
    with store() as db:
        first, second = put(db, "Shard 1 is east."), put(db, "Shard 2 is east.")
        lines = catalog.build(db, make_caller(), NOON).splitlines()

    assert lines[0] == "2 records, newest first; open one with its id."
    assert [line.split()[1] for line in lines[1:]] == [second.id, first.id]
