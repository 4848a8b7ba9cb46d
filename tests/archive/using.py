"""What the tests of the archive have in common."""

import hashlib
import json
from pathlib import Path

from memex_mcp.memory import Memory
from tests.using import rows

PORT = ("Which port has the staging database?", "It listens on port 5433.")
BRANCH = ("When is the release branch cut?", "On Thursdays.")


def kinds(memory: Memory) -> list[tuple[str, str]]:
    with rows(memory) as db:
        asked = db.execute("SELECT kind, scope FROM record ORDER BY n")
        return [(kind, scope) for kind, scope in asked]


def kept_lines(memory: Memory) -> list[str]:
    """Hashes of all lines in the store, in the order of their files."""
    with rows(memory) as db:
        return [row[0] for row in db.execute("SELECT sha256 FROM event ORDER BY start, record_n")]


def hashes(path: Path) -> list[str]:
    """Hashes of the lines of a transcript that are conversation."""
    lines = path.read_bytes().split(b"\n")[:-1]
    said = [line for line in lines if json.loads(line)["type"] in ("user", "assistant")]
    return [hashlib.sha256(line).hexdigest() for line in said]


def state(memory: Memory) -> list[tuple[object, ...]]:
    """Everything on record, rows and files, but for when it was looked at."""
    with rows(memory) as db:
        tables = [
            "SELECT id, kind, version, observations, body_sha256, status FROM record ORDER BY id",
            "SELECT record_n, seq, sha256 FROM event ORDER BY 1, 2",
            "SELECT * FROM capture_turn ORDER BY 1, 2",
            "SELECT * FROM capture_source ORDER BY 1",
            "SELECT seq, action FROM audit ORDER BY seq",
            "SELECT * FROM source_ref ORDER BY 1, 2",
        ]
        told = [tuple(row) for sql in tables for row in db.execute(sql)]
    files = sorted((memory.settings.home / "records").rglob("*.*"))
    return told + [(str(path), path.read_bytes()) for path in files]
