import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memex_mcp.text import names
from memex_mcp.text.names import stem
from memex_mcp.text.words import (
    identifiers,
    index_terms,
    is_identifier,
    query_terms,
    quoted,
    term_set,
    terms,
)


def rules(name: str) -> list[Any]:
    return list(getattr(names._porter, name))


# What the rules of Porter look for, and some that they do not.
ENDS = st.sampled_from(
    [each.s for rule in ("a_0", "a_1", "a_2", "a_3", "a_4", "a_5") for each in rules(rule)]
    + ["e", "y", "ll", "at", "ck", "gh", "th", "ow", "ab", "ur"]
)
ANY = st.text(st.characters(), max_size=60)
# Text dense in what joins, splits and combines.
KNOTTY = st.text(
    st.sampled_from("aZé9_./\\:@-'’+# \u0301字用軟ガｶﾞก่हि한ß①…“\u200b\ud800\x00𠮷ﬁ"), max_size=40
)
NOTE = "步2 重跑gen-itgc后50条悬空引用清零"


@pytest.fixture(scope="module")
def tokenizer() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61')")
    database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    yield database
    database.close()


def finds(query: str, text: str) -> bool:
    return set(query_terms(query)) <= set(index_terms(text).split())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        *[pytest.param(q, NOTE, id=q) for q in ["悬空", "itgc", "gen", "重跑", "引用清零"]],
        pytest.param("gen-itgc", NOTE, id="whole at a script border"),
        pytest.param("步", NOTE, id="one character"),
        pytest.param("悬空引用", "懸空引用", id="simplified finds traditional"),
        pytest.param("懸空引用", NOTE, id="traditional finds simplified"),
        pytest.param("ＩＴＧＣ", NOTE, id="full width"),
        pytest.param("getUserById", "call getUserById(3)", id="camel whole"),
        pytest.param("user", "call getUserById(3)", id="camel part"),
        pytest.param("get_user_by_id", "call getUserById(3)", id="snake finds camel"),
        pytest.param("getUserById", "get_user_by_id", id="camel finds snake"),
        pytest.param("src/a/b.py:42", "see src/a/b.py:42.", id="path and line"),
        pytest.param("src/a/b.py", "see src/a/b.py:42.", id="path without line"),
        pytest.param("b.py", "see src/a/b.py:42.", id="file name"),
        pytest.param("src", "see src/a/b.py:42.", id="folder"),
        pytest.param("E1234", "fails with E1234", id="error code"),
        pytest.param("1234", "fails with E1234", id="error number"),
        pytest.param("v2.3.1", "since v2.3.1,", id="version"),
        pytest.param("2.3.1", "since v2.3.1,", id="version without v"),
        pytest.param("2.3", "since v2.3.1,", id="minor version"),
        pytest.param("cafe", "Café", id="accent"),
        pytest.param("the user", "a user's home", id="possessive"),
        pytest.param("cpp", "in C++", id="C++"),
        pytest.param("password", "pass\u00adword", id="soft hyphen"),
        pytest.param("हिन्दी", "यह हिन्दी है", id="vowel signs"),
        pytest.param("ไทย", "ภาษาไทย", id="Thai"),
        pytest.param("𠮷野", "𠮷野家", id="beyond the basic plane"),
        pytest.param("한국", "한국어", id="Hangul"),
    ],
)
def test_query_finds_text(query: str, text: str) -> None:
    assert query_terms(query)
    assert finds(query, text)
    assert not finds(query, "nothing of the kind 无关")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("running", "running run", id="word and stem"),
        pytest.param("getUserById", "getuserbyid get user by id", id="camel"),
        pytest.param("HTTPServer", "httpserver http server", id="acronym"),
        pytest.param("get_ids2", "getids2 get ids2 ids id 2", id="snake with digits"),
        pytest.param("src/a/b.py:42", "srcabpy42 srcabpy src a bpy b py 42", id="path"),
        pytest.param("v2.3.1", "v2x3x1 v2 v 2x3x1 2x3 2 3 1", id="version"),
        pytest.param("don't", "dont don", id="contraction"),
        pytest.param("3f2a9c1b4d", "3f2a9c1b4d", id="hash stays whole"),
        pytest.param("重跑gen后", "重 重跑 跑 gen 后", id="script border"),
        pytest.param("a" * 100, "a" * 64, id="long run"),
        pytest.param("", "", id="nothing"),
        pytest.param(" …!? \x00\ud800", "", id="no words"),
    ],
)
def test_text_becomes_these_terms(text: str, expected: str) -> None:
    assert index_terms(text) == expected


