import pytest

from memex_mcp.capture.edited import Said, edited


def under(heading: str, *texts: str) -> list[Said]:
    return [Said(heading, text) for text in texts]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            under("Ports", "Staging listens on 6543."),
            under("Ports", "Staging listens on port 7000."),
            {0: 0},
            id="edited",
        ),
        pytest.param(
            under("A", "Staging listens on 6543."),
            under("B", "Staging listens on 6544."),
            {0: 0},
            id="edited and moved under another heading",
        ),
        pytest.param(
            under("Style", "Use tabs."), under("Style", "Prefer spaces."), {0: 0}, id="the only one"
        ),
        pytest.param(
            under("Style", "Use tabs.", "Wrap at 80 columns, always."),
            under("Style", "Prefer spaces."),
            {},
            id="not the only one that is gone",
        ),
        pytest.param(under("A", "Use tabs."), under("B", "Prefer spaces."), {}, id="elsewhere"),
        pytest.param(
            under("A", "Run the linter."), under("A", "数据库在 6543 端口。"), {}, id="unlike"
        ),
        pytest.param(
            under("", "The port is 1.", "The port is 2000."),
            under("", "The port is 2001.", "The port is 3."),
            {0: 1, 1: 0},
            id="the closest first, each once",
        ),
        pytest.param([], under("A", "one"), {}, id="nothing gone"),
    ],
)
def test_an_edit_is_told_from_a_new_statement(
    old: list[Said], new: list[Said], expected: dict[int, int]
) -> None:
    assert edited(old, new) == expected


def test_a_file_that_was_written_anew_is_not_compared() -> None:
    old = [Said("", f"Statement number {n} of the old file.") for n in range(120)]
    new = [Said("", f"Statement number {n} of the new file.") for n in range(120)]

    assert edited(old, new) == {}
    assert edited(old[:2], new[:2]) == {0: 0, 1: 1}
