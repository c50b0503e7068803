"""The record of a session, made from the events of its log alone."""

from dataclasses import replace

import pytest

from tarsy_contracts.api.trace import LlmInteraction, SessionTrace, TracedExecution
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER
from tarsy_contracts.chain import ResolvedServer
from tarsy_contracts.conversation import ToolCall, Usage
from tarsy_contracts.events import SummaryAttempt
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.request_digest import digest_request
from tarsy_contracts.skills import PlannedSkill, Skill
from tarsy_contracts.timeline.changes import TimelineCreated, timeline_changes
from tarsy_session.conversations.model_request import compose_request
from tarsy_session.effects import SummaryEffect, effects_of
from tarsy_session.queue_requests import request_of
from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.prompt import summary_conversation
from tarsy_summary_prompt.request_focus import focus_of
from tarsy_testing.story.rating_phase import ANSWER, RATING, RESULT, planted
from tarsy_testing.story.story import ALERT, DELETE, READ, SESSION, Story, agent, chain, stage
from tarsy_timeline.record.llm_interactions import find_llm
from tarsy_timeline.record.mcp_interactions import find_mcp
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.session_trace import trace_of
from tarsy_timeline.record.skills import skills_of
from tarsy_timeline.record.summaries import describe_attempt, find_summary

LONG = "line of a log\n" * 4000
INPUT_BYTES = 2_000


def trace(story: Story) -> SessionTrace:
    return trace_of(replay(story.log), SESSION, len(story.log))


def executions(story: Story) -> list[TracedExecution]:
    return [execution for stage in trace(story).stages for execution in stage.executions]


def llm(story: Story, id: str) -> LlmInteraction:
    found = find_llm(story.log, id)
    assert found is not None
    return found


def types(execution: TracedExecution) -> list[str]:
    return [one.interaction_type for one in execution.llm_interactions]


def test_each_question_to_a_model_has_the_type_that_says_what_it_was_for() -> None:
    plan = chain(stage(agent("Events"), agent("Pods", max_iterations=1)), executive_summary=True)
    story = Story(plan=plan).asking()
    story.when(story.answer(tools=(READ,), agent="Pods"))
    story.when(story.result(story.call_ids[-1]))
    story.when(story.answer("It leaks.", agent="Pods"))
    story.when(story.answer("Since 03:00.", agent="Events"))
    story.when(story.answer("It leaks since 03:00."))
    story.when(story.answer("A leak."))
    story.questioned()
    story.when(story.answer(tools=(READ,)))
    story.when(story.result(story.call_ids[-1]))
    story.when(story.answer("Since 03:00, as I said."))

    assert [(one.agent_name, types(one)) for one in executions(story)] == [
        ("Events", ["iteration"]),
        ("Pods", ["iteration", "forced_conclusion"]),
        ("SynthesisAgent", ["synthesis"]),
        ("ExecSummaryAgent", ["executive_summary"]),
        ("Events", ["iteration", "chat_response"]),
    ]
    stages = trace(story).stages
    assert stages[1].referenced_stage_id == stages[0].stage_id
    assert [one.stage_type for one in stages] == ["investigation", "synthesis", "exec_summary", "chat"]


def test_a_question_has_what_was_sent_whenever_it_is_looked_at() -> None:
    story = Story().calling(READ)
    story.when(story.result(story.call_ids[-1], "api-7 restarts"))
    owed, id = compose_request(story.investigating, story.execution()), story.llm_call_id
    assert llm(story, id).verified is None, "nothing was answered yet"
    story.when(story.answer("It leaks.").model_copy(update={"request_digest": owed.digest}))

    found = llm(story, id)

    assert found.verified is True
    assert found.tools == owed.tools
    assert found.conversation is not None
    assert [one.role for one in found.conversation] == ["system", "user", "assistant", "tool"]
    assert found.conversation[0].content == owed.conversation.system
    assert [one.content for one in found.conversation[1:]] == [one.content for one in owed.conversation.messages]
    assert [call.id for call in found.conversation[2].tool_calls] == [found.conversation[3].tool_call_id]
    assert found.answer is not None
    assert found.answer.content == "It leaks."
    assert found.llm_request is not None
    assert (found.llm_request.iteration, found.llm_request.messages_count) == (2, 4)


