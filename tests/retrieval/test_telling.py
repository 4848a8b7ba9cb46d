"""What of a question tells whether a text answers it, and what a text is about."""

from memex_mcp.retrieval.evidence import Candidate, Coverage, cover
from memex_mcp.retrieval.moments import asks_when, says_when
from memex_mcp.retrieval.query import ask as parse
from tests.retrieval.using import ask, found, put, store


def covered(text: str, question: str, *, more: bool = False) -> Coverage:
    with store() as db:
        record = put(db, text)
        return cover(parse(db, question), Candidate(1, record, text, more=more))


def test_a_name_on_record_is_a_friend_and_another_is_a_stranger() -> None:
    with store("Melanie and her kids painted a sunset.") as db:
        friend = parse(db, "When did Melanie paint it?").telling
        both = parse(db, "Did she paint Melanie or Joanna?").telling
        stranger = parse(db, "When did Joanna paint it?").telling

    assert (len(friend.names), friend.stranger, friend.lost) == (1, False, False)
    assert (len(both.names), both.stranger, both.lost) == (1, True, False)
    assert (len(stranger.names), stranger.stranger, stranger.lost) == (0, True, True)


def test_a_question_about_somebody_on_record_needs_less() -> None:
    texts = [f"Paola: I was at the lake, and on day {n} it rained." for n in range(12)]
    with store(*texts) as db:
        wanted = put(db, "Paola: my mother cooked soup, so we stayed in.").id

        known = found(db, "Which dinner did Paola enjoy with her mother in autumn?")
        unknown = found(db, "Which dinner did Nicolas enjoy with her mother in autumn?")

    assert known[0] == wanted
    assert unknown == []


def test_pairs_that_hold_a_joining_character_carry_nothing() -> None:
    with store("松鸦的羽毛是蓝色的。") as db:
        asked = parse(db, "松鸦的羽毛")
        content = {asked.concepts[place].forms[0] for place in asked.telling.content}

    assert content == {"松鸦", "羽毛"}


def test_the_longest_stretch_counts_in_characters_and_in_words() -> None:
    with store("松鸦属于鸦科的鸟", "the harbour crane is greased at night") as db:
        han = parse(db, "松鸦属于鸟").telling
        latin = parse(db, "is the harbour crane greased at dawn").telling
        pairs = {place for _, place in han.pairs}

    assert han.run(pairs) >= 4
    assert han.run(set()) == 0
    assert latin.row(set(latin.spaced)) == len(latin.spaced)
    assert latin.row(set(latin.spaced[:2])) == 2
    assert latin.row({latin.spaced[0], latin.spaced[2]}) == 1


def test_a_short_text_is_about_its_first_word() -> None:
    said = covered("Melanie: I painted the kitchen.", "What did Melanie paint?")
    told = covered("The kitchen was painted by Melanie.", "What did Melanie paint?")
    long = covered("Melanie: I painted the kitchen.", "What did Melanie paint?", more=True)

    assert (said.subject, told.subject, long.subject) == (True, False, False)


def test_who_says_it_comes_before_who_is_told() -> None:
    with store() as db:
        told = put(db, "Tim: Melanie, did you paint the kitchen again this spring?").id
        said = put(db, "Melanie: I did paint the kitchen again, and the hall too.").id

        first = found(db, "Which rooms did Melanie paint?")[0]

    assert first == said != told


def test_a_time_is_asked_for_and_said() -> None:
    assert all(map(asks_when, ("When was it?", "how long is it", "什么时候搬家", "哪一年")))
    assert not any(map(asks_when, ("Who was it?", "whenever", "谁搬家")))
    assert all(map(says_when, ("We met last week.", "in 2024", "on Monday", "上周三", "3月5日")))
    assert not any(map(says_when, ("We met at the lake.", "20245 rows", "湖边")))


def test_a_text_that_says_when_comes_first_where_a_time_is_asked_for() -> None:
    with store() as db:
        plain = put(db, "The old harbour crane was greased by the watch.").id
        timed = put(db, "The old harbour crane was greased last Monday.").id

        when = found(db, "When was the old harbour crane greased?")
        who = ask(db, "Who greased the old harbour crane?", explain=True).hits

    assert set(when) == {plain, timed}
    assert when[0] == timed
    assert all(hit.parts is not None and hit.parts["timed"] == 0 for hit in who)
