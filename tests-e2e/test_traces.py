"""One trace through all hops of a session: in the spans, in the headers of every record, in our own logs."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import session_traceparent
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.collector import Collected, Collector, collecting, find_orphans
from tarsy_testing.story.incident import alert_now
from tarsy_testing.system.investigation import Investigation, everything, watched
from tarsy_testing.system.system import SERVICES, System

CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


async def test_every_hop_of_a_session_is_in_its_one_trace(system: System, collector: Collector, lab_hold: Path) -> None:
    system.environment |= {"TARSY_OTLP_ENDPOINT": collector.url, "TARSY_TRACE_READS": "true"}
    await system.start_all()
    # The investigation does not end before somebody watches it.
    await asyncio.to_thread(lab_hold.touch)
    investigation = submitted_from_a_trace(system)
    async with watched(system, investigation.session_id):
        await asyncio.to_thread(lab_hold.unlink)
        log = await investigation.until_ended()
        await until_all_is_read(collector, len(log.accepted))
    system.stop_all()

    trace = session_traceparent(investigation.session_id).split("-")[1]
    of_session = [span for span in collector.spans if span.attributes.get("tarsy.session_id")]
    assert {span.trace_id for span in of_session} == {trace}
    assert {span.service for span in of_session} == {f"tarsy-{service}" for service in SERVICES}
    assert [span.span_id for span in of_session if not span.parent_id] == [
        session_traceparent(investigation.session_id).split("-")[2]
    ]
    assert find_orphans(of_session) == []
    assert len({span.span_id for span in of_session}) == len(of_session)

    names = Counter(span.name for span in of_session)
    assert (names["session"], names["receive_alert"], names["summary"]) == (1, 1, 1)
    models = [span for span in of_session if span.attributes.get("gen_ai.operation.name") == "chat"]
    tools = [span for span in of_session if span.attributes.get("gen_ai.operation.name") == "execute_tool"]
    assert_spans_of_models(models, answers=log.types.count("llm_call.completed") + log.types.count("summary.completed"))
    assert_spans_of_tools(tools, calls=log.types.count("tool_call.completed"))
    assert {span.attributes["gen_ai.conversation.id"] for span in models + tools} == {investigation.session_id}
    assert names["decide"] > len(models) + len(tools)
    assert names["project"] == len(log.accepted)
    assert 0 < names["show"] <= len(log.accepted), "those that came before its watcher are in the history"
    assert [span for span in of_session if span.failed] == []
    assert [span.links for span in of_session if span.name == "receive_alert"] == [(CALLER,)]
    (session,) = (span for span in of_session if span.name == "session")
    assert session.nanoseconds > sum(span.nanoseconds for span in models) > 0

    assert await records_outside_of_the_trace(system, investigation, trace) == []
    for process in system.processes:
        assert lines_outside_of_the_trace(process.log, investigation.session_id, trace) == [], process.name


def assert_spans_of_models(spans: list[Collected], *, answers: int) -> None:
    """They say what OpenTelemetry's conventions for generative AI want, whose viewers show them as calls of a model."""
    assert len(spans) == answers
    for span in spans:
        assert (span.name, span.kind) == ("chat scripted", "CLIENT")
        wanted = {"provider.name", "request.model", "response.model", "usage.input_tokens", "usage.output_tokens"}
        assert {f"gen_ai.{name}" for name in wanted} <= span.attributes.keys()
        assert span.attributes["gen_ai.response.finish_reasons"] in {"stop", "tool_calls"}


def assert_spans_of_tools(spans: list[Collected], *, calls: int) -> None:
    assert len(spans) == calls
    for span in spans:
        assert (span.name, span.kind) == (f"execute_tool {span.attributes['gen_ai.tool.name']}", "CLIENT")
        assert span.attributes["gen_ai.tool.call.id"]


async def test_the_reading_of_events_has_no_spans_unless_somebody_asks_for_them(
    system: System, collector: Collector
) -> None:
    system.environment |= {"TARSY_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}
    await system.start_all()
    await submitted_from_a_trace(system).until_ended()

    async def sent() -> bool:
        """The owner reads the end back before the session's span ends."""
        return {"session", "decide"} <= {span.name for span in collector.spans}

    await eventually(sent, "spans of the session and of its decisions")
    system.stop_all()
    assert {"project", "show"} & {span.name for span in collector.spans} == set()


async def until_all_is_read(collector: Collector, events: int) -> None:
    """The session has ended on the log. Those that read it may be behind."""

    async def read() -> bool:
        names = Counter(span.name for span in collector.spans)
        return names["project"] >= events and names["show"] > 0 and names["session"] > 0

    await eventually(read, f"spans of {events} events that were projected, of some that were shown, and of the session")


def submitted_from_a_trace(system: System) -> Investigation:
    headers = {"traceparent": f"00-{CALLER}-00f067aa0ba902b7-01"}
    url = f"{system.of('ingest').url}/api/v1/alerts/alertmanager"
    answer = httpx2.post(url, json=alert_now(), headers=headers, timeout=90.0)
    return Investigation(system, str(answer.json()["alerts"][0]["session_id"]))


async def records_outside_of_the_trace(system: System, investigation: Investigation, trace: str) -> list[str]:
    """Heads are a function of the log, and tell no hop; nothing is held or laid out by a session that goes well.

    Nobody asks for anything meanwhile, so that there is nothing to audit.
    """
    topics = system.bus.topics
    of_operators = {topics.alerts, topics.dead_letters, topics.held, topics.layout}
    names = {topic.name for topic in topics.all()} - of_operators - {topics.heads}
    records = await everything(system, sorted(names))
    outside, seen = [], set()
    for record in records:
        kind = PublicEnvelope if record.topic == topics.events else Envelope
        envelope = kind.from_headers(record.headers)
        if envelope.subject != investigation.session_id:
            continue
        seen.add(record.topic)
        if (envelope.traceparent or "").split("-")[1:2] != [trace]:
            outside.append(f"{record.topic}: {envelope.type} has {envelope.traceparent}")
    assert seen == names - {topics.workers, topics.catalog, topics.mcp_tokens, topics.audit}
    return outside


def lines_outside_of_the_trace(file: Path, session_id: str, trace: str) -> list[str]:
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.startswith("{")]
    own = [line for line in lines if line.get("session_id") == session_id]
    return [json.dumps(line) for line in own if line.get("trace_id") != trace]
