"""The test plays the owner of the sessions: it asks for calls, hears what the gateway reports, and grants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from pydantic import JsonValue

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import PartitionReader, Record, read_to_end
from tarsy_bus.readers.records import Delivery, delivery
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused, Control
from tarsy_contracts.messages.inputs import INPUTS, CallClaimed, CallNotStarted, ToolCallReported
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.messages.workers import ServerCatalogued
from tarsy_testing.real_servers import eventually

WAIT_SECONDS = 90.0
DEAD_AFTER_SECONDS = 600.0
"""Of gateways whose claims the test grants once: one whose announcements a busy Kafka takes late gives them back."""

type Report = CallClaimed | CallNotStarted | ToolCallReported


class Owner:
    def __init__(self, bus: Bus, publisher: Publisher) -> None:
        self.bus = bus
        self.publisher = publisher
        self.heard: list[tuple[Delivery, Report]] = []
        self._news = asyncio.Condition()
        self._inbox = PartitionReader(bus, bus.topics.inbox)
        self._next: dict[int, int] = {}

    async def ask(self, request: ToolCallRequest, *, behind: ToolCallRequest | None = None) -> None:
        """`behind` another request, it lies in the same partition: it is read after it."""
        await self.publisher.publish(
            self.bus.topics.tool_calls,
            request,
            key=(behind or request).call_id,
            id=str(uuid4()),
            subject=request.session_id,
        )

    async def grant(self, claim: CallClaimed, *, claim_id: str | None = None) -> None:
        await self.tell(ClaimGranted(call_id=claim.call_id, claim_id=claim_id or claim.claim_id))

    async def refuse(self, claim: CallClaimed) -> None:
        await self.tell(ClaimRefused(call_id=claim.call_id, claim_id=claim.claim_id, reason="it is another's"))

    async def cancel(self, request: ToolCallRequest) -> None:
        await self.tell(CallCancelled(call_id=request.call_id))

    async def tell(self, control: Control) -> None:
        await self.publisher.publish(
            self.bus.topics.control, control, key="in one partition, in order", id=str(uuid4()), subject="control"
        )

    async def claim(self, request: ToolCallRequest) -> CallClaimed:
        return await self._first(CallClaimed, request)

    async def not_started(self, request: ToolCallRequest) -> CallNotStarted:
        return await self._first(CallNotStarted, request)

    async def result(self, request: ToolCallRequest) -> ToolCallReported:
        return await self._first(ToolCallReported, request)

    def all[R: Report](self, kind: type[R], request: ToolCallRequest) -> list[R]:
        return [each for _, each in self.heard if isinstance(each, kind) and each.call_id == request.call_id]

    async def several_claims(self, request: ToolCallRequest, count: int) -> list[CallClaimed]:
        async with asyncio.timeout(WAIT_SECONDS), self._news:
            await self._news.wait_for(lambda: len(self.all(CallClaimed, request)) >= count)
        return self.all(CallClaimed, request)

    async def another_claim(self, claim: CallClaimed) -> CallClaimed:
        """Of the same call. A claim that awaits its grant is reported again each second: that is no other."""

        def others() -> list[CallClaimed]:
            reported = [each for _, each in self.heard if isinstance(each, CallClaimed)]
            return [one for one in reported if one.call_id == claim.call_id and one.claim_id != claim.claim_id]

        async with asyncio.timeout(WAIT_SECONDS), self._news:
            await self._news.wait_for(lambda: bool(others()))
        return others()[0]

    async def _first[R: Report](self, kind: type[R], request: ToolCallRequest) -> R:
        async with asyncio.timeout(WAIT_SECONDS), self._news:
            await self._news.wait_for(lambda: bool(self.all(kind, request)))
        return self.all(kind, request)[0]

    async def hear_all(self) -> None:
        """Waits until it has heard everything that the inbox holds by now."""
        ends = await self._inbox.ends(self._next)
        async with asyncio.timeout(WAIT_SECONDS), self._news:
            await self._news.wait_for(lambda: all(self._next[partition] >= end for partition, end in ends.items()))

    async def listen(self, started: asyncio.Event) -> None:
        async with self._inbox.running() as follower:
            self._next = await follower.ends(range(self.bus.layout.log_partitions))
            follower.assign(self._next)
            started.set()
            while True:
                records = await follower.read()
                async with self._news:
                    for record in records:
                        each = delivery(record)
                        report = each.decode(INPUTS)
                        assert isinstance(report, Report.__value__)
                        self.heard.append((each, report))
                        self._next[record.partition] = record.offset + 1
                    self._news.notify_all()


@asynccontextmanager
async def owning(bus: Bus) -> AsyncIterator[Owner]:
    started = asyncio.Event()
    async with (
        Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher,
        asyncio.TaskGroup() as tasks,
    ):
        owner = Owner(bus, publisher)
        listening = tasks.create_task(owner.listen(started))
        async with asyncio.timeout(WAIT_SECONDS):
            await started.wait()
        yield owner
        listening.cancel()


def call(
    tool: str,
    *,
    server: str = "first",
    repeatable: bool = False,
    timeout: float = 60.0,
    within: float = 180.0,
    **arguments: JsonValue,
) -> ToolCallRequest:
    return ToolCallRequest(
        session_id=str(uuid4()),
        call_id=str(uuid4()),
        server=server,
        tool=tool,
        arguments=arguments,
        repeatable=repeatable,
        timeout_seconds=timeout,
        not_after=datetime.now(UTC) + timedelta(seconds=within),
    )


async def settle(owner: Owner) -> None:
    """What was asked and told before has been read, and what followed from it has been said."""
    fence = call("destroy", name="fence")
    await owner.ask(fence)
    await owner.grant(await owner.claim(fence))
    await owner.result(fence)


async def catalogued(owner: Owner, worker: str) -> dict[str, ServerCatalogued | None]:
    """The newest of this worker for each server; None for a tombstone."""
    found: dict[str, ServerCatalogued | None] = {}

    def take(record: Record) -> None:
        server, _, seen_by = (record.key or b"").decode().partition("/")
        if seen_by == worker:
            value = record.value
            found[server] = None if value is None else ServerCatalogued.model_validate_json(value)

    await read_to_end(owner.bus, owner.bus.topics.catalog, {0: 0}, take)
    return found


async def seen_by(owner: Owner, worker: str, *, healthy: bool, server: str = "first") -> ServerCatalogued:
    """What the catalog says of the server, once it says that."""

    async def look() -> ServerCatalogued | None:
        entry = (await catalogued(owner, worker)).get(server)
        return entry if entry is not None and entry.healthy is healthy else None

    return await eventually(look, f"{server} is catalogued, healthy: {healthy}")


def noted(calls_file: Path, line: str) -> int:
    """How often the small server has noted this line."""
    return _lines(calls_file).count(line)


def let_go(calls_file: Path) -> None:
    """What "slow" and "destroy" of the servers of the tests still wait for is over."""
    calls_file.with_name("GO").touch()


def hold_again(calls_file: Path) -> None:
    calls_file.with_name("GO").unlink(missing_ok=True)


async def until_noted(calls_file: Path, line: str) -> None:
    async def look() -> bool:
        return noted(calls_file, line) > 0

    await eventually(look, f"the server notes: {line}")


async def noted_behind(calls_file: Path, start: str) -> str:
    """What follows `start` in the line that begins so, once the server has noted it."""

    async def look() -> str | None:
        return next((line.removeprefix(start) for line in _lines(calls_file) if line.startswith(start)), None)

    return await eventually(look, f"the server notes a line that begins with {start}")


def _lines(calls_file: Path) -> list[str]:
    return calls_file.read_text(encoding="utf-8").splitlines() if calls_file.exists() else []
