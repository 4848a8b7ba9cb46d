import pytest

from memex_mcp.policy.sameness import contradicts, similarity


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(
            "The staging database listens on port 5433.",
            "The staging database listens on port 6543.",
            id="another number",
        ),
        pytest.param(
            "Deploy with the blue script on Fridays.",
            "Never deploy with the blue script on Fridays.",
            id="never",
        ),
        pytest.param("部署前要跑冒烟测试", "部署前不要跑冒烟测试", id="不要"),
        pytest.param("网关端口是 8080", "网关端口是 9090", id="another number, Chinese"),
    ],
)
def test_the_same_but_for_a_value_or_a_not_contradicts(left: str, right: str) -> None:
    assert contradicts(left, right)
    assert contradicts(right, left)
    assert not contradicts(left, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(
            "The staging database listens on port 5433.",
            "The production cache lives 14 days in the east region.",
            id="different things",
        ),
        pytest.param(
            "Use tabs in Makefiles.", "Use tabs in Makefiles, always.", id="no value differs"
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_other_pairs_do_not(left: str, right: str) -> None:
    assert not contradicts(left, right)


def test_similarity_counts_common_content_words() -> None:
    text = "the gateway rejects unsigned builds"

    assert similarity(text, text) == 1.0
    assert 0 < similarity(text, "the gateway accepts signed builds") < 1
    assert similarity(text, "lunch menu") == 0.0
