"""The commands of a store that is configured for search by meaning, and of one that is not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.using import Run, expect_told
from tests.llm.endpoint import Endpoint, endpoint, rows
from tests.llm.offline import Concepts
from tests.process import at_terminal

MODEL = Concepts()
HERON = "The heron nests by the lake."


@pytest.fixture
def served(root: Path) -> Iterator[Endpoint]:
    """An endpoint that the store's config.toml names."""
    with endpoint(lambda texts: rows([list(MODEL.vector(text)) for text in texts])) as served:
        root.mkdir(mode=0o700)
        (root / "config.toml").write_text(
            f'[embedder]\nkind = "openai"\nmodel = "m"\nbase_url = "{served.base_url}"\n'
            f"dimensions = {MODEL.dimensions}\ntimeout = 30\n",
            encoding="utf-8",
        )
        yield served


def test_what_waits_is_embedded_on_request_and_then_found(run: Run, served: Endpoint) -> None:
    run("write", HERON)
    run("write", "Queues drain slowly on Mondays.")
    assert "2 chunks still to be embedded" in run("status").out

    first = run("rebuild", "--vectors", "--json").json
    again = run("rebuild", "--vectors")

    assert first == {"chunks": 2, "vectors": 2}
    assert (again.code, again.out) == (0, "Embedded 0 chunks.\n")
    assert "m at 127.0.0.1" in run("status").out
    (hit,) = run("search", "wading", "bird", "--json").json["hits"]
    assert (hit["title"], hit["via"]) == (HERON, "meaning")
    assert "m at 127.0.0.1" in run("doctor").out


def test_a_person_sees_how_far_it_is(served: Endpoint) -> None:
    at_terminal("write", HERON)

    told = at_terminal("rebuild", "--vectors")

    assert "1 chunks embedded, 0 to go" in told.out
    assert told.out.endswith("Embedded 1 chunk.\n")


def test_a_search_by_words_asks_no_model(run: Run, served: Endpoint) -> None:
    run("write", HERON)
    run("rebuild", "--vectors")
    served.asked.clear()

    assert run("search", "wading", "bird", "--words", "--json").json["hits"] == []
    assert served.asked == []
    assert len(run("search", "heron", "nests", "--words", "--json").json["hits"]) == 1
    assert len(run("search", "wading", "bird", "--json").json["hits"]) == 1


def test_what_is_off_is_said_when_vectors_are_asked_for(run: Run, root: Path) -> None:
    run("write", HERON)
    off = run("rebuild", "--vectors")
    (root / "config.toml").write_text("disabled = true\n", encoding="utf-8")
    disabled = run("rebuild", "--vectors")

    expect_told(off, "unavailable")
    assert "search by meaning is off" in off.err
    expect_told(disabled, "disabled")
    assert run("status").out.count("off: words only") == 1


def test_the_doctor_names_the_extra_that_is_missing(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("write", HERON)
    (root / "config.toml").write_text('[embedder]\nkind = "local"\n', encoding="utf-8")
    (root / "config.toml").chmod(0o600)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    told = run("doctor", "--json").json

    (fault,) = (each for each in told["findings"] if not each["ok"])
    assert fault["check"] == "embedder"
    assert "[dense]" in fault["fix"]
    (root / "config.toml").unlink()
    assert run("doctor", "--json").json["ok"]
