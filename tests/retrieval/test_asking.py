import pytest

from memex_mcp.retrieval.asking import LONGEST, TAIL, Question, question
from memex_mcp.text.fence import Format, fenced

ANSWER = "The staging database listens on port 5433 behind the heron proxy."


@pytest.mark.parametrize(
    "prompt",
    [
        "which port does the staging database use?",
        "预发布数据库的端口在哪一份配置文件里",
        "why does `getUserById` return null in billing",
        "/usr/bin/memex is broken after the upgrade",
    ],
)
def test_a_prompt_that_says_enough_is_the_question(prompt: str) -> None:
    assert question(prompt) == Question(prompt)
    assert question(prompt, ANSWER) in (Question(prompt), Question(prompt, (ANSWER,)))


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("and the staging port?", id="short"),
        pytest.param("which timeout does that proxy have, and who set it?", id="points back"),
        pytest.param("把上面的端口改成六五四三并重启数据库", id="points back in Chinese"),
        pytest.param("數據庫端口", id="short in Chinese"),
    ],
)
def test_a_prompt_that_leans_on_the_answer_takes_it_along(prompt: str) -> None:
    assert question(prompt, ANSWER) == Question(prompt, (ANSWER,))
    assert question(prompt) == Question(prompt)


def test_a_long_prompt_stands_alone_even_where_it_points_back() -> None:
    prompt = (
        "Rename that proxy in the deployment files, restart the staging database, update the"
        " runbook, tell the on-call engineer, and check whether invoices still print."
    )

    assert question(prompt, ANSWER) == Question(prompt)


@pytest.mark.parametrize("prompt", ["continue", "继续", "what about it?", "上面那个呢", "it"])
def test_a_bare_pointer_asks_what_the_answer_says(prompt: str) -> None:
    assert question(prompt, ANSWER) == Question(ANSWER)
    assert question(prompt) is None


def test_one_word_is_no_question_by_itself() -> None:
    assert question("fix it") is None
    assert question("fix it", ANSWER) == Question(f"fix it\n{ANSWER}")
    assert question("fix the proxy") == Question("fix the proxy")


@pytest.mark.parametrize(
    "prompt",
    ["", " \n\u200b", "/compact", "/review the staging port", " /mcp:memex:recall port"],
)
def test_commands_and_empty_prompts_ask_nothing(prompt: str) -> None:
    assert question(prompt, ANSWER) is None


@pytest.mark.parametrize("prompt", ["ok", "Yes, please!", "thanks", "好的", "是的，谢谢", "???"])
def test_an_agreement_asks_nothing(prompt: str) -> None:
    assert question(prompt, ANSWER) is None


@pytest.mark.parametrize("form", Format)
def test_what_memory_said_before_is_not_asked_again(form: Format) -> None:
    block = fenced("the heron nests", label="recall", nonce="0a1b2c3d", format=form)
    cut = block.partition("nests")[0]
    asked, short = "which port does the staging database use", "and the staging port?"

    assert question(f"{block}\n\n{asked}") == Question(asked)
    assert question(f"{asked}\n{cut}") == Question(asked)
    assert question(block, ANSWER) is None
    assert question(short, f"{ANSWER}\n{block}") == Question(short, (ANSWER,))
    told = f"what does <memex-recall nonce=0a1b2c3d> mean, and {asked}"
    assert question(told) == Question(told)


def test_nothing_in_a_prompt_narrows_or_widens_the_search() -> None:
    asked = question("why is:superseded and tag:ops and before：2026 in the staging query")

    assert asked == Question("why is superseded and tag ops and before 2026 in the staging query")
    assert question("type: fact, std::vector and http://x.y/staging") == Question(
        "type: fact, std::vector and http://x.y/staging"
    )


def test_empty_chinese_words_make_no_pairs() -> None:
    assert question("我们应该怎么改数据库端口呢") == Question("改数据库端口呢")


def test_a_huge_prompt_gives_its_two_ends_and_a_huge_answer_its_last() -> None:
    middle = "log line\n" * 50_000

    asked = question(f"why does the proxy fail {middle} on the staging port")
    short = question("and the staging port?", middle + ANSWER)

    assert asked is not None and len(asked.text) <= LONGEST + 1
    assert asked.text.startswith("why does the proxy") and asked.text.endswith("staging port")
    assert short is not None and [len(each) for each in short.variants] == [TAIL]
    assert short.variants[0].endswith(ANSWER)


def test_a_prompt_full_of_beginnings_of_fences_is_read_in_time() -> None:
    head = fenced("", label="recall", nonce="0a1b2c3d").split("\n")[0]
    heads = "\n".join(head.replace("0a1b2c3d", f"{n:08x}") for n in range(10_000))

    assert question(f"why does the proxy fail\n{heads}") == Question("why does the proxy fail")
