import pytest

from memex_mcp.model.kinds import Kind, Relation, Status
from memex_mcp.policy.association import HOLDERS, MOST, Tie, names, strongest, tie
from tests.make import make_record


def test_a_record_is_named_by_its_entities_and_tags_in_one_spelling() -> None:
    record = make_record(tags=("ops",), entities=(".\\Src\\Pool.py", "./src/pool.py", "POOL_SIZE"))

    assert names(record) == {"#ops", "=src/pool.py", "=pool_size"}


@pytest.mark.parametrize(
    ("over", "named"),
    [
        pytest.param({}, True, id="a current note"),
        pytest.param({"status": Status.DISPUTED}, True, id="disputed"),
        pytest.param({"status": Status.CANDIDATE}, False, id="a candidate"),
        pytest.param({"status": Status.SUPERSEDED}, False, id="superseded"),
        pytest.param({"status": Status.RETRACTED}, False, id="retracted"),
        pytest.param({"kind": Kind.SPAN}, False, id="a span"),
        pytest.param({"kind": Kind.CHECKPOINT}, False, id="a checkpoint"),
        pytest.param({"kind": Kind.DIGEST}, True, id="a digest"),
    ],
)
def test_archives_and_what_is_not_current_name_nothing(
    over: dict[str, object], named: bool
) -> None:
    assert bool(names(make_record(tags=("ops",), **over))) is named


@pytest.mark.parametrize(
    ("mine", "theirs", "rare", "expected"),
    [
        pytest.param("=a", "=a", "=a", Tie(Relation.SAME_ENTITY, 0.9), id="the same one entity"),
        pytest.param("=a =b", "=a =c", "=a", Tie(Relation.SAME_ENTITY, 0.5 + 0.4 / 3), id="of 3"),
        pytest.param("=a =b", "=a =b =c", "=a", Tie(Relation.SAME_ENTITY, 0.5 + 0.8 / 3), id="2/3"),
        pytest.param("=a =b", "=a =c", "", None, id="a common entity"),
        pytest.param("=a", "=b", "=a =b", None, id="nothing shared"),
        pytest.param("#a", "#a", "#a", Tie(Relation.RELATED, 0.6), id="the same tag"),
        pytest.param("#a #b", "#a", "#a", Tie(Relation.RELATED, 0.3), id="half of the tags"),
        pytest.param("#a #b", "#a #c", "#a", None, id="a third of the tags"),
        pytest.param("#a", "=a", "=a #a", None, id="a tag is no entity"),
        pytest.param(
            "=a #t", "=a #u", "=a", Tie(Relation.SAME_ENTITY, 0.9), id="tags do not count"
        ),
        pytest.param(
            "=a #t", "=a #t", "", Tie(Relation.RELATED, 0.6), id="common entity, same tag"
        ),
    ],
)
def test_two_records_are_tied_by_what_they_share(
    mine: str, theirs: str, rare: str, expected: Tie | None
) -> None:
    one, other, few = (frozenset(each.split()) for each in (mine, theirs, rare))

    found = tie(one, other, few)

    assert found == tie(other, one, few)
    assert (found is None) is (expected is None)
    if found and expected:
        assert found.relation is expected.relation
        assert found.weight == pytest.approx(expected.weight)


def test_the_strongest_ties_are_kept_and_the_newest_of_equals() -> None:
    weak, strong = Tie(Relation.RELATED, 0.3), Tie(Relation.SAME_ENTITY, 0.9)
    many = dict.fromkeys(range(1, MOST + 3), weak) | {1: strong}

    kept = strongest(many)

    assert list(kept) == [1, *range(MOST + 2, 3, -1)]
    assert HOLDERS < MOST
