"""Whatever a configuration file looks like, nothing in it that is not ours is ever touched."""

import json
from pathlib import Path

import pytest

from memex_adapters.errors import Unclear
from tests.adapters.corpus import SAMPLES, Sample
from tests.adapters.using import LATER, held, install, parses, pieces, tree, uninstall

TAKEN = [sample for sample in SAMPLES if not sample.refused]
REFUSED = [sample for sample in SAMPLES if sample.refused]


def named(sample: Sample) -> str:
    return f"{sample.kind}: {sample.name}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "client 中文's"
    folder.mkdir()
    return folder / "config file"


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(TAKEN) >= 40
    assert len({named(sample) for sample in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize("sample", TAKEN, ids=named)
def test_installing_twice_is_installing_once(sample: Sample, store: Path, file: Path) -> None:
    file.write_bytes(sample.content)
    install(store, pieces(sample.kind, file))
    once = file.read_bytes()

    install(store, pieces(sample.kind, file))

    assert once != sample.content
    assert file.read_bytes() == once
    parses(sample.kind, once)


@pytest.mark.parametrize("sample", TAKEN, ids=named)
def test_uninstalling_leaves_the_original_bytes(sample: Sample, store: Path, file: Path) -> None:
    file.write_bytes(sample.content)
    before = tree(file.parent)
    install(store, pieces(sample.kind, file))
    assert tree(file.parent) != before

    uninstall(store, pieces(sample.kind, file))

    assert tree(file.parent) == before
    assert not store.exists() or not list(store.iterdir())


@pytest.mark.parametrize("sample", TAKEN, ids=named)
def test_nothing_that_is_not_ours_moves(sample: Sample, store: Path, file: Path) -> None:
    file.write_bytes(sample.content)

    install(store, pieces(sample.kind, file))

    # Nothing was taken away and nothing changed its place: what was there is all there, in order.
    after = iter("".join(file.read_bytes().decode().split()))
    assert all(sign in after for sign in "".join(sample.content.decode().split()))


@pytest.mark.parametrize("sample", TAKEN, ids=named)
def test_uninstalling_without_receipts_takes_out_what_is_ours(
    sample: Sample, store: Path, file: Path
) -> None:
    file.write_bytes(sample.content)
    install(store, pieces(sample.kind, file))

    uninstall(store.with_name("lost"), pieces(sample.kind, file))

    left = file.read_bytes() if file.exists() else b""
    assert b"memex-mcp" not in left
    assert without_empty(held(sample.kind, left)) == without_empty(
        held(sample.kind, sample.content)
    )


@pytest.mark.parametrize("sample", TAKEN, ids=named)
def test_an_older_entry_is_brought_up_to_date_in_its_place(
    sample: Sample, store: Path, file: Path
) -> None:
    file.write_bytes(sample.content)
    install(store, pieces(sample.kind, file))
    old = file.read_bytes()

    install(store, pieces(sample.kind, file, LATER))
    new = file.read_bytes()
    uninstall(store, pieces(sample.kind, file))

    if sample.kind != "text":
        assert old != new
        assert b"neil" not in new
    assert old.count(b"memex") - old.count(b"/memex-mcp") == new.count(b"memex") - new.count(
        b"/memex-mcp"
    )
    parses(sample.kind, new)
    assert file.read_bytes() == sample.content


@pytest.mark.parametrize("sample", REFUSED, ids=named)
def test_what_cannot_be_understood_stays_as_it_is(sample: Sample, store: Path, file: Path) -> None:
    file.write_bytes(sample.content)
    before = tree(file.parent)

    with pytest.raises(Unclear) as refused:
        install(store, pieces(sample.kind, file))

    assert str(file) in str(refused.value)
    assert tree(file.parent) == before
    assert not store.exists()


def without_empty(value: object) -> object:
    """A value without containers that hold nothing: whose they were cannot be known."""
    if isinstance(value, dict):
        kept = {key: without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ({}, [])}
    return value


def test_hooks_of_ours_for_another_client_stay(store: Path, file: Path) -> None:
    other = LATER.hook_line("stop", "claude")
    command = {"type": "command", "command": other}
    file.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [command]}]}}), encoding="utf-8")
    install(store, pieces("json", file))
    assert file.read_text(encoding="utf-8").count(" hook stop ") == 2

    uninstall(store.with_name("lost"), pieces("json", file))

    left = json.loads(file.read_text(encoding="utf-8"))
    assert left == {"hooks": {"Stop": [{"hooks": [command]}]}}
