from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.text.chunks import Chunk, chunks


def words(text: str, chunk: Chunk) -> int:
    return len(text[chunk.start : chunk.end].split())


def test_short_text_is_one_chunk() -> None:
    assert chunks("") == [Chunk(0, 0)]
    assert chunks("word " * 120) == [Chunk(0, 600)]
    assert len(chunks("word " * 121)) == 2


def test_long_text_is_cut_after_sentences_and_overlaps() -> None:
    text = "Nine words make up each sentence of this text. " * 60

    found = chunks(text)

    assert all(text[: chunk.end].endswith(". ") for chunk in found)
    assert all(text[chunk.start :].startswith("Nine") for chunk in found)
    assert all(60 <= words(text, chunk) <= 120 for chunk in found)
    assert all(10 <= words(text, Chunk(b.start, a.end)) <= 20 for a, b in pairs(found))


def test_paragraph_end_is_a_better_cut_than_a_sentence_end() -> None:
    text = "word " * 65 + "end.\n\n" + "More. " * 100

    assert text[: chunks(text)[0].end].endswith("end.\n\n")


def test_two_characters_count_as_one_word() -> None:
    text = "我们把数据库端口改成了五四三三。" * 40

    found = chunks(text)

    assert all(120 <= chunk.end - chunk.start <= 260 for chunk in found)
    assert all(text[: chunk.end].endswith("。") for chunk in found)
    assert len(chunks("字" * 240)) == 1 < len(chunks("字" * 242))


@pytest.mark.parametrize("unit", ["a", "字", "ab ", "字。", "é", "a.b-", "😀a"])
def test_megabyte_on_one_line_is_cut_into_small_chunks(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))

    found = chunks(text)

    assert len(found) > 50
    assert max(chunk.end - chunk.start for chunk in found) <= 120 * 65
    assert (found[0].start, found[-1].end) == (0, len(text))


@pytest.mark.parametrize("unit", [".", "\n", " ", "! ", "\x00"])
def test_megabyte_without_words_is_one_chunk(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))

    assert chunks(text) == [Chunk(0, len(text))]
    assert len(chunks(text + "word " * 300)) > 1


@settings(deadline=None)
@given(
    st.text(st.sampled_from("ab \n.!?字。，\ud800\u0301😀"), max_size=400),
    st.integers(1, 12),
    st.integers(0, 12),
)
def test_chunks_cover_every_character_in_order(text: str, size: int, overlap: int) -> None:
    found = chunks(text, size, overlap)

    assert (found[0].start, found[-1].end) == (0, len(text))
    assert all(a.start < b.start <= a.end < b.end for a, b in pairs(found))


def pairs(found: list[Chunk]) -> list[tuple[Chunk, Chunk]]:
    return list(pairwise(found))
