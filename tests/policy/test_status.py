import pytest

from memex_mcp.errors import Denied, Invalid
from memex_mcp.model.kinds import Author, Status, Trust
from memex_mcp.policy.status import check_move, outranked
from tests.card import card
from tests.make import make_caller, make_record

AGENT_MAY = {
    (Status.ACTIVE, Status.DISPUTED),
    (Status.ACTIVE, Status.SUPERSEDED),
    (Status.ACTIVE, Status.RETRACTED),
    (Status.ACTIVE, Status.ARCHIVED),
    (Status.DISPUTED, Status.SUPERSEDED),
    (Status.DISPUTED, Status.RETRACTED),
    (Status.DISPUTED, Status.ARCHIVED),
    (Status.CANDIDATE, Status.RETRACTED),
    (Status.CANDIDATE, Status.ARCHIVED),
    (Status.SUPERSEDED, Status.RETRACTED),
    (Status.ARCHIVED, Status.RETRACTED),
}
MOVES = [(old, new) for old in Status for new in Status if old is not new]
TO_OTHERS = [(old, new) for old, new in MOVES if new is not Status.CANDIDATE]


@card("status.moves")
@pytest.mark.parametrize(("old", "new"), TO_OTHERS)
def test_an_agent_makes_only_the_moves_of_the_table(old: Status, new: Status) -> None:
    record, agent = make_record(status=old), make_caller()

    if (old, new) in AGENT_MAY:
        check_move(record, new, agent)
        assert outranked(agent.writes_as, record) is False
    else:
        with pytest.raises(Denied):
            check_move(record, new, agent)


@pytest.mark.parametrize(("old", "new"), TO_OTHERS)
def test_a_person_makes_every_move_but_half_a_return(old: Status, new: Status) -> None:
    person = make_caller(human=True, writes_as=Author.HUMAN)
    record = make_record(status=old)

    if old is Status.RETRACTED and new is not Status.ACTIVE:
        with pytest.raises(Invalid):
            check_move(record, new, person)
    else:
        check_move(record, new, person)
        assert record.status is old


@pytest.mark.parametrize("human", [False, True])
def test_nobody_moves_a_record_to_candidate_or_to_where_it_is(human: bool) -> None:
    caller = make_caller(human=human, writes_as=Author.HUMAN if human else Author.AGENT)

    with pytest.raises(Invalid):
        check_move(make_record(status=Status.ACTIVE), Status.CANDIDATE, caller)
    with pytest.raises(Invalid):
        check_move(make_record(status=Status.DISPUTED), Status.DISPUTED, caller)
    check_move(make_record(status=Status.ACTIVE), Status.ARCHIVED, caller)


@pytest.mark.parametrize(
    ("author", "trust"),
    [
        (Author.HUMAN, Trust.VERIFIED),
        (Author.HUMAN, Trust.UNTRUSTED),
        (Author.AGENT, Trust.VERIFIED),
    ],
)
def test_an_agent_does_not_touch_what_a_person_stands_behind(author: Author, trust: Trust) -> None:
    theirs = make_record(author=author, trust=trust)
    own = make_record(author=Author.AGENT, trust=Trust.UNTRUSTED)

    with pytest.raises(Denied) as caught:
        check_move(theirs, Status.RETRACTED, make_caller())
    check_move(own, Status.RETRACTED, make_caller())

    assert "supersedes" in caught.value.hint


@pytest.mark.parametrize(
    ("writer", "author", "below"),
    [
        (Author.HUMAN, Author.HUMAN, False),
        (Author.AGENT, Author.HUMAN, True),
        (Author.AGENT, Author.FILE, False),
        (Author.FILE, Author.AGENT, False),
        (Author.DERIVED, Author.FILE, True),
        (Author.LLM, Author.DERIVED, True),
        (Author.DERIVED, Author.LLM, False),
    ],
)
def test_rank_decides_who_may_replace_whom(writer: Author, author: Author, below: bool) -> None:
    assert outranked(writer, make_record(author=author)) is below
