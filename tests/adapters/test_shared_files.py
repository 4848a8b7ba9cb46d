"""Whatever stands in a client's files, its wiring goes in once and out without a trace."""

import json
from pathlib import Path

import pytest

from memex_adapters import text_json
from memex_adapters.errors import Unclear
from memex_adapters.launch import Launch
from memex_adapters.pieces import JsonEntry
from tests.adapters.corpus import SAMPLES, Kind, Sample
from tests.adapters.journeys import Spot, Wired, spots
from tests.adapters.using import held, parses, tree
from tests.adapters.wired import ALL, LAUNCH

SPOTS = list(spots())
JSON = [spot for spot in SPOTS if spot.kind != "text"]
READ_AS: dict[Kind, tuple[Kind, ...]] = {
    "json": ("json",),
    "comments": ("json", "comments"),
    "jsonc": ("json", "comments", "jsonc"),
    "text": ("text",),
}
# Broken for every reader, not only for a strict one.
BROKEN = ("cut off", "two values", "a list", "conflict marks", "latin 1", "utf 16")
# Broken where hooks stand in the same file; the last one where their events are Claude's.
HOOKS = ("doubled hooks", "hooks are a text", "an event is an object")
STRICT = ("comment in strict json", "trailing comma in strict json")


def taken(spot: Spot) -> list[Sample]:
    return [each for each in SAMPLES if each.kind in READ_AS[spot.kind] and not each.refused]


def refused(spot: Spot) -> list[Sample]:
    """What this client's own reader does not take."""
    if spot.kind == "json":
        names = {*BROKEN, *STRICT}
    else:
        own = {each.name for each in SAMPLES if each.kind == spot.kind and each.refused}
        names = own if spot.kind == "text" else {*own, *BROKEN}
    if spot.client in ("gemini", "qwen") and spot.kind != "text":
        names |= set(HOOKS[: 3 if spot.client == "qwen" else 2])
    return [each for each in SAMPLES if each.refused and each.name in names]


def pairs(kinds: str) -> list[tuple[Spot, Sample]]:
    choose = taken if kinds == "taken" else refused
    return [(spot, sample) for spot in SPOTS for sample in choose(spot)]


def named(value: Spot | Sample) -> str:
    return str(value) if isinstance(value, Spot) else value.name


def entry_of(wired: Wired, spot: Spot) -> JsonEntry:
    pieces = wired.module.pieces(wired.place, LAUNCH, ALL)
    return next(
        piece
        for piece in pieces
        if isinstance(piece, JsonEntry) and piece.path == wired.folder / spot.file
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "person 某人's"


def test_every_client_shares_a_file_and_the_corpus_means_something() -> None:
    assert len({spot.client for spot in SPOTS}) == 9
    assert {spot.kind for spot in SPOTS} == {"json", "comments", "jsonc", "text"}
    assert len(pairs("taken")) > 300
    assert len(pairs("refused")) > 100


@pytest.mark.parametrize(("spot", "sample"), pairs("taken"), ids=named)
def test_twice_is_once_nothing_foreign_moves_and_the_bytes_come_back(
    spot: Spot, sample: Sample, folder: Path
) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    file = wired.write(spot.file, "")
    file.write_bytes(sample.content)
    before = tree(folder)

    wired.install()
    once, left = tree(folder), file.read_bytes()
    wired.install()

    assert tree(folder) == once != before
    parses(spot.kind, left)
    signs = iter("".join(left.decode().split()))
    assert all(sign in signs for sign in "".join(sample.content.decode().split()))
    wired.uninstall()
    assert tree(folder) == before


@pytest.mark.parametrize(("spot", "sample"), pairs("refused"), ids=named)
def test_what_the_client_itself_cannot_read_stays_as_it_is(
    spot: Spot, sample: Sample, folder: Path
) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    wired.write(spot.file, "").write_bytes(sample.content)
    before = tree(folder)

    with pytest.raises(Unclear, match=Path(spot.file).name):
        wired.install()

    assert tree(folder) == before
    assert not wired.store.exists()


@pytest.mark.parametrize("spot", JSON, ids=named)
def test_somebody_elses_memex_is_left_alone_and_another_name_is_no_hindrance(
    spot: Spot, folder: Path
) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    keys = entry_of(wired, spot).keys
    theirs = {"command": "npx", "args": ["memex-notes", "serve"]}
    file = wired.write(spot.file, json.dumps({keys[0]: {"memex": theirs}}))
    before = tree(folder)

    with pytest.raises(Unclear, match="does not start memex"):
        wired.install()
    assert tree(folder) == before
    wired.uninstall()
    assert tree(folder) == before

    file.write_text(json.dumps({keys[0]: {"memex-notes": theirs}}), encoding="utf-8")
    wired.install()
    servers = text_json.find(file.read_text("utf-8"), keys[:-1], entry_of(wired, spot).dialect)
    assert servers["memex-notes"] == theirs
    assert set(servers) == {"memex", "memex-notes"}


@pytest.mark.parametrize("spot", JSON, ids=named)
def test_an_earlier_entry_of_ours_is_mended_in_place_and_what_a_person_added_stays(
    spot: Spot, folder: Path
) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    entry = entry_of(wired, spot)
    wired.install(launch=Launch(command="/old/venv/bin/memex-mcp"))
    file = folder / spot.file
    text = text_json.put(file.read_text("utf-8"), (*entry.keys, "note"), "mine", entry.dialect)
    file.write_text(text, encoding="utf-8")

    wired.install()

    left = file.read_text("utf-8")
    assert "/old/venv" not in left
    present = text_json.find(left, entry.keys, entry.dialect)
    assert present == {**entry.value, "note": "mine"}
    wired.uninstall(knowing=False)
    assert not file.exists() or "memex" not in file.read_text("utf-8")


@pytest.mark.parametrize("spot", JSON, ids=named)
def test_a_container_that_is_none_is_refused(spot: Spot, folder: Path) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    keys = entry_of(wired, spot).keys
    file = wired.write(spot.file, "")
    for text in (f'{{"{keys[0]}": []}}', f'{{"{keys[0]}": {{}}, "{keys[0]}": {{}}}}'):
        wired.write(spot.file, text)

        with pytest.raises(Unclear):
            wired.install()

        assert file.read_text("utf-8") == text
    file.write_text(f'{{"{keys[0]}": {{}}}}', encoding="utf-8")
    wired.install()
    assert LAUNCH.command in json.dumps(held(spot.kind, file.read_bytes()), ensure_ascii=False)


@pytest.mark.parametrize("spot", SPOTS, ids=named)
def test_links_stay_links_and_read_only_files_stay_as_they_are(spot: Spot, folder: Path) -> None:
    wired = Wired(folder, spot.client, spot.scope)
    target = wired.write("dotfiles/real", "")
    file = folder / spot.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(target)
    before = tree(folder)

    wired.install()
    assert file.is_symlink()
    assert "memex" in target.read_text("utf-8")
    wired.uninstall()
    assert tree(folder) == before

    target.chmod(0o444)
    before = tree(folder)
    with pytest.raises(Unclear, match="read-only"):
        wired.install()
    assert tree(folder) == before
