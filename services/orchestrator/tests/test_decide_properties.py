"""Repeated, late and competing inputs, in any order: never an exception, nothing decided twice, one outcome a call."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_contracts.events import ENDINGS
from tarsy_contracts.identities import stage_id, summary_id
from tarsy_orchestrator.answers import answers
from tarsy_orchestrator.consequences import consequences
from tarsy_orchestrator.decide import decide
from tarsy_orchestrator.evolve import evolve
from tarsy_orchestrator.owed import owed
from tarsy_orchestrator.state import ABSENT, Ended, Investigating, State
from tarsy_story import ALERT, DELETE, READ, SESSION, Story

LARGE = 100_000


def any_input(story: Story, drawn: random.Random) -> i.Input:
    """Something that could arrive now, or could have arrived long ago, or is about another session altogether."""
    calls = story.call_ids if isinstance(story.state, Investigating) else []
    call = drawn.choice([*calls, *(summary_id(call) for call in calls), "nobody's call"])
    claim = drawn.choice(["claim-1", "claim-2"])
    choices: list[i.Input] = [
        i.AlertReceived(alert=ALERT),
        i.ToolsOffered(stage_id=stage_id(SESSION, 1), tools=(READ, DELETE), unavailable_servers=()),
        story.claim(call, claim),
        story.claim(call, claim),
        i.CallNotStarted(call_id=call, claim_id=claim, worker_id="worker-1", reason="not_started"),
        story.result(call, claim_id=claim, size=drawn.choice([4, LARGE])),
        story.result(call, claim_id=claim),
        story.summary(call, error=drawn.choice(["", "no"])),
        i.WorkerDied(call_id=call, claim_id=claim, worker_id="worker-1"),
        i.DeadlinePassed(call_id=call),
    ]
    if drawn.random() < 0.03:
        choices.append(i.CancelRequested(request_id=drawn.choice(["r1", "r2"]), author="ann"))
    if isinstance(story.state, Investigating) and story.state.execution and story.state.execution.waiting_for:
        tools = tuple(drawn.choices([READ, DELETE], k=drawn.randrange(3)))
        text = drawn.choice(["", "the cause"]) if tools else drawn.choice(["", "the cause", "the cause"])
        choices += [story.answer(text, tools=tools, error=drawn.choice(["", "", "overloaded"]))] * 3
    return drawn.choice(choices)


def play(seed: int, length: int) -> tuple[Story, list[i.Input]]:
    """A session under a random sequence of inputs, each also delivered again at its old offset now and then."""
    drawn = random.Random(seed)
    story = Story(max_iterations=drawn.randrange(1, 4))
    taken: list[i.Input] = []
    for _ in range(length):
        arriving = drawn.choice(taken) if taken and drawn.random() < 0.2 else any_input(story, drawn)
        taken.append(arriving)
        story.when(arriving, input_id=f"input-{drawn.randrange(5)}")
        answers(story.state, arriving)
        owed(story.state)
    return story, taken


def outcomes(story: Story) -> Counter[str]:
    return Counter(r.event.call_id for r in story.log if isinstance(r.event, e.ToolCallCompleted))


@settings(max_examples=300, deadline=None)
@given(st.integers(), st.integers(1, 120))
def test_every_call_has_one_outcome_and_every_session_one_end(seed: int, length: int) -> None:
    story, _ = play(seed, length)
    assert all(count == 1 for count in outcomes(story).values())
    ends = [record for record in story.log if record.envelope.type in ENDINGS]
    assert len(ends) <= 1
    if ends:
        assert isinstance(story.state, Ended)
        assert outcomes(story).keys() == story.state.calls.keys()


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_what_was_decided_is_never_decided_again(seed: int, length: int) -> None:
    """A redelivery of the whole inbox, at the offsets that it had, decides nothing."""
    story, taken = play(seed, length)
    for offset, again in enumerate(taken):
        if isinstance(again, i.LlmCallReported | i.ToolsOffered) or offset > story.state.decided:
            continue
        assert decide(SESSION, story.state, story.given(again, offset=offset)) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_the_owners_own_inputs_are_recognised_when_they_come_again(seed: int, length: int) -> None:
    story, taken = play(seed, length)
    answered = {r.event.llm_call_id for r in story.log if isinstance(r.event, e.LlmCallCompleted | e.LlmCallFailed)}
    for again in taken:
        if isinstance(again, i.LlmCallReported) and again.llm_call_id in answered:
            assert decide(SESSION, story.state, story.given(again)) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_the_state_follows_from_the_log_alone(seed: int, length: int) -> None:
    story, _ = play(seed, length)
    state: State = ABSENT
    for record in story.log:
        state = evolve(state, record)
    assert state == story.state


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_a_running_session_always_waits_for_something(seed: int, length: int) -> None:
    """It owes a call, or it would hang for ever; and nothing that follows by itself was left out."""
    story, _ = play(seed, length)
    if isinstance(story.state, Investigating):
        assert owed(story.state)
        assert list(consequences(story.state)) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_only_the_granted_claim_reports_an_unrepeatable_call(seed: int, length: int) -> None:
    story, _ = play(seed, length)
    claims: dict[str, str] = {}
    unsafe = {r.event.call_id for r in story.log if isinstance(r.event, e.ToolCallRequested) and not r.event.repeatable}
    for record in story.log:
        match record.event:
            case e.ToolCallStarted():
                claims[record.event.call_id] = record.event.claim_id
            case e.ToolCallReleased():
                del claims[record.event.call_id]
            case e.ToolCallCompleted(outcome="ok", call_id=call) if call in unsafe:
                assert record.event.claim_id == claims[call]
            case _:
                pass


@settings(max_examples=300, deadline=None)
@given(st.integers(), st.integers(1, 60), st.integers(0, 200))
def test_events_of_a_session_in_any_order_never_raise(seed: int, length: int, shuffle: int) -> None:
    """What no decision would write, a reader may still meet: it leaves the session alone and goes on."""
    story, _ = play(seed, length)
    records = list(story.log)
    random.Random(shuffle).shuffle(records)
    state: State = ABSENT
    for record in records:
        state = evolve(state, record)
        owed(state)
        decide(SESSION, state, story.given(i.AlertReceived(alert=ALERT), offset=10_000))