def test_words_that_are_not_those_that_were_sent_are_not_verified() -> None:
    story = Story().asking()
    id = story.llm_call_id
    story.when(story.answer("It leaks.").model_copy(update={"request_digest": "0" * 64}))
    assert llm(story, id).verified is False


def test_each_attempt_and_each_provider_is_a_question_of_its_own_with_its_error() -> None:
    story = Story(plan=chain(stage(agent(fallbacks=("other",))))).asking()
    story.when(story.answer(error="no such key", kind="credentials"))
    story.when(story.answer("a leak"))
    (execution,) = executions(story)
    asked = [(one.llm_provider, one.error_message, one.duration_ms) for one in execution.llm_interactions]
    assert asked == [("scripted", "no such key", None), ("other", None, 5)]
    attempts = [llm(story, one.id).llm_request for one in execution.llm_interactions]
    assert [one.attempt for one in attempts if one is not None] == [1, 2]


def test_the_record_has_when_questions_and_calls_ended() -> None:
    story = Story().asking()
    story.when(story.answer(tools=(READ,)))
    running = executions(story)[0]
    assert [one.ended_at is None for one in running.llm_interactions] == [False]
    assert [one.ended_at for one in running.mcp_interactions] == [None] * len(running.mcp_interactions)

    story.when(story.result(story.call_ids[-1], "api-7"))
    ended = executions(story)[0].mcp_interactions[-1]
    assert ended.ended_at is not None
    assert ended.ended_at >= ended.created_at


def test_a_call_has_its_arguments_as_they_were_sent_and_its_answer() -> None:
    story = Story().asking()
    asked = story.answer(tools=(READ,))
    (call,) = asked.tool_calls
    nulls = call.model_copy(update={"arguments": {"namespace": "shop", "label": None}})
    story.when(asked.model_copy(update={"tool_calls": (nulls,)}))
    id = story.call_ids[-1]
    story.when(story.result(id, "api-7", size=100).model_copy(update={"cut": True, "nulls_left_out": ("label",)}))

    found = find_mcp(replay(story.log), SESSION, id)

    assert found is not None
    assert (found.interaction_type, found.server_name, found.tool_name) == ("tool_call", "kubernetes", "pods_list")
    assert found.tool_arguments == {"namespace": "shop"}
    assert found.tool_result is not None
    assert found.tool_result.content.startswith("api-7\n\n[TRUNCATED")
    assert (found.tool_result.is_error, found.outcome) == (False, "ok")
    assert found.tool_result.whole == f"/api/v1/sessions/{SESSION}/tool-calls/{id}/result"
    assert found.llm_interaction_id == executions(story)[0].llm_interactions[0].id


def test_an_answer_that_came_late_stands_beside_the_outcome() -> None:
    story = Story().calling(DELETE)
    id = story.call_ids[-1]
    story.when(story.claim(id))
    story.when(i.WorkerDied(call_id=id, claim_id="claim-1", worker_id="worker-1"))
    story.when(story.result(id, "deleted after all"))
    found = find_mcp(replay(story.log), SESSION, id)
    assert found is not None
    assert found.outcome == "unknown"
    assert found.error_message is not None
    assert found.learned_result is not None
    assert (found.learned_result.outcome, found.learned_result.content) == ("ok", "deleted after all")


def test_the_tools_that_an_execution_was_offered_are_on_record_server_by_server() -> None:
    both = agent().model_copy(
        update={"servers": tuple(ResolvedServer(server=one) for one in ("kubernetes", "metrics"))}
    )
    story = Story(plan=chain(stage(both))).started()
    story.offered(READ, unavailable=("metrics",))
    listed = [one for one in executions(story)[0].mcp_interactions if one.interaction_type == "tool_list"]
    assert [(one.server_name, one.error_message is None) for one in listed] == [
        ("kubernetes", True),
        (OWN_SERVER, True),
        ("metrics", False),
    ]
    found = find_mcp(replay(story.log), SESSION, listed[0].id)
    assert found is not None
    assert found.available_tools is not None
    assert [(one.name, one.description) for one in found.available_tools] == [("pods_list", "lists")]


