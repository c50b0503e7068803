"""ReconnectPauses between sessions: a list that was refused is asked for again after minutes."""

from tarsy_bus.retries import SPREAD
from tarsy_tool_gateway.mcp.pauses import (
    FIRST_REFUSED_SECONDS,
    LONGEST_PAUSE_SECONDS,
    LONGEST_REFUSED_SECONDS,
    ReconnectPauses,
)


def test_pauses_after_a_refusal_are_minutes_and_grow_to_a_limit() -> None:
    pauses = ReconnectPauses()
    taken = [pauses.take(0.1, refused=True) for _ in range(10)]
    assert min(taken) >= FIRST_REFUSED_SECONDS * SPREAD
    assert taken[-1] >= LONGEST_REFUSED_SECONDS * SPREAD
    assert max(taken) <= LONGEST_REFUSED_SECONDS


def test_pauses_after_a_loss_are_seconds_also_behind_a_refusal() -> None:
    pauses = ReconnectPauses()
    pauses.take(0.1, refused=True)
    assert max(pauses.take(0.1, refused=False) for _ in range(20)) <= LONGEST_PAUSE_SECONDS


def test_a_list_that_is_read_for_long_and_refused_makes_no_pause_shorter() -> None:
    pauses = ReconnectPauses()
    for _ in range(10):
        last = pauses.take(1000, refused=True)
    assert last >= LONGEST_REFUSED_SECONDS * SPREAD
