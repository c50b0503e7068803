"""The same text is summarised once in an execution: what asks for it again gets the summary that there is."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedServer
from tarsy_contracts.conversation import ToolDefinition, Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.ids import iteration_id, summary_id
from tarsy_session.conversations.conversation import build_conversation
from tarsy_session.effects import SummaryEffect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, AtRest, SessionState
from tarsy_testing.story.story import KUBERNETES, READ, SECOND, Story, agent, chain, stage, types

LARGE = 1_000_000
TEXT = "api-7 was killed"
SPENT = Usage(input_tokens=9_000, output_tokens=90)
ATTEMPTS = (e.SummaryAttempt(provider="scripted", model="m", usage=SPENT),)
OTHER = e.OfferedTool(
    server="logs",
    tool="tail",
    repeatable=True,
    definition=ToolDefinition(name="logs__tail", description="reads", input_schema={}),
)


@dataclass(frozen=True, slots=True)
class Returned:
    """With a digest it lies in pieces, and the event has its beginning."""

    content: str = TEXT
    size: int = LARGE
    digest: str | None = None


SAME = Returned()


def result(story: Story, call: str, returned: Returned = SAME) -> list[e.Event]:
    reported = story.result(call, returned.content, size=returned.size)
    if returned.digest is None:
        return story.when(reported)
    pieces = (e.Piece(offset=1, size=returned.size),)
    stored = e.StoredResult(partition=0, pieces=pieces, size=returned.size, lines=9, digest=returned.digest)
    return story.when(reported.model_copy(update={"cut": True, "stored": stored}))


def summarised(story: Story, call: str, *, error: str = "", cut: bool = False) -> list[e.Event]:
    report = story.summary(summary_id(call), "It was killed.", error=error)
    sizes = {"usage": SPENT, "attempts": ATTEMPTS, "tokens_before": 30_000, "tokens_after": 90, "cut": cut}
    return story.when(report.model_copy(update=sizes))


def asked_again(story: Story, *tools: e.OfferedTool) -> str:
    """The model asks for more in its next turn, in other words. Returns the first of the calls."""
    known = set(story.call_ids)
    answer = story.answer("Again.", tools=tools or (READ,))
    calls = tuple(call.model_copy(update={"arguments": {"since": len(known)}}) for call in answer.tool_calls)
    story.when(answer.model_copy(update={"tool_calls": calls}))
    return next(call for call in story.call_ids if call not in known)


def once(returned: Returned = SAME) -> Story:
    """A first result was asked for, and has its summary."""
    story = Story(max_iterations=9).calling(READ)
    result(story, story.call_ids[0], returned)
    summarised(story, story.call_ids[0])
    return story


def both_asked() -> tuple[Story, str, str]:
    """Two calls of one turn have returned the same; the first of them is being summarised."""
    story = Story(max_iterations=9).calling(READ, READ)
    first, second = story.call_ids
    result(story, first)
    result(story, second)
    return story, first, second


def owed_summaries(state: SessionState) -> list[str]:
    return [one.id for one in effects_of(state) if isinstance(one, SummaryEffect)]


def ever_owed(story: Story) -> set[str]:
    """Summaries that an owner would ask a worker for, as it reads the log event by event."""
    state: SessionState = NOT_STARTED
    owed: set[str] = set()
    for record in story.log:
        state = evolve(state, record)
        owed.update(owed_summaries(state))
    return owed


def ended(events: Sequence[e.Event]) -> e.SummaryCompleted:
    (found,) = [event for event in events if isinstance(event, e.SummaryCompleted)]
    return found


REUSED = ["tool_call.completed", "summary.requested", "summary.completed", "llm_call.requested"]
ASKED = ["tool_call.completed", "summary.requested"]
WORTHLESS = [("no model", False), ("", True)]


@pytest.mark.parametrize("returned", [SAME, Returned(digest="5f")], ids=["on the log", "stored"])
def test_the_same_text_in_a_later_turn_has_the_summary_at_once_and_no_worker_is_asked(returned: Returned) -> None:
    story = once(returned)
    first, second = story.call_ids[0], asked_again(story)
    events = result(story, second, returned)
    assert types(events) == REUSED
    assert (ended(events).content, ended(events).reused_from) == ("It was killed.", first)
    assert ever_owed(story) == {summary_id(first)}


def test_a_summary_that_is_reused_costs_nothing_and_keeps_its_sizes() -> None:
    story = once()
    reused = ended(result(story, asked_again(story)))
    assert (reused.usage, reused.attempts, reused.duration_ms, reused.request_digest) == (Usage(), (), 0, "")
    assert (reused.model, reused.tokens_before, reused.tokens_after) == ("scripted", 30_000, 90)


def test_the_agent_is_told_that_it_is_the_same_and_can_read_in_it() -> None:
    story = once()
    second = asked_again(story)
    result(story, second)
    told = build_conversation(story.investigating, story.execution()).messages[-1].content
    assert "1000000 bytes): the same as call 1 returned. This is the summary of that again. To read in it: " in told
    assert f'with result "{second[:8]}".]' in told
    assert "It was killed." in told


def test_all_that_come_later_name_the_first() -> None:
    story = once()
    for _ in range(3):
        assert ended(result(story, asked_again(story))).reused_from == story.call_ids[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SAME, Returned(content="api-8 was killed")),
        (SAME, Returned(size=LARGE + 1)),
        (Returned(digest="5f"), Returned(digest="60")),
        (Returned(digest=""), Returned(digest="")),
        (Returned(digest="5f"), SAME),
    ],
    ids=["another text", "another size", "another digest", "no digest, from an older gateway", "kept elsewhere"],
)
def test_what_is_not_known_to_be_the_same_is_summarised(first: Returned, second: Returned) -> None:
    story = once(first)
    assert types(result(story, asked_again(story), second)) == ASKED


def test_the_same_text_of_another_server_is_summarised_by_the_rules_of_that() -> None:
    both = agent(max_iterations=9).model_copy(
        update={"servers": (KUBERNETES, ResolvedServer(server="logs", allow=("*",)))}
    )
    story = Story(plan=chain(stage(both))).started()
    story.offered(READ, OTHER)
    story.when(story.answer(tools=(READ,)))
    result(story, story.call_ids[0])
    summarised(story, story.call_ids[0])
    assert types(result(story, asked_again(story, OTHER))) == ASKED


def test_another_agent_is_summarised_the_same_text_for_its_own_questions() -> None:
    story = Story(plan=chain(stage(agent("A"), agent("B")))).asking()
    for name in "AB":
        story.when(story.answer(tools=(READ,), agent=name))
    first, second = story.call_ids
    result(story, first)
    summarised(story, first)
    assert types(result(story, second)) == ASKED


@pytest.mark.parametrize(("error", "cut"), WORTHLESS, ids=["failed", "cut"])
def test_after_a_summary_that_failed_or_was_cut_it_is_asked_for_again_and_then_taken_from_that(
    error: str, cut: bool
) -> None:
    story = Story(max_iterations=9).calling(READ)
    result(story, story.call_ids[0])
    summarised(story, story.call_ids[0], error=error, cut=cut)
    second = asked_again(story)
    assert types(result(story, second)) == ASKED
    assert owed_summaries(story.state) == [summary_id(second)]
    summarised(story, second)
    assert ended(result(story, asked_again(story))).reused_from == second


def test_a_result_of_the_same_turn_waits_for_the_summary_that_is_being_made() -> None:
    story, first, second = both_asked()
    assert owed_summaries(story.state) == [summary_id(first)]
    assert story.investigating.calls[second].summary is not None
    events = summarised(story, first)
    assert types(events) == ["summary.completed", "summary.completed", "llm_call.requested"]
    assert [one.reused_from for one in events if isinstance(one, e.SummaryCompleted)] == ["", first]
    assert ever_owed(story) == {summary_id(first)}


def test_of_three_at_once_one_is_summarised() -> None:
    story = Story(max_iterations=9).calling(READ, READ, READ)
    for call in reversed(story.call_ids):
        result(story, call)
    summarised(story, story.call_ids[2])
    assert ever_owed(story) == {summary_id(story.call_ids[2])}
    assert story.asked().iteration == 2


@pytest.mark.parametrize(("error", "cut"), WORTHLESS, ids=["failed", "cut"])
def test_a_result_that_waited_is_asked_for_itself_when_the_first_summary_failed_or_was_cut(
    error: str, cut: bool
) -> None:
    story, first, second = both_asked()
    assert len(types(summarised(story, first, error=error, cut=cut))) == 1
    assert owed_summaries(story.state) == [summary_id(second)]
    assert types(summarised(story, second)) == ["summary.completed", "llm_call.requested"]


def test_a_result_that_waits_ends_with_its_iteration_and_the_agent_goes_on() -> None:
    story, first, second = both_asked()
    story.now += 400 * SECOND
    iteration = iteration_id(story.execution().id, story.execution().iteration)
    events = story.when(i.DeadlinePassed(call_id=iteration))
    assert types(events) == ["summary.failed", "summary.failed", "llm_call.requested"]
    assert [one.call_id for one in events if isinstance(one, e.SummaryFailed)] == [first, second]


def test_a_result_that_waits_ends_with_its_session() -> None:
    story, _, _ = both_asked()
    assert types(story.when(i.CancelRequested(request_id="r", author="ann"))).count("summary.failed") == 2
    assert isinstance(story.state, AtRest)


def test_a_summary_of_before_is_no_more_than_it_was() -> None:
    """Events of an older version have neither field, and an older orchestrator asked for each result."""
    old = {"summary_id": "s", "call_id": "c", "execution_id": "x", "timeout_seconds": 60}
    assert e.SummaryRequested.model_validate(old).same_as == ""
    done = {"summary_id": "s", "call_id": "c", "content": "short", "usage": {}, "model": "m", "duration_ms": 5}
    read = e.SummaryCompleted.model_validate(done)
    assert (read.reused_from, read.cut) == ("", False)
