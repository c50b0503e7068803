"""Readiness follows the last step of each loop, not its beginning."""

from tarsy_service.loop_progress import ServiceLoops


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_loop_that_steps_is_no_reason() -> None:
    clock = Clock()
    loops = ServiceLoops(stalled_after=60, monotonic=clock)
    projected = loops.begin("projected")
    for _ in range(10):
        clock.now += 59
        projected.heartbeat()
    assert list(loops.unready_reasons()) == []


def test_a_loop_that_began_and_never_stepped_is_a_reason_after_its_limit() -> None:
    clock = Clock()
    loops = ServiceLoops(stalled_after=60, monotonic=clock)
    loops.begin("projected")
    clock.now += 60
    assert list(loops.unready_reasons()) == []
    clock.now += 13
    assert list(loops.unready_reasons()) == ["projected: no progress for 73 seconds"]


def test_each_loop_has_a_reason_of_its_own_and_loses_it_with_its_next_step() -> None:
    clock = Clock()
    loops = ServiceLoops(stalled_after=60, monotonic=clock)
    read, decided = loops.begin("read"), loops.begin("decided")
    clock.now += 61
    assert len(list(loops.unready_reasons())) == 2
    read.heartbeat()
    assert [reason.partition(":")[0] for reason in loops.unready_reasons()] == ["decided"]
    decided.heartbeat()
    assert list(loops.unready_reasons()) == []


def test_a_loop_that_ended_as_asked_is_forgotten() -> None:
    clock = Clock()
    loops = ServiceLoops(stalled_after=60, monotonic=clock)
    loops.begin("partition-3")
    clock.now += 500
    loops.end("partition-3")
    assert list(loops.unready_reasons()) == []
    assert loops.idle_seconds() == {}


def test_the_metric_shows_how_long_each_loop_has_been_idle() -> None:
    clock = Clock()
    loops = ServiceLoops(monotonic=clock)
    loops.begin("read")
    clock.now += 7
    assert loops.idle_seconds() == {"read": 7.0}
