"""The mutations still fit the code and the tests that they name."""

import re
from collections import Counter
from pathlib import Path

import pytest

from scripts.mutations import ALL, Mutation

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("mutation", ALL, ids=lambda mutation: mutation.id)
def test_a_mutation_finds_its_code_and_its_tests(mutation: Mutation) -> None:
    source = (ROOT / mutation.file).read_text(encoding="utf-8")

    assert source.count(mutation.old) == 1, f"{mutation.file} moved on: {mutation.old!r}"
    assert mutation.new != mutation.old
    compile(source.replace(mutation.old, mutation.new), mutation.file, "exec")
    for selected in mutation.tests:
        path, _, name = selected.partition("::")
        tests = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?def {name or 'test_.*'}\(", tests, re.MULTILINE), selected


def test_every_mutation_has_a_name_of_its_own_and_a_quick_run_is_a_part_of_them() -> None:
    names = Counter(mutation.id for mutation in ALL)

    assert [name for name, count in names.items() if count > 1] == []
    assert 15 <= sum(mutation.quick for mutation in ALL) < len(ALL) / 3
