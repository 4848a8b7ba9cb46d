"""What hooks put into a session is counted, and told by the command."""

from contextlib import closing
from dataclasses import replace
from typing import Any

from memex_mcp.model.record import Draft
from memex_mcp.store.lock import FileLock
from memex_mcp.text.ceiling import at_most
from tests.card import card
from tests.hooks.using import Place, session
from tests.process import Serving, memex

ROTATED = "The staging password is rotated on the first Monday."
ASKED = "When is the staging password rotated?"


def told(place: Place, *options: str, **env: str) -> Any:
    where = ("--root", str(place.root), "--workspace", str(place.project))
    ran = memex("status", *where, *options, "--json", env=env)
    assert ran.code == 0, ran.err
    return ran.json["injected"]


def started(place: Place, source: str) -> str:
    typed = place.payload("claude", "session-start", source=source)
    return place.hook("claude", "session-start", typed)


def asked(place: Place, prompt: str) -> str:
    typed = place.payload("claude", "user-prompt-submit", prompt=prompt)
    return place.hook("claude", "user-prompt-submit", typed)


@card("hooks.counted")
def test_the_sum_of_what_hooks_told_is_told_until_a_compaction(place: Place) -> None:
    with closing(place.memory()) as memory:
        memory.write(Draft(text=ROTATED), place.person(memory))
    mine = ("--session", session("claude"))
    assert told(place, *mine) == {"tokens": 0, "blocks": 0}

    blocks = [started(place, "startup"), place.hook("claude", "user-prompt-submit")]
    # The same prompt brings nothing back twice, and a session that goes on keeps its count.
    blocks += [place.hook("claude", "user-prompt-submit"), asked(place, ASKED)]
    blocks.append(started(place, "resume"))

    assert [bool(each) for each in blocks] == [True, True, False, True, True]
    whole = {"tokens": sum(map(at_most, blocks)), "blocks": 4}
    assert told(place, *mine) == whole
    # As the agent's own shell asks, where the client names the session.
    assert told(place, CLAUDE_CODE_SESSION_ID=session("claude")) == whole
    assert told(place) is None
    assert told(place, "--session", session("codex")) == {"tokens": 0, "blocks": 0}

    after = [started(place, "compact"), asked(place, ASKED)]

    assert all(after)
    assert told(place, *mine) == {"tokens": sum(map(at_most, after)), "blocks": 2}
    with Serving(place.root, *mine, "--workspace", str(place.project), cwd=place.project) as server:
        assert server.status()["injected"]["tokens"] == sum(map(at_most, after))


def test_a_person_reads_it_as_a_line(place: Place) -> None:
    where = ("--root", str(place.root), "--workspace", str(place.project))
    mine = ("--session", session("claude"))
    before = memex("status", *where, *mine).out
    brief = started(place, "startup")
    shown = memex("status", *where, *mine).out

    assert "nothing since the session began, or was compacted" in before
    assert f"{at_most(brief):,} tokens at most, in 1 text since the session began" in shown


def test_what_is_not_noted_is_not_counted_and_a_brief_is_told_all_the_same(place: Place) -> None:
    with FileLock(place.root / "lock"):
        typed = place.payload("claude", "session-start")
        assert place.hook("claude", "session-start", typed, timeout=2) != ""

    mine = ("--session", session("claude"))
    assert told(place, *mine) == {"tokens": 0, "blocks": 0}


def test_without_a_session_or_a_text_nothing_is_counted(place: Place) -> None:
    with closing(place.memory()) as memory:
        person = place.person(memory)
        mine = replace(person, session_id=session("claude"))
        counted = []
        for caller, text in ((person, "a text"), (mine, ""), (mine, "a text")):
            memory.injection.began(caller, text)
            counted.append(place.rows()["injected"])

    assert counted == [0, 0, 1]
