"""So many of a hundred sessions are traced as the setting says, and all of a session or nothing."""

from uuid import NAMESPACE_URL, uuid4, uuid5

import pytest
from opentelemetry.sdk.trace.sampling import Decision

from tarsy_service.telemetry.exporting import TraceSampler

KEPT = Decision.RECORD_AND_SAMPLE
SESSIONS = [uuid5(NAMESPACE_URL, f"session {number}").int for number in range(4_000)]
OTHERS = [uuid4().int for _ in range(200)]


def kept(ratio: float, traces: list[int]) -> set[int]:
    sampler = TraceSampler(ratio)
    return {trace for trace in traces if sampler.should_sample(None, trace, "decide").decision is KEPT}


@pytest.mark.parametrize("ratio", [0.01, 0.1, 0.25, 0.5, 0.75, 0.9])
def test_the_part_of_the_sessions_that_is_traced_is_the_one_that_was_set(ratio: float) -> None:
    assert len(kept(ratio, SESSIONS)) / len(SESSIONS) == pytest.approx(ratio, abs=0.03)


def test_nothing_and_everything_can_be_traced() -> None:
    assert kept(0.0, SESSIONS + OTHERS) == set()
    assert kept(1.0, SESSIONS + OTHERS) == {*SESSIONS, *OTHERS}


def test_a_greater_part_holds_every_trace_of_a_smaller_one() -> None:
    assert kept(0.1, SESSIONS) < kept(0.4, SESSIONS)
