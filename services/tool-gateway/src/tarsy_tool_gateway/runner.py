"""Runner of tool calls: call, mask, store, report."""

import time
import traceback
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import structlog
from opentelemetry.trace import SpanKind

from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.events import Outcome
from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import execution_traceparent
from tarsy_service.supervision import not_cancelled_from_inside
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight
from tarsy_tool_gateway.results.memory_budget import MemoryBudget
from tarsy_tool_gateway.results.results import OFF_THE_LOOP_CHARACTERS, KeptResult, ResultStore
from tarsy_tool_gateway.tool_servers import ToolOutput, describe_unknown_outcome
from tarsy_worker.claim_types import ReportOutcome
from tarsy_worker.runner import MayStart, RunSpan, always

log = structlog.get_logger(__name__)

MOST_CHARACTERS_AT_ONCE = 40 * 1024 * 1024
"""Characters of long results that are masked at a time. Masking takes several times the memory of a text."""


class CallRunner:
    """Runs claimed calls, and counts them."""

    def __init__(
        self,
        call: Callable[[ToolCallRequest, MayStart], Awaitable[ToolOutput]],
        results: ResultStore,
        *,
        worker_id: str,
        metrics: Metrics,
        in_flight: BytesInFlight | None = None,
    ) -> None:
        self._call = call
        self._results = results
        self._worker_id = worker_id
        self._metrics = metrics
        self._room = MemoryBudget(MOST_CHARACTERS_AT_ONCE)
        self._in_flight = in_flight or BytesInFlight()

    def describe_span(self, request: ToolCallRequest) -> RunSpan:
        """OpenTelemetry's conventions for generative AI name it, and those for MCP what a server is asked."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.conversation.id": request.session_id,
            "gen_ai.tool.name": request.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": request.call_id,
            "tarsy.server": request.server,
        }
        if request.agent:
            attributes |= {"gen_ai.agent.name": request.agent, "tarsy.execution_id": request.execution_id}
        cause = execution_traceparent(request.session_id, request.execution_id)
        if request.server == OWN_SERVER:
            return RunSpan(f"execute_tool {request.tool}", attributes, SpanKind.INTERNAL, cause)
        described = {**attributes, "mcp.method.name": "tools/call"}
        return RunSpan(f"execute_tool {request.tool}", described, SpanKind.CLIENT, cause)

    async def run(self, request: ToolCallRequest, claim_id: str, may_start: MayStart = always) -> ToolCallReported:
        began = time.monotonic()
        output = await self._call_or_report_failure(request, may_start)
        took = timedelta(seconds=time.monotonic() - began)
        kept = await self._keep_result(request, claim_id, output.text)
        self._metrics.count_ended(request.server, output.outcome, took.total_seconds())
        self._metrics.result(request.server, kept.size)
        return ToolCallReported(
            call_id=request.call_id,
            claim_id=claim_id,
            worker_id=self._worker_id,
            outcome=output.outcome,
            content=kept.content,
            cut=kept.cut,
            size=kept.size,
            lines=kept.lines,
            stored=kept.stored,
            duration_ms=milliseconds(took),
            nulls_left_out=output.nulls_left_out,
        )

    def report_cancelled(self, cancelled: ReportOutcome[ToolCallRequest]) -> ToolCallReported:
        sentence = {
            "cancelled": "The call was cancelled.",
            "unknown": describe_unknown_outcome(cancelled.request.tool, "the tool gateway stopped before it ended"),
        }[cancelled.outcome]
        request, ran_for = cancelled.request, cancelled.ran_for
        self._metrics.count_ended(request.server, cancelled.outcome, ran_for.total_seconds())
        return ToolCallReported(
            call_id=request.call_id,
            claim_id=cancelled.claim_id,
            worker_id=self._worker_id,
            outcome=cancelled.outcome,
            content=sentence,
            cut=False,
            size=len(sentence),
            lines=1,
            stored=None,
            duration_ms=milliseconds(ran_for),
        )

    async def _keep_result(self, request: ToolCallRequest, claim_id: str, text: str) -> KeptResult:
        """Short results pass the long ones by."""
        keep = partial(self._results.keep, request, claim_id, text)
        if len(text) <= OFF_THE_LOOP_CHARACTERS:
            return await keep()
        with self._in_flight.answer() as held:
            held.hold(len(text))
            async with self._room.of(len(text)):
                return await keep()

    async def _call_or_report_failure(self, request: ToolCallRequest, may_start: MayStart) -> ToolOutput:
        try:
            return await not_cancelled_from_inside(f"call {request.call_id}", self._call(request, may_start))
        except Exception as problem:  # noqa: BLE001 - a mistake of ours in one call must not end all the others
            # Leaves out the message and its values, which are not masked.
            where = "".join(traceback.format_tb(problem.__traceback__))
            log.error("call.failed", call_id=request.call_id, problem=type(problem).__name__, where=where)
            outcome: Outcome = "unavailable" if request.repeatable else "unknown"
            return ToolOutput(outcome, "The tool gateway failed in this call.")


def milliseconds(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)
