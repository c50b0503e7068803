"""A call in a queue, on a clock of the test: when it is published, and what the owner notices. Pure."""

from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest

from tarsy_contracts.messages import inputs as i
from tarsy_orchestrator.effects.dispatch import (
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    PAUSES,
    DeadlineTimer,
    DispatchedCall,
    PublishRequest,
    ReportNotice,
)
from tarsy_session.effects import DeadlineEffect, ToolCallEffect, effects_of
from tarsy_testing.story.story import BEGINNING, READ, SECOND, Story


@pytest.fixture
def story() -> Story:
    return Story().calling(READ)


def queue(story: Story) -> DispatchedCall:
    """Its pauses are as long as they can be."""
    return DispatchedCall(owed_call(story), partial(PAUSES, draw=lambda: 0.0))


def owed_call(story: Story) -> ToolCallEffect:
    (call,) = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    return call


def publish_times(queued: DispatchedCall, story: Story, *, until: int) -> list[int]:
    steps = ((second, queued.step(float(second), story.now, worker_dead=False)) for second in range(until))
    return [second for second, step in steps if isinstance(step, PublishRequest)]


def test_a_request_that_nobody_claims_is_published_again_with_growing_pauses(story: Story) -> None:
    times = publish_times(queue(story), story, until=140)
    pauses = [later - sooner for sooner, later in pairwise(times)]
    assert times[0] == 0
    assert pauses == [4, 8, 16, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS]


def test_each_time_it_says_how_often_it_was_published(story: Story) -> None:
    queued = queue(story)
    first, second = (queued.step(now, story.now, worker_dead=False) for now in (0.0, FIRST_PAUSE_SECONDS))
    assert isinstance(first, PublishRequest)
    assert isinstance(second, PublishRequest)
    assert (first.attempt, second.attempt) == (1, 2)


def test_a_claimed_request_is_not_published(story: Story) -> None:
    story.when(story.claim(story.call_ids[0]))
    assert publish_times(queue(story), story, until=60) == []


def test_a_call_that_became_free_is_published_at_once_and_the_second_time_after_its_pause(story: Story) -> None:
    call_id = story.call_ids[0]
    queued = queue(story)
    assert isinstance(queued.step(0.0, story.now, worker_dead=False), PublishRequest)
    for release in (1, 2):
        story.when(story.claim(call_id))
        queued.update(owed_call(story))
        story.when(i.CallNotStarted(call_id=call_id, claim_id="claim-1", worker_id="worker-1", reason="busy"))
        queued.update(owed_call(story))
        step = queued.step(float(release), story.now, worker_dead=False)
        assert isinstance(step, PublishRequest) == (release == 1)


def test_a_call_that_a_worker_never_claimed_and_gave_back_goes_the_next_way_at_once_and_later_after_its_pause(
    story: Story,
) -> None:
    """Its worker has too much to do; what it gives back is no claim that the session knows."""
    queued = queue(story)
    assert queued.step(0.0, story.now, worker_dead=False) == PublishRequest(queued.effect, 1)
    queued.give_back("never claimed")
    assert queued.step(0.1, story.now, worker_dead=False) == PublishRequest(queued.effect, 3)
    queued.give_back("never claimed either")
    assert queued.step(0.2, story.now, worker_dead=False) is None
    assert queued.step(20.0, story.now, worker_dead=False) == PublishRequest(queued.effect, 5)


def test_a_claim_that_is_given_back_counts_once(story: Story) -> None:
    """Its release, which was decided, has published the call already."""
    queued, call_id = queue(story), story.call_ids[0]
    queued.step(0.0, story.now, worker_dead=False)
    story.when(story.claim(call_id))
    queued.update(owed_call(story))
    queued.give_back("of another worker")
    story.when(i.CallNotStarted(call_id=call_id, claim_id="claim-1", worker_id="worker-1", reason="not_started"))
    queued.update(owed_call(story))
    assert queued.step(1.0, story.now, worker_dead=False) == PublishRequest(queued.effect, 2)
    queued.give_back("claim-1")
    assert queued.step(1.1, story.now, worker_dead=False) is None


