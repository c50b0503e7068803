"""What goes into the queues."""

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.chain import ApprovalRule, ResolvedServer, SummaryRule
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_session.effects import SummaryEffect, ToolCallEffect, effects_of
from tarsy_session.evolve import evolve
from tarsy_session.queue_requests import request_of
from tarsy_session.state import NOT_STARTED, SessionState
from tarsy_testing.story.story import DELETE, READ, SESSION, Story, agent, chain, stage


def summary_request(of_server: str, of_chain: str, stand_ins: tuple[str, ...] | None = None) -> SummaryRequest:
    rule = SummaryRule(llm_provider=of_server, summary_max_token_limit=77)
    reader = agent("A", fallbacks=("second", "third")).model_copy(
        update={"servers": (ResolvedServer(server="kubernetes", summary=rule),)}
    )
    summaries = {"summary_llm_provider": of_chain, "summary_fallbacks": stand_ins}
    story = Story(plan=chain(stage(reader)).model_copy(update=summaries)).calling(READ)
    story.when(story.result(story.call_ids[0], size=1_000_000))
    (summary,) = [one for one in effects_of(story.state) if isinstance(one, SummaryEffect)]
    request = request_of(SESSION, story.investigating, summary)
    assert isinstance(request, SummaryRequest)
    return request


@pytest.mark.parametrize(
    ("of_server", "of_chain", "asked"),
    [("special", "general", "special"), ("", "general", "general"), ("", "", "scripted")],
)
def test_a_summary_is_written_by_whom_its_server_names_or_the_chain_or_whom_the_agent_asks(
    of_server: str, of_chain: str, asked: str
) -> None:
    assert summary_request(of_server, of_chain).llm_provider == asked


def test_a_request_tells_how_often_its_call_became_free_again() -> None:
    story = Story().calling(READ)
    (call,) = story.call_ids
    assert _releases(story) == 0
    story.when(story.claim(call))
    story.when(i.CallNotStarted(call_id=call, claim_id="claim-1", worker_id="worker-1", reason="busy"))
    assert _releases(story) == 1


def _releases(story: Story) -> int:
    (owed,) = [one for one in effects_of(story.state) if isinstance(one, ToolCallEffect)]
    request = request_of(SESSION, story.investigating, owed)
    assert request is not None
    return request.releases


def last_call_as_first_read(story: Story) -> ToolCallEffect:
    """An owner reads the log event by event: the call is owed before it reads what the same decision says of it."""
    state: SessionState = NOT_STARTED
    for record in story.log:
        state = evolve(state, record)
        if isinstance(record.event, e.ToolCallRequested):
            (effect,) = [one for one in effects_of(state) if isinstance(one, ToolCallEffect)]
    return effect


def test_nothing_is_requested_for_a_call_that_was_rejected_at_once() -> None:
    story = Story().asking()
    unknown = READ.model_copy(update={"definition": READ.definition.model_copy(update={"name": "nobody__knows"})})
    story.when(story.answer(tools=(unknown,)))
    assert request_of(SESSION, story.investigating, last_call_as_first_read(story)) is None


def test_nothing_is_requested_for_a_call_before_a_person_has_approved_it() -> None:
    server = ResolvedServer(server="kubernetes", allow=("*",), approve=ApprovalRule(changing=True))
    story = Story(plan=chain(stage(agent(server=server)))).calling(DELETE)
    effect = last_call_as_first_read(story)
    assert request_of(SESSION, story.investigating, effect) is None
    story.when(story.decision(story.call_ids[0]))
    assert request_of(SESSION, story.investigating, effect) is not None


def test_a_summary_falls_back_as_its_agent_would() -> None:
    assert summary_request("second", "").fallback_providers == ("third",)


def test_a_summary_falls_back_on_those_of_summaries_where_there_are_any() -> None:
    assert summary_request("cheap", "", ("cheap", "fast")).fallback_providers == ("fast",)
    assert summary_request("second", "", ()).fallback_providers == ()


def test_a_summary_is_as_long_as_its_server_says() -> None:
    assert summary_request("", "").max_tokens == 77
