"""A turn is cut where no call waits for its result."""

from hypothesis import given
from hypothesis import strategies as st

from memex_mcp.capture.split import parts
from memex_mcp.model.turn import Role, Step
from tests.capture.steps import answered, asked, called, step, turn


@st.composite
def _turns(draw: st.DrawFn) -> list[Step]:
    """Calls, several at once, answered in any order, some never, some twice, between words."""
    steps = [asked("x" * draw(st.integers(0, 30)))]
    waiting: list[str] = []
    for number in range(1, draw(st.integers(1, 25))):
        what = draw(st.sampled_from(["call", "call", "answer", "answer", "again", "say"]))
        text = "y" * draw(st.sampled_from([0, 1, 10, 90, 400]))
        if what == "call":
            waiting.append(f"c{number}")
            steps.append(called(number, f"c{number}", "Read", text))
        elif what in ("answer", "again") and waiting:
            call = draw(st.sampled_from(waiting))
            if what == "answer":
                waiting.remove(call)
            steps.append(answered(number, call, "Read", text))
        else:
            steps.append(step(number, text=text))
    return steps


def _size(part: tuple[Step, ...]) -> int:
    return sum(len(each.text) for each in part)


@given(steps=_turns(), limit=st.sampled_from([1, 20, 100, 1000]))
def test_every_step_is_in_one_part_in_order_and_beside_the_result_of_its_call(
    steps: list[Step], limit: int
) -> None:
    cut = [tuple(part) for part in parts(turn(*steps), limit)]

    assert [each for part in cut for each in part] == steps
    assert all(cut)
    for call in {call for each in steps for call in each.calls}:
        holding = [part for part in cut for each in part if call in (*each.calls, *each.results)]
        assert len(set(map(id, holding))) == 1


@given(steps=_turns(), limit=st.sampled_from([20, 100, 1000]))
def test_a_part_is_longer_than_the_limit_only_if_it_cannot_be_cut(
    steps: list[Step], limit: int
) -> None:
    for part in (tuple(each) for each in parts(turn(*steps), limit)):
        if _size(part) > limit:
            finer = [tuple(each) for each in parts(turn(*part), 1) if _size(tuple(each))]
            assert len(finer) == 1


def test_a_result_of_a_megabyte_is_a_part_by_itself_with_its_call() -> None:
    steps = [
        asked("run it"),
        step(1, text="Let me look."),
        called(2, "c1", "Bash", "command: make"),
        answered(3, "c1", "Bash", "x" * 1_000_000),
        step(4, Role.ASSISTANT, "Done."),
    ]

    cut = parts(turn(*steps))

    assert [len(part) for part in cut] == [2, 2, 1]
    assert [tuple(part) for part in parts(turn(*steps), 10_000_000)] == [tuple(steps)]
