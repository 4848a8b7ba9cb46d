"""Points in time: aware, UTC, whole milliseconds; stored as an integer, shown as ISO 8601."""

from datetime import UTC, datetime, timedelta

from memex_mcp.errors import Invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def now() -> datetime:
    """This moment, cut to the millisecond."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970, rounded down; a time without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MILLISECOND


def from_ms(milliseconds: int) -> datetime:
    """The moment ``milliseconds`` after the start of 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as ``2026-11-30T10:15:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str, field: str = "time") -> datetime:
    """Read an ISO 8601 date or time; a date is its midnight, no zone means UTC.

    Raises:
        Invalid: ``text`` is neither; the message names ``field``.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        return from_ms(to_ms(moment))
    except (ValueError, OverflowError) as error:
        raise Invalid(
            f"{field} is not a date or time", "Write it like 2026-11-30 or 2026-11-30T10:15:00Z."
        ) from error