def test_versions_and_addresses_that_only_move_their_dots_differ() -> None:
    assert not finds("2.31", "2.3.1")
    assert not set(query_terms("10.0.1.12")[:1]) & set(query_terms("10.0.11.2")[:1])
    assert finds("10.0.1.12", "at 10.0.1.12:80")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("What is the name of the server?", "name server", id="English"),
        pytest.param("数据库的端口", "数 数据 据 据库 库 库的 的端 端 端口 口", id="Chinese"),
        pytest.param("请问gen怎么重跑？", "请 问 gen 怎 么重 重 重跑 跑", id="pairs that only ask"),
        pytest.param("版本何时发布", "版 版本 本 本何 何 时 时发 发 发布 布", id="when"),
        pytest.param("where is it", "where is it", id="nothing else left"),
        pytest.param("我们", "我 我们 们", id="nothing else left in Chinese"),
        pytest.param("willing", "willing will", id="its stem is a stop word"),
        pytest.param("server server", "server", id="once"),
    ],
)
def test_question_is_searched_by_its_telling_words(question: str, expected: str) -> None:
    assert " ".join(query_terms(question)) == expected


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, KNOTTY))
def test_terms_lie_in_the_text_and_read_the_same_as_the_index(text: str) -> None:
    found = terms(text)

    assert index_terms(text) == " ".join(term.text for term in found)
    assert all(0 <= term.start < term.end <= len(text) for term in found)
    assert [term.start for term in found] == sorted(term.start for term in found)
    assert set(query_terms(text)) <= {term.text for term in found}


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, KNOTTY), st.one_of(ANY, KNOTTY))
def test_some_terms_are_those_of_all_that_are_wanted(text: str, other: str) -> None:
    found = terms(text)
    wanted = term_set(other) | {term.text for term in found[::3]}

    assert terms(text, wanted) == [term for term in found if term.text in wanted]
    assert term_set(text) == {term.text for term in found}


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY, KNOTTY))
def test_every_term_is_one_token_of_fts5(tokenizer: sqlite3.Connection, text: str) -> None:
    found = [term.text for term in terms(text)]

    tokenizer.execute("DELETE FROM t")
    tokenizer.executemany("INSERT INTO t(rowid, x) VALUES(?, ?)", list(enumerate(found, start=1)))
    tokens = dict(tokenizer.execute("SELECT doc, count(*) FROM v GROUP BY doc").fetchall())
    assert tokens == dict.fromkeys(range(1, len(found) + 1), 1)
    assert all(0 < len(term) <= 64 and term.isalnum() for term in found)


@settings(deadline=None)
@given(st.one_of(ANY, KNOTTY))
def test_names_and_phrases_never_raise(text: str) -> None:
    assert len(identifiers(text)) <= 64
    assert all(phrase.strip() == phrase != "" for phrase in quoted(text))


@pytest.mark.parametrize(
    "word",
    [
        *["getUserById", "get_user", "gen-itgc", "os.path", "src/a.py", "C:\\a", "v2.3", "1.2.3"],
        *["E1234", "ECONNRESET", "SIGKILL", "sha256", "std::vector", "me@host", "C++"],
    ],
)
def test_name_is_an_identifier(word: str) -> None:
    assert is_identifier(word)


@pytest.mark.parametrize(
    "word", ["server", "Server", "HTTP", "42", "2nd", "e.g", "10:30", "", "字"]
)
def test_plain_word_is_no_identifier(word: str) -> None:
    assert not is_identifier(word)


def test_identifiers_come_whole_and_once() -> None:
    text = "`getUserById` in src/a/b.py:42 (v2.3.1) broke gen-itgc后 with E1234; getUserById's fix"

    assert identifiers(text) == ["getuserbyid", "src/a/b.py:42", "v2.3.1", "gen-itgc", "e1234"]
    assert len(identifiers(" ".join(f"name_{n}" for n in range(100)))) == 64


def test_quoted_phrases_come_in_order() -> None:
    text = """He said "new plan", 'old plan' and “third”, 「第四」, 《第五》 then `code`;
    don't, can't, "new plan" """

    assert quoted(text) == ["new plan", "old plan", "third", "第四", "第五", "code"]


@given(begins=st.text("aeioubdlnrstvyz", min_size=3, max_size=6), ends=st.lists(ENDS, max_size=3))
def test_a_stem_is_what_porters_rules_make_of_any_word(begins: str, ends: list[str]) -> None:
    word = "".join([begins, *ends])

    assert stem.__wrapped__(word) == (names._porter.stemWord(word) or word)


def test_stems_agree_whichever_thread_asks() -> None:
    words = [f"{a}{b}ing" for a in "bcdfghjklm" for b in ("ark", "ound", "ext", "ump")] * 5
    alone = [stem.__wrapped__(word) for word in words]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(stem.__wrapped__, words))
    assert together == alone
    assert "barking" not in alone
