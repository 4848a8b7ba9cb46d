"""What a person is shown of a change, also in the middle of much that stays."""

from pathlib import Path

from memex_adapters.steps import Edit


def shown(before: str, after: str) -> list[str]:
    edit = Edit(path=Path("f"), before=before.encode(), after=after.encode(), what=("server",))
    return edit.diff().splitlines()


def test_only_what_changes_is_shown() -> None:
    assert shown("a\nb\nc\n", "a\nc\nd\n") == ["-b", "+d"]
    assert shown("", "a\n") == ["+a"]
    assert shown("a\n", "a\na\n") == ["+a"]
    assert shown("a\nb\n", "a\nb\n") == []


def test_of_a_line_only_the_words_that_change_are_shown() -> None:
    assert shown('{"key": "secret"}\n', '{"key": "secret", "memex": 1}\n') == ['+…, "memex": 1…']


def test_a_large_file_is_compared_at_once() -> None:
    lines = [line for at in range(20_000) for line in ("  {", f'    "id": {at}', "  },")]
    changed = ["ours", *lines[:30_000], "ours", *lines[30_000:], "ours"]

    assert shown("\n".join(lines), "\n".join(changed)) == ["+ours", "+ours", "+ours"]


def test_a_line_of_many_words_is_compared_at_once() -> None:
    words = '{"a": 1}, ' * 300
    before, after = f"[{words}]\n", f"[ours, {words}ours]\n"

    assert shown(before, after) == ["+…ours, …ours…"]
