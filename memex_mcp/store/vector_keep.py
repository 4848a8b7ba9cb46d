"""Keeps vectors, which can cost money, where the same texts get other numbers or another file."""

import sqlite3

from memex_mcp.store.migrations import get_meta, set_meta
from memex_mcp.store.vectors import CLAIM, Space, contents, model_id


def set_aside(db: sqlite3.Connection) -> None:
    """Keep every vector while all chunks are made anew; :func:`rejoin` has to follow.

    Args:
        db: A writing connection, within a transaction, which both of them belong to.
    """
    db.execute("PRAGMA defer_foreign_keys = ON")
    db.execute("UPDATE chunk_vector SET chunk_n = -chunk_n")


def rejoin(db: sqlite3.Connection) -> int:
    """Give chunks the vectors that were made of the same text, in every space.

    What no chunk says any more goes.

    Returns:
        How many chunks have a vector again.
    """
    (kept,) = db.execute("SELECT EXISTS (SELECT 1 FROM vector)").fetchone()
    done = 0
    for chunk, content in contents(db) if kept else ():
        done += db.execute(
            "INSERT OR IGNORE INTO chunk_vector(chunk_n, model_id, content)"
            " SELECT ?, model_id, content FROM vector WHERE content = ?",
            (chunk, content),
        ).rowcount
    db.execute("DELETE FROM chunk_vector WHERE chunk_n < 0")
    return done


def carry(db: sqlite3.Connection, old: sqlite3.Connection) -> int:
    """Take over what another database knows of the same texts.

    Args:
        db: A writing connection, within a transaction; its chunks are complete.
        old: A sound database of the same schema.

    Returns:
        How many chunks have a vector.
    """
    spaces = old.execute("SELECT id, name, dimensions, mean, deviation FROM vector_model")
    models = spaces.fetchall()
    said = list(contents(db)) if models else []
    done = 0
    for model, *space in models:
        db.execute(
            "INSERT OR IGNORE INTO vector_model(name, dimensions, mean, deviation)"
            " VALUES (?, ?, ?, ?)",
            space,
        )
        here = model_id(db, Space(space[0], space[1]))
        for chunk, content in said:
            found = old.execute(
                "SELECT data FROM vector WHERE model_id = ? AND content = ? AND length(data) = ?",
                (model, content, 2 * space[1]),
            ).fetchone()
            if found is not None:
                db.execute(
                    "INSERT OR IGNORE INTO vector VALUES (?, ?, ?)", (here, content, found[0])
                )
                db.execute("INSERT INTO chunk_vector VALUES (?, ?, ?)", (chunk, here, content))
                done += 1
    if models and (claim := get_meta(old, CLAIM)) is not None:
        set_meta(db, CLAIM, claim)
    return done
