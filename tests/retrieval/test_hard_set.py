"""The hard set is as hard as it says."""

from collections import Counter

from scripts.eval_hard_data import load, overlap

SET = load()


def test_no_question_shares_a_word_or_three_letters_or_two_characters_with_its_note() -> None:
    notes = SET.by_id

    shared = {
        asked.text: found
        for asked in SET.hard
        if asked.target and (found := overlap(asked.text, notes[asked.target].text))
    }

    assert shared == {}
    assert overlap("Who runs it?", "Four runners are at work.") == {"run"}
    assert overlap("備份在哪裡", "数据库备份三十天") == {"备份"}


def test_the_set_is_as_large_as_it_has_to_be() -> None:
    asked = Counter(each.target for each in SET.hard)

    assert len(SET.notes) >= 40
    assert all(asked[note.id] >= 2 for note in SET.notes)
    assert len({each.text for each in SET.hard}) == len(SET.hard)
    assert {note.language for note in SET.notes} == {"en", "zh", "mixed"}
    assert len(SET.human) >= 45
    assert sum(each.target is None for each in SET.human) >= 8
    assert all(2 <= len(each.variants) <= 4 for each in (*SET.hard, *SET.human))
