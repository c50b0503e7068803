"""Repeated, late and competing inputs, in any order: never an exception, nothing decided twice, one outcome a call."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage, SubAgentLimits
from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events import ENDINGS
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import summary_id, tool_call_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.deadlines import list_deadlines
from tarsy_session.decide import decide
from tarsy_session.effects import LlmCallEffect, SummaryEffect, ToolCallEffect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.executions.children import ancestors_of
from tarsy_session.queue_requests import request_of
from tarsy_session.replies import replies_to
from tarsy_session.state import NOT_STARTED, AtRest, Execution, Investigating, SessionState
from tarsy_session.transitions import next_events
from tarsy_testing.story.story import ALERT, DELETE, READ, SESSION, Story, agent, chain, stage

LARGE = 100_000
SUB_AGENTS = ("Logs", "Metrics")
TEXTS = [
    "",
    "the cause",
    "Thought: let me look\nAction: kubernetes__pods_list\nAction Input: {}",
    "Thought: I know\nFinal Answer: the cause",
]


KINDS = ["provider_error", "rate_limited", "credentials", "stalled", "repetition", "iteration_timeout"]


def any_chain(drawn: random.Random) -> ResolvedChain:
    """One or two stages of one to three agents, of all kinds. Some may send others, and those again others."""
    plan = chain(
        *(any_stage(drawn, f"stage {number}") for number in range(drawn.randrange(1, 3))),
        executive_summary=drawn.random() < 0.5,
    )
    return plan.model_copy(update={"sub_agents": {name: any_agent(drawn, name) for name in SUB_AGENTS}})


def any_stage(drawn: random.Random, name: str) -> ResolvedStage:
    agents = tuple(any_agent(drawn, f"{name} agent {number}") for number in range(drawn.randrange(1, 4)))
    return stage(*agents, name=name, policy=drawn.choice(["any", "all"]))


def any_agent(drawn: random.Random, name: str) -> ResolvedAgent:
    made = agent(
        name,
        max_iterations=drawn.randrange(1, 4),
        controller=drawn.choice(["function_calling", "function_calling", "react", "single_shot"]),
        fallbacks=drawn.choice([(), (), ("second",), ("second", "third")]),
    )
    limits = SubAgentLimits(
        max_running=2, max_started=3, max_depth=drawn.randrange(1, 4), required=drawn.random() < 0.3, seconds=100.0
    )
    return made.model_copy(update={"sub_agents": drawn.choice([(), SUB_AGENTS]), "sub_agent_limits": limits})


def any_input(story: Story, drawn: random.Random) -> i.Input:
    """Something that could arrive now, or could have arrived long ago, or is about another session altogether."""
    state = story.state
    calls = story.call_ids if isinstance(state, Investigating) else []
    open_calls = [one.id for one in effects_of(state) if isinstance(one, ToolCallEffect | SummaryEffect)]
    call = drawn.choice([*calls, *(summary_id(call) for call in calls), *open_calls * 3, "nobody's call"])
    claim = drawn.choice(["claim-1", "claim-2"])
    stages = [one.started.stage_id for one in state.stages] if isinstance(state, Investigating) else []
    offered = i.ToolsOffered(stage_id=drawn.choice([*stages, "no stage"]), tools=(READ, DELETE), unavailable_servers=())
    choices: list[i.Input] = [
        i.AlertReceived(alert=story.alert),
        i.SessionAdmitted(),
        offered,
        offered,
        story.claim(call, claim),
        story.claim(call, claim),
        i.CallNotStarted(call_id=call, claim_id=claim, worker_id="worker-1", reason="not_started"),
        story.result(call, claim_id=claim, size=drawn.choice([4, LARGE])),
        story.result(call, claim_id=claim),
        story.summary(call, error=drawn.choice(["", "no"])),
        i.WorkerDied(call_id=call, claim_id=claim, worker_id="worker-1"),
        i.DeadlinePassed(call_id=call),
        story.resolution(),
    ]
    if drawn.random() < 0.03:
        choices.append(i.CancelRequested(request_id=drawn.choice(["r1", "r2"]), author="ann"))
    if isinstance(state, Investigating):
        choices += any_answers(story, state, drawn) * 2
        if drawn.random() < 0.05:
            choices += [i.DeadlinePassed(call_id=one.id) for one in list_deadlines(state)]
    return drawn.choice(choices)


def any_answers(story: Story, state: Investigating, drawn: random.Random) -> list[i.LlmCallReported]:
    answers = []
    for execution in state.executions.values():
        if execution.waiting_for is not None:
            tools = tuple(drawn.choices([READ, DELETE], k=drawn.randrange(3)))
            error = drawn.choice(["", "", "it did not work"])
            answer = story.answer(
                drawn.choice(TEXTS), tools=tools, error=error, kind=drawn.choice(KINDS), agent=execution.agent.name
            )
            wishes = any_delegation(answer.llm_call_id, state, drawn)
            answers.append(answer.model_copy(update={"tool_calls": (*answer.tool_calls, *wishes)}))
    return answers


def any_delegation(asked: str, state: Investigating, drawn: random.Random) -> Iterator[ToolCall]:
    """Calls of the tools of delegation, whether the agent has them or not."""
    dispatch = {"name": drawn.choice([*SUB_AGENTS, "Nobody"]), "task": drawn.choice(["look", "look", "read"])}
    cancel = {"execution_id": drawn.choice([*state.executions, "none"])}
    wishes = [("dispatch_agent", dispatch)] * 3 + [("cancel_agent", cancel), ("list_agents", {})]
    for index, (tool, arguments) in enumerate(drawn.choices(wishes, k=drawn.choice([0, 0, 1, 2]))):
        yield ToolCall(id=tool_call_id(asked, 100 + index), name=f"tarsy__{tool}", arguments=dict(arguments))


def play_steps(seed: int, length: int) -> Iterator[Story]:
    """The session after each input of `play`."""
    taken: list[i.Input] = []
    yield from _played(seed, length, taken)


def play(seed: int, length: int) -> tuple[Story, list[i.Input]]:
    """A session under a random sequence of inputs, each also delivered again at its old offset now and then."""
    taken: list[i.Input] = []
    (*_, story) = _played(seed, length, taken)
    return story, taken


def _played(seed: int, length: int, taken: list[i.Input]) -> Iterator[Story]:
    drawn = random.Random(seed)
    url = drawn.choice([None, None, "https://github.com/acme/books/blob/main/a.md"])
    story = Story(plan=any_chain(drawn), alert=ALERT.model_copy(update={"runbook_url": url}))
    yield story
    for _ in range(length):
        arriving = drawn.choice(taken) if taken and drawn.random() < 0.2 else any_input(story, drawn)
        taken.append(arriving)
        story.now += timedelta(seconds=drawn.choice([0] * 40 + [2, 70, 400]))
        story.when(arriving, input_id=f"input-{drawn.randrange(5)}")
        replies_to(story.state, arriving)
        effects_of(story.state)
        ask(story.state)
        yield story


def ask(state: SessionState) -> None:
    """What would be sent for each call that is owed can be composed."""
    if isinstance(state, Investigating):
        for one in effects_of(state):
            if isinstance(one, LlmCallEffect):
                build_conversation(state, one.execution)
            elif isinstance(one, ToolCallEffect | SummaryEffect):
                assert request_of(SESSION, state, one) is not None


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
        assert isinstance(story.state, AtRest)
        assert outcomes(story).keys() == story.state.calls.keys()


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_what_was_decided_is_never_decided_again(seed: int, length: int) -> None:
    """A redelivery of the whole inbox, at the offsets that it had, decides nothing."""
    story, taken = play(seed, length)
    for offset, again in enumerate(taken):
        if (
            isinstance(again, i.LlmCallReported | i.ToolsOffered | i.SessionAdmitted)
            or offset > story.state.last_decided_offset
        ):
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
    state: SessionState = NOT_STARTED
    for record in story.log:
        state = evolve(state, record)
    assert state == story.state


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 80))
def test_a_running_session_always_waits_for_something(seed: int, length: int) -> None:
    """It owes a call, or it would hang for ever; and nothing that follows by itself was left out."""
    story, _ = play(seed, length)
    if isinstance(story.state, Investigating):
        assert effects_of(story.state)
        assert list(next_events(story.state, story.now)) == []


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 200))
def test_whatever_started_has_ended_once_when_the_session_has(seed: int, length: int) -> None:
    story, _ = play(seed, length)
    events = [record.event for record in story.log]
    if not isinstance(story.state, AtRest):
        return
    begun = [one.stage_id for one in events if isinstance(one, e.StageStarted)]
    begun += [one.execution_id for one in events if isinstance(one, e.ExecutionStarted)]
    begun += [one.llm_call_id for one in events if isinstance(one, e.LlmCallRequested)]
    begun += [one.summary_id for one in events if isinstance(one, e.SummaryRequested)]
    ended = [one.stage_id for one in events if isinstance(one, e.StageCompleted)]
    ended += [one.execution_id for one in events if isinstance(one, e.ExecutionCompleted)]
    ended += [one.llm_call_id for one in events if isinstance(one, e.LlmCallCompleted | e.LlmCallFailed)]
    ended += [one.summary_id for one in events if isinstance(one, e.SummaryCompleted | e.SummaryFailed)]
    assert sorted(begun) == sorted(ended)


@settings(max_examples=200, deadline=None)
@given(st.integers(), st.integers(1, 120))
def test_nobody_works_on_for_an_agent_that_has_ended_and_no_limit_is_passed(seed: int, length: int) -> None:
    for story in play_steps(seed, length):
        if not isinstance(story.state, Investigating):
            continue
        executions = story.state.executions
        open_ones = [one for one in executions.values() if one.open and one.parent_id]
        assert all(executions[one.parent_id].open for one in open_ones)
        assert all(count <= 2 for count in Counter(one.parent_id for one in open_ones).values())
        assert all(is_within_depth(story.state, one) for one in executions.values())
        questions = Counter(one.event.llm_call_id for one in story.log if isinstance(one.event, e.LlmCallRequested))
        assert all(count == 1 for count in questions.values())


def is_within_depth(state: Investigating, execution: Execution) -> bool:
    above = ancestors_of(state, execution)
    return not above or len(above) <= above[-1].agent.sub_agent_limits.max_depth


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
    state: SessionState = NOT_STARTED
    for record in records:
        state = evolve(state, record)
        effects_of(state)
        decide(SESSION, state, story.given(i.AlertReceived(alert=story.alert), offset=10_000))
