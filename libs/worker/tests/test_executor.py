"""The executor without Kafka: which reports it sends, which runs it starts and cancels, and how it drains."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.liveness.pulse import Pulse
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted
from tarsy_contracts.messages.inputs import CallClaimed, CallNotStarted, ToolCallReported
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_testing.real_servers import eventually
from tarsy_worker.claim_types import Claims, ReportOutcome, ServerLimits
from tarsy_worker.executor import Executor
from tarsy_worker.reports import InboxClient, Report
from tarsy_worker.runner import MayStart, RunSpan, always

CLAIMS = Claims[ToolCallRequest](limits={"kube": ServerLimits(1, 0)}, claim_after=timedelta(0))


class Inbox(InboxClient):
    def __init__(self) -> None:
        self.reports: list[Report] = []

    async def report(self, session_id: str, report: Report) -> None:
        self.reports.append(report)


class Runner:
    def __init__(self) -> None:
        self.started: list[str] = []
        self.may_end = asyncio.Event()

    def describe_span(self, request: ToolCallRequest) -> RunSpan:
        return RunSpan("call", {})

    async def run(self, request: ToolCallRequest, claim_id: str, may_start: MayStart = always) -> ToolCallReported:
        if may_start():
            self.started.append(request.call_id)
        await self.may_end.wait()
        return reported(request, claim_id, "ok")

    def report_cancelled(self, cancelled: ReportOutcome[ToolCallRequest]) -> ToolCallReported:
        return reported(cancelled.request, cancelled.claim_id, cancelled.outcome)


class Playing:
    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.runner, self.inbox, self.busy, self.seconds = Runner(), Inbox(), list[str](), 0.0
        self.pulse = Pulse(10, lambda: self.seconds)
        self.pulse.note_acknowledgement(0)
        self._ids = iter(range(100))
        self.executor = Executor(
            CLAIMS,
            worker_id="w",
            pulse=self.pulse,
            runner=self.runner,
            inbox=self.inbox,
            count_busy=self.busy.append,
            hops=HopTimes(CollectorRegistry()),
            tracer=NoOpTracer(),
            now=lambda: datetime.now(UTC),
            new_id=lambda: f"claim {next(self._ids)}",
            tasks=tasks,
        )

    async def until(self, *kinds: type[Report]) -> None:
        async def sent() -> bool:
            return [type(report) for report in self.inbox.reports] == list(kinds)

        await eventually(sent, f"it reports {kinds}")

    async def until_idle(self) -> None:
        """A run ends a turn of the loop after its outcome was reported."""

        async def ended() -> bool:
            return self.executor.load_of("kube").running == 0

        await eventually(ended, "no call runs")


@asynccontextmanager
async def playing() -> AsyncIterator[Playing]:
    async with asyncio.TaskGroup() as tasks:
        one = Playing(tasks)
        yield one
        await one.executor.drain(0)


def request(call_id: str = "list", *, repeatable: bool = True) -> ToolCallRequest:
    return ToolCallRequest(
        session_id="session",
        call_id=call_id,
        server="kube",
        tool="tool",
        arguments={},
        repeatable=repeatable,
        timeout_seconds=60,
        not_after=datetime.now(UTC) + timedelta(seconds=600),
    )


def reported(wanted: ToolCallRequest, claim_id: str, outcome: str) -> ToolCallReported:
    return ToolCallReported.model_validate(
        {
            "call_id": wanted.call_id,
            "claim_id": claim_id,
            "worker_id": "w",
            "outcome": outcome,
            "content": "",
            "cut": False,
            "size": 0,
            "lines": 0,
            "stored": None,
            "duration_ms": 0,
        }
    )


async def test_a_call_is_claimed_run_and_reported_and_not_run_again_after_that() -> None:
    async with playing() as one:
        one.runner.may_end.set()
        await one.executor.submit(request())
        await one.until(CallClaimed, ToolCallReported)
        await one.until_idle()
        await one.executor.submit(request())
        assert one.runner.started == ["list"]


async def test_beyond_the_limit_a_call_is_given_back_and_counted() -> None:
    async with playing() as one:
        await one.executor.submit(request())
        await one.executor.submit(request("another"))
        await one.until(CallClaimed, CallNotStarted)
        assert one.busy == ["kube"]


async def test_a_cancelled_run_is_reported_and_makes_room() -> None:
    async with playing() as one:
        await one.executor.submit(request())
        one.executor.handle_control(CallCancelled(call_id="list"))
        await one.until(CallClaimed, ToolCallReported)
        last = one.inbox.reports[-1]
        assert isinstance(last, ToolCallReported)
        assert last.outcome == "cancelled"
        await one.until_idle()


async def test_a_grant_that_is_read_after_a_sleep_starts_nothing() -> None:
    async with playing() as one:
        await one.executor.submit(request("delete", repeatable=False))
        await one.until(CallClaimed)
        one.seconds = 11
        one.executor.handle_control(ClaimGranted(call_id="delete", claim_id="claim 0"))
        await one.until(CallClaimed, CallNotStarted)
        assert one.runner.started == []


async def test_a_granted_call_may_not_start_once_the_worker_has_slept() -> None:
    async with playing() as one:
        await one.executor.submit(request("delete", repeatable=False))
        one.executor.handle_control(ClaimGranted(call_id="delete", claim_id="claim 0"))
        one.seconds = 11
        await asyncio.sleep(0)
        assert one.runner.started == []


async def test_a_drain_gives_repeatable_calls_back_and_cancels_the_others_at_its_end() -> None:
    async with playing() as one:
        await one.executor.submit(request("delete", repeatable=False))
        one.executor.handle_control(ClaimGranted(call_id="delete", claim_id="claim 0"))
        await asyncio.sleep(0)
        await one.executor.drain(0)
        last = one.inbox.reports[-1]
        assert isinstance(last, ToolCallReported)
        assert last.outcome == "unknown"
        await one.executor.submit(request())
        assert one.runner.started == ["delete"]
