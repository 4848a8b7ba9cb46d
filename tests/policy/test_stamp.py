import pytest

from memex_mcp.model.kinds import Author, Kind, Scope, Status
from memex_mcp.model.record import Draft
from memex_mcp.policy.masking import Found
from memex_mcp.policy.stamp import Admitted, created, said
from tests.make import NOON, make_caller, make_draft


def admitted(draft: Draft, author: Author) -> Admitted:
    caller = make_caller(writes_as=author)
    return Admitted(draft=draft, caller=caller, scope=Scope.WORKSPACE, owner="w:w1", found=Found())


def test_every_statement_of_a_draft_is_said() -> None:
    draft = make_draft(
        "The text.",
        title="The title",
        summary="The summary.",
        use_when="The use.",
        tags=("a tag", "another"),
        aliases=("an alias",),
        questions=("A question?",),
        source="README.md:3",
    )

    assert said(draft) == [
        *("The text.", "The title", "The summary.", "The use."),
        *("a tag", "another", "an alias", "A question?"),
    ]


def test_the_first_sentence_of_a_text_without_title_is_a_statement_too() -> None:
    assert said(make_draft("Blue heron is the code word.\n\nUse it on Fridays.")) == [
        "Blue heron is the code word.\n\nUse it on Fridays.",
        "Blue heron is the code word.",
    ]


@pytest.mark.parametrize(
    ("author", "draft", "status"),
    [
        (Author.AGENT, make_draft(), Status.ACTIVE),
        (Author.AGENT, make_draft(propose=True), Status.CANDIDATE),
        (Author.FILE, make_draft(propose=True), Status.CANDIDATE),
        (Author.FILE, make_draft(), Status.ACTIVE),
        (Author.DERIVED, make_draft(), Status.CANDIDATE),
        (Author.DERIVED, make_draft(kind=Kind.SPAN), Status.ACTIVE),
    ],
)
def test_what_is_proposed_or_derived_waits_for_a_person(
    author: Author, draft: Draft, status: Status
) -> None:
    assert created(admitted(draft, author), NOON, proposal=False).status is status


@pytest.mark.parametrize(
    ("author", "confidence"),
    [(Author.AGENT, 0.7), (Author.HUMAN, 1.0), (Author.DERIVED, 0.66), (Author.LLM, 0.66)],
)
def test_only_what_is_derived_says_how_sure_it_is(author: Author, confidence: float) -> None:
    record = created(admitted(make_draft(confidence=0.66), author), NOON, proposal=False)

    assert record.confidence == confidence
    unsaid = created(admitted(make_draft(), author), NOON, proposal=False)
    assert unsaid.confidence == {Author.DERIVED: 0.5, Author.LLM: 0.5}.get(author, confidence)
