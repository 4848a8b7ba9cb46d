import pytest

from memex_mcp.errors import Invalid
from memex_mcp.model.ids import encode, is_id, new_id, new_session_id
from memex_mcp.model.times import from_ms, iso, now, parse_time, to_ms


def test_ids_ascend_also_within_one_millisecond() -> None:
    ids = [new_id() for _ in range(2000)]

    assert ids == sorted(set(ids))
    assert all(map(is_id, ids))


def test_an_id_begins_with_its_time() -> None:
    early, late = new_id(1_000_000_000_000), new_id(1_000_000_000_001)

    assert early < late
    assert early[:10] == encode(1_000_000_000_000 << 80)[:10]


@pytest.mark.parametrize(
    "text", ["", "01", "8" + "0" * 25, "0" * 25 + "U", "0" * 27, "0" * 25 + "é"]
)
def test_what_is_no_id_is_told(text: str) -> None:
    assert not is_id(text)
    assert is_id("0" * 26)


def test_session_ids_are_new_each_time() -> None:
    assert new_session_id() != new_session_id()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-30", "2026-11-30T00:00:00.000Z"),
        ("2026-11-30T10:15:00.123456Z", "2026-11-30T10:15:00.123Z"),
        ("2026-11-30T10:15:00+08:00", "2026-11-30T02:15:00.000Z"),
        (" 2026-11-30T10:15 ", "2026-11-30T10:15:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_whole_milliseconds_in_utc(text: str, shown: str) -> None:
    moment = parse_time(text)

    assert iso(moment) == shown
    assert from_ms(to_ms(moment)) == moment
    assert parse_time(iso(now())) <= now()


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "99999999999", "10000-01-01"])
def test_what_is_no_time_is_told_with_the_name_of_the_field(text: str) -> None:
    with pytest.raises(Invalid, match="valid_from is not a date or time"):
        parse_time(text, "valid_from")
