"""What is on record, as rows that can be compared between two stores."""

import json
import re
import sqlite3

from memex_mcp.text.words import index_terms

_QUESTIONS = {
    "record": (
        "SELECT id, kind, type, scope, owner, title, summary, use_when, tags, aliases, questions,"
        " author, surface, client, trust, status, superseded_by, version, observations,"
        " valid_from IS NULL, valid_to IS NULL, body_sha256, value_key, dedupe_key,"
        " (SELECT count(*) FROM body AS b WHERE b.record_n = r.n),"
        " (SELECT count(*) FROM chunk AS c JOIN body_index_docsize AS d ON d.id = c.n"
        "  WHERE c.record_n = r.n),"
        " (SELECT count(*) FROM card_index_docsize AS d WHERE d.id = r.n)"
        " FROM record AS r WHERE client NOT IN ('rival', 'judge')"
    ),
    "revision": "SELECT record_id, version, json_extract(fields, '$.status'), owner FROM revision",
    "link": (
        "SELECT f.id, t.id, relation FROM link JOIN record AS f ON f.n = from_n"
        " JOIN record AS t ON t.n = to_n"
        " WHERE f.client NOT IN ('rival', 'judge') AND t.client NOT IN ('rival', 'judge')"
    ),
    "audit": (
        "SELECT surface, client, human, action, record_id, before_hash IS NULL, reason FROM audit"
        " WHERE client NOT IN ('rival', 'judge')"
    ),
    "tombstone": "SELECT value_key, record_id, reason, refused, lifted_at IS NULL FROM tombstone",
    "event": ("SELECT kind, seq, sha256, start FROM event JOIN record AS r ON r.n = record_n"),
    "source_ref": "SELECT kind, source_id FROM source_ref JOIN record AS r ON r.n = record_n",
    "capture_turn": "SELECT source_key, turn_key, start, stop, status FROM capture_turn",
    "capture_source": "SELECT key, workspace_id, path, stop, head_sha256 FROM capture_source",
}

NOTHING: dict[str, list[str]] = {name: [] for name in [*_QUESTIONS, "found"]}
"""The state of a store that is not there."""


def state(db: sqlite3.Connection, ids: dict[str, str]) -> dict[str, list[str]]:
    """What is on record, the rival's part and every time left out; new ids are all ``NEW``."""
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        return dict(NOTHING)
    names = {record_id: name for name, record_id in ids.items()}

    def named(match: "re.Match[str]") -> str:
        return names.get(match[0], "NEW")

    found = {}
    for table, question in _QUESTIONS.items():
        rows = [json.dumps(tuple(row)) for row in db.execute(question)]
        found[table] = sorted(re.sub(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", named, r) for r in rows)
    found["found"] = [f"{word}: {_ids_with(db, word, names)}" for word in ("5433", "6543", "7777")]
    return found


def _ids_with(db: sqlite3.Connection, word: str, names: dict[str, str]) -> list[str]:
    """Names of the records that have the word in their index rows."""
    rows = db.execute(
        "SELECT DISTINCT r.id FROM body_index AS f JOIN chunk AS c ON c.n = f.rowid"
        " JOIN record AS r ON r.n = c.record_n WHERE body_index MATCH ?",
        (f'"{index_terms(word)}"',),
    )
    return sorted(names.get(row["id"], "NEW") for row in rows)