def test_the_runbook_s_fetch_belongs_to_the_session() -> None:
    story = Story(alert=ALERT.model_copy(update={"runbook_url": "https://example.test/r.md"})).started()
    (fetch,) = trace(story).session_mcp_interactions
    assert (fetch.server_name, fetch.tool_name, fetch.outcome) == (OWN_SERVER, FETCH_RUNBOOK, None)


def summary_request(story: Story) -> SummaryRequest:
    """The request that an owner would publish now."""
    (effect,) = [one for one in effects_of(story.state) if isinstance(one, SummaryEffect)]
    request = request_of(SESSION, story.investigating, effect)
    assert isinstance(request, SummaryRequest)
    return request


def excerpt_for(request: SummaryRequest) -> ExcerptText:
    excerpt = Excerpt(INPUT_BYTES, focus_of(request))
    excerpt.take(LONG.encode())
    return excerpt.finish()


def summarized(*, taken_late: bool) -> tuple[Story, str]:
    """A turn of two calls. A summarizer takes the first request, or one that was published after the other call ended.

    Returns the digest of what its model was given, too.
    """
    story = Story().calling(READ, READ)
    long, other = story.call_ids
    story.when(story.result(long, LONG))
    early = summary_request(story)
    story.when(story.result(other, "the other one"))
    late = summary_request(story)
    assert early.steps != late.steps
    request = late if taken_late else early
    asked = summary_conversation(request, excerpt_for(request))
    digest = digest_request(asked, answer_tokens=request.max_tokens, is_last=True)
    attempts = (
        SummaryAttempt(provider="scripted", error="overloaded", usage=Usage(input_tokens=5)),
        SummaryAttempt(provider="other", model="m", duration_ms=7),
    )
    report = story.summary(request.call_id, "all lines are alike")
    on_record = {"attempts": attempts, "request_digest": digest, "input_bytes": INPUT_BYTES}
    story.when(report.model_copy(update=on_record))
    return story, digest


@pytest.mark.parametrize("taken_late", [False, True])
def test_a_summary_has_the_prompt_of_the_request_that_was_taken_whichever_that_was(taken_late: bool) -> None:
    story, digest = summarized(taken_late=taken_late)
    listed = [one for one in executions(story)[0].llm_interactions if one.interaction_type == "summarization"]
    assert [(one.llm_provider, one.error_message, one.input_tokens) for one in listed] == [
        ("scripted", "overloaded", 5),
        ("other", None, None),
    ]
    asked = find_summary(story.log, listed[1].id)
    assert asked is not None

    found = describe_attempt(asked, excerpt_for(asked.requests[0]))

    assert (found.verified, found.request_digest, found.missing) == (True, digest, None)
    assert found.conversation is not None
    assert ("the other one" in found.conversation[1].content) is taken_late
    assert found.answer is not None
    assert found.answer.content == "all lines are alike"
    assert found.tool_call_id == story.call_ids[0]


def test_a_summary_whose_result_is_gone_says_so_in_place_of_a_conversation() -> None:
    story, _ = summarized(taken_late=False)
    asked = find_summary(story.log, executions(story)[0].llm_interactions[1].id)
    assert asked is not None
    found = describe_attempt(asked, None, "it is gone")
    assert (found.conversation, found.verified, found.missing, found.answer) == (None, None, "it is gone", None)


def steps_of(story: Story) -> dict[str, str]:
    """The type of each event of the timeline, by its id."""
    changes = [change for record in story.log for change in timeline_changes(record)]
    return {one.event_id: one.event_type for one in changes if isinstance(one, TimelineCreated)}


def test_each_question_names_the_steps_of_the_timeline_that_came_of_it() -> None:
    story, _ = summarized(taken_late=False)
    story.when(story.answer(error="overloaded", kind="server"))
    shown = steps_of(story)

    (execution,) = executions(story)
    named = [[shown[step] for step in one.timeline_event_ids] for one in execution.llm_interactions]

    assert named == [
        ["llm_thinking", "llm_tool_call", "llm_tool_call"],
        ["mcp_tool_summary"],
        ["mcp_tool_summary"],
        ["error"],
        [],
    ]


