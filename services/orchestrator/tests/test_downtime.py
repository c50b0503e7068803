"""An outage uses up no time of calls, iterations and sessions. Pure."""

from datetime import timedelta
from functools import partial

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.timing import GAP_SECONDS, GRACE_SECONDS
from tarsy_orchestrator.effects.dispatch import PAUSES, DispatchedCall, PublishRequest, ReportNotice
from tarsy_session.deadlines import CANCEL_GRACE
from tarsy_session.decide import decide
from tarsy_session.decision_input import DecisionInput
from tarsy_session.downtime import NEVER, Downtime
from tarsy_session.effects import DeadlineEffect, SummaryEffect, ToolCallEffect, effects_of
from tarsy_session.queue_requests import request_of
from tarsy_testing.story.story import BEGINNING, DELETE, READ, SECOND, SESSION, Story

MINUTE = 60 * SECOND
GRACE = GRACE_SECONDS * SECOND


def outage(begin: float, end: float, *, known_until: float | None = None) -> Downtime:
    known = None if known_until is None else BEGINNING + known_until * SECOND
    return Downtime(((BEGINNING + begin * SECOND, BEGINNING + end * SECOND),), known_until=known)


def test_an_outage_and_the_grace_after_it_do_not_count() -> None:
    since, deadline = BEGINNING, BEGINNING + MINUTE
    assert Downtime().has_passed(since, deadline, deadline)
    for seconds in (5.0, 63.0, 3600.0):
        down = outage(10, 10 + seconds)
        end = deadline + seconds * SECOND + GRACE
        assert not down.has_passed(since, deadline, end - timedelta(milliseconds=1))
        assert down.has_passed(since, deadline, end)
        assert down.postpone(since, deadline) == end


def test_what_lies_before_the_call_does_not_put_its_deadline_off() -> None:
    down = outage(-100, -0.5)
    assert down.has_passed(BEGINNING, BEGINNING + MINUTE, BEGINNING + MINUTE)
    assert down.postpone(BEGINNING, BEGINNING + MINUTE) == BEGINNING + MINUTE


def test_of_outages_that_overlap_with_the_grace_of_others_each_moment_counts_once() -> None:
    times = ((0, 10), (12, 20), (21, 30))
    spans = tuple((BEGINNING + begin * SECOND, BEGINNING + end * SECOND) for begin, end in times)
    assert Downtime(spans).postpone(BEGINNING, BEGINNING + MINUTE) == BEGINNING + MINUTE + 30 * SECOND + GRACE


def test_while_nobody_knows_whether_this_is_an_outage_no_deadline_passes() -> None:
    deadline = BEGINNING + MINUTE
    down = Downtime(known_until=BEGINNING + 50 * SECOND)
    assert not down.has_passed(BEGINNING, deadline, BEGINNING + timedelta(hours=1))
    down = Downtime(known_until=deadline - GAP_SECONDS * SECOND)
    assert down.has_passed(BEGINNING, deadline, deadline)
    assert not Downtime(known_until=NEVER).has_passed(BEGINNING, deadline, BEGINNING + timedelta(days=1))


def when_deadline(story: Story, id: str, at: float, downtime: Downtime) -> list[e.Event]:
    given = DecisionInput(
        input=i.DeadlinePassed(call_id=id), input_id="d", at=BEGINNING + at * SECOND, offset=1000, downtime=downtime
    )
    return decide(SESSION, story.state, given)


def test_the_tool_that_ended_ok_during_the_outage_is_not_recorded_as_unknown() -> None:
    """The owner's deadline was in its inbox before the gateway's report was."""
    story = Story().calling(DELETE)
    call = story.call_ids[0]
    story.when(story.claim(call))
    assert [event.type for event in when_deadline(story, call, 75, Downtime())][:1] == ["tool_call.completed"]
    assert when_deadline(story, call, 75, outage(10, 73)) == []
    (completed, *_) = story.when(story.result(call, "deleted"))
    assert isinstance(completed, e.ToolCallCompleted)
    assert completed.outcome == "ok"


