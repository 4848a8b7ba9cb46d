from memex_mcp.policy.stamp import said
from tests.make import make_draft


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
