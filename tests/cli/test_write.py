import pytest

from memex_mcp.text import tokens
from tests.card import card
from tests.cli.using import Run, expect_told, needs_vocabulary
from tests.process import memex

PORT = "The staging database listens on port 5433."
NEW = "The staging database listens on port 6543."
KEY = "ghp_" + "a1B2" * 9


def test_a_write_is_told_whole_to_programs(run: Run) -> None:
    ran = run("write", PORT, "--json")

    assert ran.named(ID=ran.json["id"]) == {
        "id": "ID",
        "outcome": "created",
        "status": "active",
        "trust": "untrusted",
        "scope": "workspace",
        "version": 1,
        "masked": [],
        "similar": [],
        "conflicts": [],
    }


@card("write.every_field")
def test_every_field_arrives(run: Run) -> None:
    options = (
        *("--title", "Port of staging", "--type", "fact", "--tag", "ops", "--tag", "db"),
        *("--alias", "pgstage", "--question", "Which port?", "--use-when", "the tunnel fails"),
        *("--source", "ops.md:12", "--source-version", "abc123", "--salience", "0.9"),
        *("--observed-at", "2026-01-02", "--valid-from", "2026-01-01"),
        *("--valid-to", "2999-01-01", "--expires-at", "2999-02-01", "--dedupe-key", "port"),
    )
    [record_id] = run("write", PORT, *options).ids

    read = run("open", record_id, "--json").json

    expected = {
        "title": "Port of staging",
        "type": "fact",
        "tags": ["ops", "db"],
        "aliases": ["pgstage"],
        "questions": ["Which port?"],
        "use_when": "the tunnel fails",
        "source": "ops.md:12",
        "source_version": "abc123",
        "salience": 0.9,
        "observed_at": "2026-01-02T00:00:00.000Z",
        "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_to": "2999-01-01T00:00:00.000Z",
        "expires_at": "2999-02-01T00:00:00.000Z",
        "dedupe_key": "port",
        "text": PORT,
        "author": "agent",
        "client": "cli",
        "surface": "cli",
        "trust": "untrusted",
    }
    assert {name: read[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        pytest.param(f"{PORT}\nSince 2024.\n", f"{PORT}\nSince 2024.\n", id="lines"),
        pytest.param("部署前必须先跑", "部署前必须先跑", id="Chinese"),
        pytest.param("\ufeffmarked", "marked", id="byte order mark"),
    ],
)
def test_standard_input_is_the_text(run: Run, typed: str, text: str) -> None:
    ran = memex("write", "-", typed=typed)

    assert ran.code == 0
    assert run("open", ran.ids[0], "--json").json["text"] == text


def test_what_cannot_be_read_or_stored_is_told(run: Run) -> None:
    expect_told(memex("write", "-", typed=b"\xff\xfe"), "invalid")
    expect_told(memex("write", "-"), "invalid")
    expect_told(run("write", ""), "invalid")
    expect_told(run("write", PORT, "--salience", "nan"), "invalid")
    expect_told(run("write", PORT, "--valid-from", "tomorrow"), "invalid")
    expect_told(run("write", PORT, "--id", "01" + "A" * 24), "not_found")
    too_long = memex("write", "-", typed="release branch " * 3000)

    expect_told(too_long, "invalid")
    assert "tokens" in too_long.err
    assert run("list").out == "Nothing is on record here.\n"
    assert run("write", PORT).code == 0


@needs_vocabulary
def test_a_note_near_the_limit_is_counted_exactly_and_others_are_estimated(run: Run) -> None:
    vietnamese = "Nhánh phát hành được cắt vào thứ năm hàng tuần. "
    shorter, near, longer = (vietnamese * times for times in (50, 92, 180))
    assert 2048 < tokens.estimate(near) < 1.25 * 2048

    estimated = run("write", shorter)
    counted_by_then = tokens.method()
    exact = run("write", near)

    assert (estimated.code, counted_by_then) == (0, tokens.METHOD_ESTIMATE)
    assert (exact.code, exact.err, tokens.method()) == (0, "", tokens.METHOD_EXACT)
    assert run("open", exact.ids[0], "--json").json["token_method"] == tokens.METHOD_EXACT
    expect_told(run("write", longer), "invalid")


def test_words_need_no_quotes(run: Run) -> None:
    [record_id] = run("write", "Staging", "listens", "on", "5433", "--type", "fact").ids

    assert run("open", record_id, "--json").json["text"] == "Staging listens on 5433"


def test_ids_may_be_typed_in_lower_case(run: Run) -> None:
    [old] = run("write", PORT).ids

    revised = run("write", NEW, "--id", old.lower())
    replaced = run("write", "Staging has no port.", "--supersedes", old.lower())

    assert revised.out == f"revised {old} (active, untrusted, workspace, version 2)\n"
    assert replaced.code == 0
    assert run("open", old.lower(), "--json").json["status"] == "superseded"


def test_the_same_again_is_counted(run: Run) -> None:
    [first] = run("write", PORT).ids

    again = run("write", PORT.upper())

    assert again.out.startswith(f"reinforced {first} (")


def test_a_secret_is_masked_and_told(run: Run) -> None:
    ran = run("write", f"CI deploys with {KEY} every night.")

    assert "masked before it was stored: github-token\n" in ran.out
    assert KEY not in ran.out
    assert "[MASKED:github-token]" in run("open", ran.ids[0]).out
    assert run("write", f"Its second key is {KEY}.", "--json").json["masked"] == ["github-token"]


def test_what_says_otherwise_is_shown(run: Run) -> None:
    [old] = run("write", PORT).ids

    new = run("write", NEW)

    assert "These say otherwise" in new.out
    assert new.ids[1:] == [old]
    assert [other["id"] for other in run("write", NEW[:-1] + "1.", "--json").json["conflicts"]]


def test_private_and_global_records_need_their_place(run: Run) -> None:
    expect_told(run("write", PORT, "--scope", "session"), "denied")
    expect_told(run("write", PORT, "--scope", "global"), "denied")

    private = run("write", PORT, "--scope", "session", "--session", "s-1")

    assert private.out.endswith("(active, untrusted, session)\n")
    assert run("search", "staging port").ids == []
    assert run("search", "staging port", "--session", "s-2").ids == []
    assert run("search", "staging port", "--session", "s-1").ids == private.ids