def test_killed_and_back_after_a_minute_a_read_only_call_goes_on() -> None:
    """The new owner knows of no announcement of ours between the old owner's last and its own first."""
    story = Story().calling(READ)
    call = story.call_ids[0]
    assert when_deadline(story, call, 66, outage(4, 63, known_until=66)) == []
    nothing_kept = Downtime(((NEVER, BEGINNING + 63 * SECOND),), known_until=BEGINNING + 66 * SECOND)
    assert when_deadline(story, call, 66, nothing_kept) == []
    completed = when_deadline(story, call, 145, outage(4, 63, known_until=145))[0]
    assert isinstance(completed, e.ToolCallCompleted)
    assert (completed.outcome, completed.content) == ("unavailable", "No result after 60 seconds.")


@pytest.mark.parametrize("of", ["summary", "iteration", "session"])
def test_summaries_iterations_and_sessions_are_given_the_time_back_too(of: str) -> None:
    story = Story().calling(READ)
    if of == "summary":
        story.when(story.result(story.call_ids[0], size=1_000_000))
    limits = story.chain.limits
    seconds = {
        "summary": limits.summary_seconds,
        "iteration": limits.iteration_seconds,
        "session": limits.session_seconds,
    }[of]
    limited = [one for one in effects_of(story.state) if isinstance(one, SummaryEffect | DeadlineEffect)]
    id = next(one.id for one in limited if one.deadline - one.since == seconds * SECOND)
    assert when_deadline(story, id, seconds + 60, Downtime()) != []
    assert when_deadline(story, id, seconds + 60, outage(10, 70)) == []
    assert when_deadline(story, id, seconds + 90, outage(10, 70)) != []


def test_a_cancelled_session_waits_out_an_outage_for_what_may_have_taken_effect() -> None:
    story = Story().calling(DELETE)
    story.when(story.claim(story.call_ids[0]))
    cancelled = (story.now - BEGINNING).total_seconds() + 1
    story.when(i.CancelRequested(request_id="r", author="ann"))
    after = cancelled + CANCEL_GRACE.total_seconds() + 1
    assert when_deadline(story, SESSION, after, outage(cancelled + 0.1, after - 0.1)) == []
    assert when_deadline(story, SESSION, after, Downtime()) != []


def owed_call(story: Story) -> ToolCallEffect:
    (call,) = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    return call


def test_what_is_noticed_and_what_workers_are_told_follow_the_same_clock() -> None:
    story = Story().calling(READ)
    call = owed_call(story)
    queued, down = DispatchedCall(call), outage(10, 73)
    at = call.deadline + 63 * SECOND
    assert isinstance(queued.step(0.0, at, worker_dead=False, downtime=down), PublishRequest)
    assert isinstance(queued.step(0.1, at + GRACE, worker_dead=False, downtime=down), ReportNotice)
    request = request_of(SESSION, story.investigating, call, down)
    assert isinstance(request, ToolCallRequest)
    assert request.not_after == at + GRACE


def test_after_an_outage_a_request_is_soon_published_again() -> None:
    """What lay in the queue meanwhile may be too old for every worker, and the pause may have grown to 30 seconds."""
    story = Story().calling(READ)
    queued = DispatchedCall(owed_call(story), partial(PAUSES, draw=lambda: 0.0))
    for second in range(30):
        queued.step(float(second), story.now, worker_dead=False)
    steps = [queued.step(30.0 + second, story.now, worker_dead=False, downtime=outage(5, 70)) for second in range(5)]
    assert [isinstance(step, PublishRequest) for step in steps] == [False, False, False, False, True]


def test_after_an_outage_that_made_the_last_one_longer_a_request_is_soon_published_again() -> None:
    """Kafka was back for one announcement, and went again: the two are one outage on record."""
    story = Story().calling(READ)
    queued = DispatchedCall(owed_call(story), partial(PAUSES, draw=lambda: 0.0))
    for second in range(60):
        queued.step(float(second), story.now, worker_dead=False, downtime=outage(5, 20))
    longer = outage(5, 70)
    steps = [queued.step(60.0 + second, story.now, worker_dead=False, downtime=longer) for second in range(5)]
    assert [isinstance(step, PublishRequest) for step in steps] == [False, False, False, False, True]
