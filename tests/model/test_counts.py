from dataclasses import dataclass, field

from memex_mcp.model.counts import plus


@dataclass(frozen=True)
class Part:
    number: int = 0
    names: dict[str, int] = field(default_factory=dict)
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Whole:
    parts: int = 0
    inner: Part = Part()


def test_two_reports_are_one_with_everything_in_it() -> None:
    one = Whole(1, Part(2, {"b": 1, "c": 1}, ("x",)))
    other = Whole(2, Part(3, {"a": 4, "b": 2}, ("y",)))

    whole = plus(one, other)

    assert whole == Whole(3, Part(5, {"a": 4, "b": 3, "c": 1}, ("x", "y")))
    assert list(whole.inner.names) == ["a", "b", "c"]
    assert plus(Whole(), one) == plus(one, Whole()) == one