def test_a_question_that_is_not_answered_yet_has_no_steps() -> None:
    (execution,) = executions(Story().asking())
    assert [one.timeline_event_ids for one in execution.llm_interactions] == [()]


def unreadable(record: RecordedEvent) -> RecordedEvent:
    return replace(record, event=None)


def test_what_lies_before_an_event_that_this_version_cannot_read_is_shown() -> None:
    story = Story().calling(READ)
    id = executions(story)[0].llm_interactions[0].id
    story.when(story.result(story.call_ids[-1]))
    story.when(story.answer("It leaks."))
    records = [*story.log[:-3], unreadable(story.log[-3]), *story.log[-2:]]

    found = trace_of(replay(records), SESSION, len(records))

    assert not found.complete
    assert trace(story).complete
    assert [one.id for one in found.stages[0].executions[0].llm_interactions][:1] == [id]
    assert find_llm(records, id) is not None


def test_a_session_that_waits_has_an_empty_record() -> None:
    found = trace(Story().waiting())
    assert (found.stages, found.session_mcp_interactions, found.complete) == ((), (), True)


def test_what_is_not_there_is_not_found() -> None:
    story = Story().calling(READ)
    assert find_llm(story.log, "nothing") is None
    assert find_summary(story.log, "nothing") is None
    assert find_mcp(replay(story.log), SESSION, "nothing") is None


def test_phases_after_the_end_are_listed_with_what_came_of_them() -> None:
    """The first gave way to a question."""
    with planted():
        story = Story().ended()
        story.when(i.SessionAdmitted())
        story.when(story.question())
        assert [phase.status for phase in trace(story).phases] == ["cancelled"]
        story.offered(READ)
        story.when(story.answer("Since three."))
        story.when(i.SessionAdmitted())
        assert [phase.status for phase in trace(story).phases] == ["cancelled", "active"]
        story.when(story.answer(ANSWER))
        found = trace(story)
    interrupted, rated = found.phases
    assert (interrupted.result, interrupted.stage_id) == (None, None)
    assert (rated.phase, rated.number, rated.status, rated.result) == (RATING, 2, "completed", RESULT)
    assert found.stages[-1].stage_id == rated.stage_id


def test_the_record_has_the_skills_of_the_beginning_and_who_loaded_each() -> None:
    skills = tuple(Skill(name=name, description="d", body=f"On {name}.") for name in ("pods", "disks"))
    planned = tuple(PlannedSkill(name=skill.name, digest=skill.digest) for skill in skills)
    plan = chain(stage(*(agent(name).model_copy(update={"skills": planned}) for name in "AB")))
    story = Story(plan=plan, skills=skills).asking()
    for name, loaded in (("A", ["pods"]), ("B", ["elsewhere"])):
        call = ToolCall(id=f"call-{name}", name="tarsy__load_skill", arguments={"names": [*loaded]})
        story.when(story.answer(agent=name).model_copy(update={"tool_calls": (call,)}))
    found = skills_of(replay(story.log), SESSION, len(story.log))
    assert [(one.name, one.body, one.digest) for one in found.skills] == [
        (skill.name, skill.body, skill.digest) for skill in skills
    ]
    assert [one.loaded_by for one in found.skills] == [(story.execution("A").id,), ()]
    assert skills_of(replay(Story().asking().log), SESSION, 1).skills == ()


def test_an_agent_has_what_its_provider_reads_at_most() -> None:
    known = agent("Pods").model_copy(update={"context_tokens": 8_000})
    told = agent("Events").model_copy(update={"context_tokens": 8_000, "known_contexts": {"scripted": 4_000}})
    story = Story(plan=chain(stage(known, told, agent("Logs")))).asking()

    limits = {one.agent_name: one.context_tokens for one in executions(story)}

    assert limits == {"Pods": 8_000, "Events": 4_000, "Logs": None}
