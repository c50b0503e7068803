"""Spans of agents, as OpenTelemetry's conventions for generative AI have them: one tree an investigation."""

from collections import Counter
from collections.abc import Callable, Sequence

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from tarsy_contracts import events as e
from tarsy_contracts.wire.ids import execution_traceparent
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.collector import Collected, Collector, find_orphans, name_ancestors
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for, cancel
from tarsy_testing.system.questions import ask_question
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

ROOT = "session"


async def spans_of(
    collector: Collector, log: SessionLog, also: Callable[[Sequence[Collected]], bool] = lambda spans: True
) -> list[Collected]:
    """Spans of a session, once those of all its agents, calls and tools have arrived: each service sends its own."""
    session_id = log.accepted[0].session_id
    asked = len(log.events(e.LlmCallCompleted)) + sum(len(one.attempts) for one in log.events(e.SummaryCompleted))
    wanted = {
        "invoke_agent": len(log.events(e.ExecutionCompleted)),
        "execute_tool": sum(one.outcome == "ok" for one in log.events(e.ToolCallCompleted)),
        "chat": asked,
    }

    async def look() -> bool:
        spans = collector.of(session_id)
        found = Counter(span.attributes.get("gen_ai.operation.name") for span in spans)
        whole = all(found[operation] >= count for operation, count in wanted.items())
        return whole and not find_orphans(spans) and also(spans)

    await eventually(look, f"spans {wanted} of {session_id} in one tree")
    return collector.of(session_id)


def of_operation(spans: Sequence[Collected], operation: str) -> list[Collected]:
    return [span for span in spans if span.attributes.get("gen_ai.operation.name") == operation]


async def test_every_agent_of_a_chain_is_above_its_models_its_tools_and_the_summaries_of_their_results(
    told: SessionLog, collector: Collector
) -> None:
    spans = await spans_of(collector, told)
    session_id = told.accepted[0].session_id
    names = {one.execution_id: one.agent for one in told.events(e.ExecutionStarted)}
    agents = of_operation(spans, "invoke_agent")
    assert {(span.span_id, span.name, span.kind, span.failed) for span in agents} == {
        (execution_traceparent(session_id, id).split("-")[2], f"invoke_agent {agent}", "INTERNAL", False)
        for id, agent in names.items()
    }
    assert len(agents) == len(names)
    assert all(name_ancestors(spans, span) == [ROOT] for span in agents)
    for span in (*of_operation(spans, "chat"), *of_operation(spans, "execute_tool")):
        if "tarsy.execution_id" not in span.attributes:
            continue
        agent = names[str(span.attributes["tarsy.execution_id"])]
        assert name_ancestors(spans, span) == [f"invoke_agent {agent}", ROOT]
        assert span.attributes["gen_ai.agent.name"] == agent
    (summary,) = (span for span in spans if span.name == "summary")
    (summarizing,) = (span for span in of_operation(spans, "chat") if span.service == "tarsy-summarizer")
    assert name_ancestors(spans, summarizing) == ["summary", "invoke_agent LogAgent", ROOT]
    assert summary.attributes["gen_ai.conversation.id"] == session_id


async def test_tokens_stand_on_the_calls_of_models_alone_as_viewers_add_them_up(
    told: SessionLog, collector: Collector
) -> None:
    spans = await spans_of(collector, told)
    counted = [span for span in spans if any(name.startswith("gen_ai.usage.") for name in span.attributes)]
    assert counted
    assert {span.attributes["gen_ai.operation.name"] for span in counted} == {"chat"}
    usages = [one.usage for one in told.events(e.LlmCallCompleted)]
    usages += [attempt.usage for one in told.events(e.SummaryCompleted) for attempt in one.attempts]
    on_record = sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in usages)
    kinds = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    assert sum(int(span.attributes.get(kind, 0)) for span in counted for kind in kinds) == on_record > 0


async def test_a_call_that_failed_says_of_which_kind_and_one_that_went_well_why_it_ended(
    told: SessionLog, collector: Collector
) -> None:
    spans = of_operation(await spans_of(collector, told), "chat")
    failures = Counter(span.attributes["error.type"] for span in spans if span.failed)
    assert failures == Counter(one.kind for one in told.events(e.LlmCallFailed))
    for span in spans:
        assert (span.kind, span.attributes["gen_ai.request.stream"]) == ("CLIENT", True)
        assert span.failed == ("gen_ai.response.finish_reasons" not in span.attributes)


async def test_an_agent_has_one_span_across_the_death_of_its_orchestrator_and_a_reply_hangs_in_the_same_tree(
    system: System, log: LiveLog, collector: Collector
) -> None:
    session_id = ask_for(system, "working").session_id
    await log.until_event(session_id, e.LlmCallCompleted, count=2)

    async def sent() -> bool:
        return len(of_operation(collector.of(session_id), "chat")) >= 2

    await eventually(sent, "spans of the calls before the death")
    first = system.of("orchestrator").name
    await system.replace("orchestrator")
    before = len(log.of(session_id).events(e.LlmCallCompleted))
    await log.until_event(session_id, e.LlmCallCompleted, count=before + 2)
    cancel(system, session_id)
    await log.until_event(session_id, e.SessionCancelled)
    await ask_question(system, session_id, "Is it over?")
    ended = await log.until_event(session_id, e.ReplyCompleted)

    def both(spans: Sequence[Collected]) -> bool:
        return {ROOT, "reply"} <= {span.name for span in spans}

    spans = await spans_of(collector, ended, both)
    assert Counter(span.name for span in of_operation(spans, "invoke_agent")) == {
        "invoke_agent Busy": 1,
        "invoke_agent ChatAgent": 1,
    }
    (busy,) = (span for span in spans if span.name == "invoke_agent Busy")
    assert (busy.failed, busy.attributes["error.type"]) == (True, "cancelled")
    calls = [span for span in of_operation(spans, "chat") if span.parent_id == busy.span_id]
    assert {span.instance for span in calls} == {first, system.of("orchestrator").name}
    answers = [span for span in of_operation(spans, "chat") if span.attributes["gen_ai.agent.name"] == "ChatAgent"]
    assert answers
    assert all(name_ancestors(spans, span) == ["invoke_agent ChatAgent", "reply", ROOT] for span in answers)


async def test_prometheus_has_the_calls_of_models_by_the_names_of_the_conventions(
    system: System, told: SessionLog
) -> None:
    for service, least in (("summarizer", 1), ("orchestrator", 0)):
        answer = httpx2.get(f"{system.of(service).url}/metrics", timeout=90.0)
        families = {family.name: family for family in text_string_to_metric_families(answer.text)}
        duration = families["gen_ai_client_operation_duration_seconds"]
        counts = [sample for sample in duration.samples if sample.name.endswith("_count")]
        assert sum(sample.value for sample in counts) >= least
        assert {sample.labels["service"] for sample in counts} <= {service}
        assert "gen_ai_client_token_usage" in families
