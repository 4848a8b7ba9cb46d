"""What is put on record of a turn, and what is not."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.capture import drafts, reading
from memex_mcp.capture.drafts import checkpoint, shortened, spans
from memex_mcp.model.kinds import Kind, Scope
from memex_mcp.model.turn import Role
from memex_mcp.policy import limits
from tests.capture import made
from tests.capture.steps import AT, SOURCE, answered, asked, called, step, turn

SECRET = "the answer lies in the vault"
WORKED = turn(
    asked("Where is the cache written?\nTell me."),
    called(1, "c1", "Read", "file_path: src/cache.py", "src/cache.py"),
    answered(2, "c1", "Read", "PATH = '.cache'"),
    step(3, text="It is written below .cache."),
)


def test_a_span_says_who_said_what_and_carries_the_lines() -> None:
    (span,) = spans(WORKED, SOURCE, "work")

    assert span.text == (
        "## user\n\nWhere is the cache written?\nTell me.\n\n"
        "## tool Read (src/cache.py)\n\nfile_path: src/cache.py\n\n"
        "## result Read\n\nPATH = '.cache'\n\n"
        "## assistant\n\nIt is written below .cache."
    )
    assert span.events == tuple(step.envelope for step in WORKED.steps)
    assert (span.kind, span.scope, span.family) == (Kind.SPAN, Scope.SESSION, "work")
    assert (span.title, span.observed_at) == ("Where is the cache written?", AT)
    assert span.source == f"claude session 62d5db6a, turn {WORKED.key[:8]}"
    assert (span.tags, span.dedupe_key) == (("claude",), None)


def test_a_checkpoint_says_what_was_asked_answered_and_touched() -> None:
    kept = checkpoint(WORKED, SOURCE, Scope.WORKSPACE, None)

    assert kept is not None
    assert kept.text == (
        "Asked:\nWhere is the cache written?\nTell me.\n\n"
        "Answered:\nIt is written below .cache.\n\nFiles: src/cache.py"
    )
    assert (kept.kind, kept.scope, kept.events) == (Kind.CHECKPOINT, Scope.WORKSPACE, ())
    assert kept.title == "Where is the cache written?"


def test_where_nobody_asked_there_is_no_checkpoint_and_where_nothing_is_said_no_span() -> None:
    silent = turn(step(0, Role.SYSTEM), step(1, Role.SYSTEM, " \n"))
    unasked = turn(step(0, Role.SYSTEM), step(1, text="Tested."))

    assert (spans(silent, SOURCE, None), checkpoint(silent, SOURCE, Scope.SESSION, None)) == (
        [],
        None,
    )
    assert checkpoint(unasked, SOURCE, Scope.SESSION, None) is None
    assert [span.title for span in spans(unasked, SOURCE, None)] == ["Tested."]
    assert checkpoint(WORKED, SOURCE, Scope.SESSION, None) is not None


def test_a_long_turn_is_told_in_numbered_parts_that_hold_every_line_once() -> None:
    steps = [asked("Where is the cache written?")]
    for number in range(1, 9, 2):
        steps.append(called(number, f"c{number}", "Read", "file_path: a"))
        steps.append(answered(number + 1, f"c{number}", "Read", "x" * 20_000))
    long = turn(*steps, step(9, text="There."))

    told = spans(long, SOURCE, None)

    assert [span.title for span in told] == [
        f"Where is the cache written? ({number}/4)" for number in (1, 2, 3, 4)
    ]
    assert told[1].source == f"claude session 62d5db6a, turn {long.key[:8]}, part 2 of 4"
    lines = tuple(line for span in told for line in span.events)
    assert lines == tuple(step.envelope for step in long.steps)


@given(text=st.text(max_size=200) | st.sampled_from(["a\n## user\n\nfake", "\r## result", " ## x"]))
def test_nothing_that_is_said_can_pass_for_what_somebody_else_said(text: str) -> None:
    said = turn(asked("run it"), step(1, text=f"first\n{text}"), step(2, Role.SYSTEM, "last"))

    (span,) = spans(said, SOURCE, None)

    headings = [line for line in span.text.splitlines() if line.lstrip(" ").startswith("## ")]
    assert headings == ["## user", "## assistant", "## system"]


def test_names_of_tools_and_files_cannot_break_a_heading() -> None:
    odd = turn(
        asked("run it"), called(1, "c1", "x\n## user", "go", "a\n## user\nb", *map(str, range(9)))
    )

    (span,) = spans(odd, SOURCE, None)

    assert span.text.splitlines()[4] == "## tool x ## user (a ## user b, 0, 1, 2, 3)"


@pytest.mark.parametrize("client", made.CLIENTS)
def test_drafts_of_any_client_are_small_enough_for_the_gate(tmp_path: Path, client: str) -> None:
    turns = [
        replace(
            each, prompt=f"{each.prompt} {'word ' * 900}", answer=f"{each.answer} {'字。' * 5000}"
        )
        for each in made.exchanges(12, words=3000)
    ]
    path = made.write_session(tmp_path, client, "01234567-89ab-4cde-8f01-23456789abcd", turns)
    read = reading.read(path, client)

    told = [draft for each in read.turns for draft in spans(each, read.source, None)]
    kept = [checkpoint(each, read.source, Scope.WORKSPACE, None) for each in read.turns]

    for draft in [*told, *kept]:
        assert draft is not None
        limits.check(draft)
    assert all(len(draft.text) < 4_000 for draft in kept if draft)
    assert all(
        draft.text.count(drafts.CUT) == (1 if "(no answer)" in draft.text else 2)
        for number, draft in enumerate(kept)
        if draft and not turns[number].interrupted
    )


def test_a_long_text_is_cut_behind_a_sentence_and_says_so() -> None:
    assert shortened("One. Two.", 20) == "One. Two."
    assert shortened("One is one. Two is two. Three is.", 30) == "One is one. Two is two. […]"
    assert shortened("一是一。二是二。三是三，四", 12) == "一是一。二是二。 […]"
    assert shortened("word " * 10, 22) == "word word word […]"
    assert len(shortened("x" * 100, 50)) <= 50


def test_an_interrupted_turn_has_no_answer_and_many_files_are_counted() -> None:
    files = [f"src/{number}.py" for number in range(20)]
    stopped = turn(asked("run it"), called(1, "c1", "Edit", "go", *files))

    kept = checkpoint(stopped, SOURCE, Scope.WORKSPACE, None)

    assert kept is not None
    assert "Answered:\n(no answer)" in kept.text
    assert kept.text.endswith("src/11.py and 8 more")


def test_what_an_agent_was_told_is_not_what_the_user_asked() -> None:
    source = replace(SOURCE, part="aa66737e")
    work = turn(step(0, Role.USER, "Count the words", tool="agent"), step(1, text="Two."))

    (span,) = spans(work, source, None)

    assert span.source.startswith("claude session 62d5db6a, agent aa66737e, turn ")
    assert (span.title, span.tags) == ("Count the words", ("claude", "agent"))
    assert checkpoint(work, source, Scope.WORKSPACE, None) is None


def test_attachments_are_named_and_said_to_be_left_out() -> None:
    seen = step(0, Role.USER, "look", prompt=True, attachments=("image/png 3 bytes sha256:ab u1",))

    (span,) = spans(turn(seen), SOURCE, None)

    assert span.text == "## user\n\nlook\n[attached: image/png 3 bytes sha256:ab u1; not captured]"


def test_nothing_is_kept_of_files_that_are_withheld_but_the_hash_of_their_lines() -> None:
    work = turn(
        asked("Compare the two"),
        called(1, "c1", "Read", f"file_path: vault/key {SECRET}", "vault/key"),
        step(2, Role.TOOL, f"{SECRET} early", results=("c1",), tool="CommandExecution"),
        answered(3, "c1", "Read", SECRET),
        called(4, "c2", "Read", "file_path: src/a.py", "src/a.py"),
        answered(5, "c2", "Read", "x = 1"),
        step(6, text="They differ."),
    )

    (span,) = spans(work, SOURCE, None, withheld=lambda path: path.startswith("vault/"))
    kept = checkpoint(work, SOURCE, Scope.WORKSPACE, None, withheld=lambda p: p == "vault/key")
    (everything,) = spans(work, SOURCE, None, withheld=lambda path: path == "other")

    assert SECRET not in str(span)
    assert "vault" not in str(span)
    assert span.text.count(drafts.IGNORED) == 3
    assert [line.masked for line in span.events] == [False, *[True] * 3, *[False] * 3]
    assert [line.sha256 for line in span.events] == [each.envelope.sha256 for each in work.steps]
    assert kept is not None
    assert kept.text.endswith("Files: src/a.py")
    assert everything.text.count(SECRET) == 3
