"""The span of a call: what OpenTelemetry's conventions want, under the agent that wants the call."""

from datetime import UTC, datetime

import pytest
from opentelemetry.trace import SpanKind
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import execution_traceparent, session_traceparent
from tarsy_contracts.wire.topics import Topics
from tarsy_masking.masker import Masker
from tarsy_tool_gateway.masking import ServerMaskers
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.results import ResultStore
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_worker.runner import MayStart

SESSION = "11111111-1111-5111-8111-111111111111"


async def nothing(request: ToolCallRequest, may_start: MayStart) -> ToolOutput:
    return ToolOutput("ok", "")


@pytest.fixture
def runner() -> CallRunner:
    bus = Bus(bootstrap="127.0.0.1:1", topics=Topics("none"), client="test")
    publisher = Publisher(bus, source="test", now=lambda: datetime.now(UTC))
    masking = ServerMaskers(Masker.default(b"0" * 32))
    results = ResultStore(publisher, source="test", mask_of=masking.of_session, now=lambda: datetime.now(UTC))
    return CallRunner(nothing, results, worker_id="w", metrics=Metrics(CollectorRegistry(), []))


def request(server: str, tool: str, *, execution_id: str = "run", agent: str = "PodAgent") -> ToolCallRequest:
    return ToolCallRequest(
        session_id=SESSION,
        call_id="call-1",
        server=server,
        tool=tool,
        arguments={"token": "secret"},
        repeatable=True,
        timeout_seconds=5,
        not_after=datetime(2026, 11, 22, tzinfo=UTC),
        execution_id=execution_id,
        agent=agent,
    )


def test_a_call_of_a_server_is_a_span_of_both_conventions_under_its_agent(runner: CallRunner) -> None:
    span = runner.describe_span(request("kubernetes", "pods_list"))
    assert (span.name, span.kind) == ("execute_tool pods_list", SpanKind.CLIENT)
    assert span.cause == execution_traceparent(SESSION, "run")
    assert span.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": SESSION,
        "gen_ai.agent.name": "PodAgent",
        "gen_ai.tool.name": "pods_list",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-1",
        "mcp.method.name": "tools/call",
        "tarsy.execution_id": "run",
        "tarsy.server": "kubernetes",
    }


def test_a_tool_of_the_gateway_asks_nobody_over_mcp(runner: CallRunner) -> None:
    span = runner.describe_span(request(OWN_SERVER, "read_result"))
    assert (span.name, span.kind) == ("execute_tool read_result", SpanKind.INTERNAL)
    assert "mcp.method.name" not in span.attributes


def test_a_call_that_belongs_to_no_agent_hangs_under_the_session(runner: CallRunner) -> None:
    span = runner.describe_span(request(OWN_SERVER, "fetch_runbook", execution_id="", agent=""))
    assert span.cause == session_traceparent(SESSION)
    assert "gen_ai.agent.name" not in span.attributes