def test_the_death_of_its_worker_is_told_and_told_again_until_it_is_decided(story: Story) -> None:
    story.when(story.claim(story.call_ids[0]))
    queued = queue(story)
    told = [queued.step(now, story.now, worker_dead=True) for now in (0.0, 1.0, 2.9, 3.0)]
    died = ReportNotice(i.WorkerDied(call_id=story.call_ids[0], claim_id="claim-1", worker_id="worker-1"))
    assert told == [died, None, None, died]


def test_a_deadline_is_told_by_the_clock_of_the_broker(story: Story) -> None:
    queued = queue(story)
    deadline = owed_call(story).deadline
    assert isinstance(queued.step(0.0, deadline - timedelta(milliseconds=1), worker_dead=False), PublishRequest)
    assert queued.step(0.1, deadline, worker_dead=False) == ReportNotice(i.DeadlinePassed(call_id=story.call_ids[0]))


def test_without_the_time_of_the_broker_nothing_is_noticed(story: Story) -> None:
    queued = queue(story)
    assert isinstance(queued.step(0.0, None, worker_dead=False), PublishRequest)
    assert queued.step(0.1, None, worker_dead=False) is None


def test_the_end_of_an_iteration_is_told_by_the_clock_of_the_broker_and_again_until_it_is_decided() -> None:
    timer = DeadlineTimer(DeadlineEffect("iteration", BEGINNING, BEGINNING + 10 * SECOND))
    assert timer.step(1.0, None) is None
    assert timer.step(2.0, BEGINNING + 9 * SECOND) is None
    told = [second for second in range(3, 12) if timer.step(float(second), BEGINNING + 10 * SECOND)]
    assert told == [3, 6, 9]


def test_an_end_that_was_put_off_is_told_later() -> None:
    timer = DeadlineTimer(DeadlineEffect("iteration", BEGINNING, BEGINNING))
    timer.update(DeadlineEffect("iteration", BEGINNING, BEGINNING + 10 * SECOND))
    assert timer.step(1.0, BEGINNING + SECOND) is None
    assert timer.step(2.0, BEGINNING + 11 * SECOND) == ReportNotice(i.DeadlinePassed(call_id="iteration"))


def test_nothing_is_published_again_while_the_owner_has_inputs_before_it_among_which_the_claim_may_lie(
    story: Story,
) -> None:
    queued, published = queue(story), story.now
    assert isinstance(queued.step(0.0, published, worker_dead=False, undecided_since=published), PublishRequest)
    for second in range(4, 50):
        now = published + second * SECOND
        assert queued.step(float(second), now, worker_dead=False, undecided_since=published + 4 * SECOND) is None
    assert isinstance(queued.step(50.0, published + 50 * SECOND, worker_dead=False), PublishRequest)


def test_a_lost_request_is_published_again_also_in_a_backlog_that_never_ends(story: Story) -> None:
    """Once all is decided that came before the pause of the request was over: its claim does not lie behind that."""
    queued, published = queue(story), story.now
    assert isinstance(queued.step(0.0, published, worker_dead=False), PublishRequest)
    undecided = published + 4.1 * SECOND
    assert isinstance(
        queued.step(30.0, published + 30 * SECOND, worker_dead=False, undecided_since=undecided), PublishRequest
    )


def test_repeats_in_a_backlog_grow_no_more_than_without_one(story: Story) -> None:
    """An owner that decides half of what comes publishes a request half as often."""
    queued, published = queue(story), story.now
    times = []
    for second in range(59):
        now = published + second * SECOND
        undecided = None if second < 2 else published + second / 2 * SECOND
        if isinstance(queued.step(float(second), now, worker_dead=False, undecided_since=undecided), PublishRequest):
            times.append(second)
    assert times == [0, 9, 35], "4 and 8 seconds of the inbox after the one before"


def test_a_call_that_is_given_back_in_a_backlog_goes_the_next_way_at_once(story: Story) -> None:
    queued, published = queue(story), story.now
    assert isinstance(queued.step(0.0, published, worker_dead=False), PublishRequest)
    queued.give_back("never claimed")
    step = queued.step(0.1, published, worker_dead=False, undecided_since=published)
    assert step == PublishRequest(queued.effect, 3)
