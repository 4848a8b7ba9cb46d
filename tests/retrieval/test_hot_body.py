"""A fact deep in a long text is found though many titles hold every other word of the question."""

import sqlite3

import pytest

from scripts.eval_probes_made import buried
from tests.card import card
from tests.retrieval.using import found, put, store

COUNT = 50
WORDS = 900
QUESTION = "deployment rollback procedure"


def decoys(db: sqlite3.Connection, session: str) -> list[str]:
    """Records whose cards hold every word of the question and half of every name."""
    return [
        put(
            db,
            f"Deployment rollback procedure of XK, number {n}.",
            title="Deployment rollback procedure",
            questions=("What is the deployment rollback procedure of XK?",),
            session_id=session,
        ).id
        for n in range(COUNT)
    ]


def name(n: int) -> str:
    """A name of letters and digits, whose first half everybody has."""
    return f"XK-{4471 + 13 * n}"


@card("recall.deep")
@pytest.mark.parametrize("session", ["", "s1"], ids=["apart", "one session"])
def test_fifty_of_fifty_deep_facts_come_first_before_fifty_titles(session: str) -> None:
    with store() as db:
        wrong = set(decoys(db, session))
        ids = []
        for n in range(COUNT):
            body = buried(f"It ended with {name(n)} at last.", n, words=WORDS, depth=0.9)
            ids.append(put(db, body, title=f"Session {n}").id)

        answers = [found(db, f"{QUESTION} {name(n)}") for n in range(COUNT)]
        without = found(db, QUESTION)

    assert [answer[:1] for answer in answers] == [[each] for each in ids]
    # Without the name the question is answered by the titles alone.
    assert set(without) <= wrong
    assert without
