"""The owner of many calls, as the orchestrator plays it: it grants, refuses, asks again, and judges who has died."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from gateway_owner import Owner, Report

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.messages.inputs import CallClaimed, CallNotStarted, ToolCallReported
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.ids import derive_id
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS
from tarsy_testing.real_servers import eventually

AGAIN_SECONDS = 3.0
BUSY_SECONDS = 0.25
LOOK_SECONDS = 0.02


@dataclass
class Played:
    """One call. `by`: who said last that the call is there; `told`: all outcomes that were reported, and by whom."""

    request: ToolCallRequest
    asked_at: float = 0.0
    asked: int = 0
    given_back: int = 0
    granted: str = ""
    by: str = ""
    told: list[tuple[str, ToolCallReported]] = field(default_factory=list)
    lost: bool = False

    @property
    def ended(self) -> bool:
        return self.lost or bool(self.told)

    @property
    def outcome(self) -> str:
        """An outcome that comes after the judgement of a death changes nothing."""
        return "unknown" if self.lost else self.told[0][1].outcome

    @property
    def partition(self) -> int:
        place = self.given_back + max(self.asked - self.given_back - 1, 0) // 2
        return int(derive_id("attempt", self.request.call_id, place).replace("-", ""), 16) % QUEUE_PARTITIONS


class Playing:
    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._calls: dict[str, Played] = {}
        self._dead: set[str] = set()
        self._read = 0
        self._turn = asyncio.Lock()

    async def ask(self, requests: Iterable[ToolCallRequest]) -> list[Played]:
        made = [Played(request) for request in requests]
        for one in made:
            self._calls[one.request.call_id] = one
            await self._ask(one)
        return made

    async def until_ended(self, calls: Iterable[Played], *, seconds: float) -> None:
        wanted = list(calls)

        async def look() -> bool:
            return all(one.ended for one in wanted)

        await eventually(look, f"{len(wanted)} calls have ended", seconds=seconds)

    async def died(self, source: str) -> None:
        """Nobody with this name lives any more. What it had begun and must not run twice is lost.

        As in the inbox, this comes behind everything that was reported before.
        """
        await self._owner.hear_all()
        async with self._turn:
            await self._hear_news()
            self._dead.add(source)
            for one in list(self._calls.values()):
                if one.ended or one.by != source:
                    continue
                if one.granted:
                    one.lost = True
                else:
                    await self._ask(one)

    async def run(self) -> None:
        """For ever."""
        while True:
            async with self._turn:
                await self._hear_news()
                await self._ask_the_silent()
            await asyncio.sleep(LOOK_SECONDS)

    async def _hear_news(self) -> None:
        news, self._read = self._owner.heard[self._read :], len(self._owner.heard)
        for delivery, report in news:
            await self._hear(delivery.envelope.source, report)

    async def _hear(self, source: str, report: Report) -> None:
        one = self._calls.get(report.call_id)
        if one is None:
            await self._disown(report)
            return
        match report:
            case CallClaimed() if source in self._dead:
                pass
            case CallClaimed() if one.request.repeatable:
                one.by = source
            case CallClaimed() if one.granted in ("", report.claim_id) and not one.ended:
                one.granted, one.by = report.claim_id, source
                await self._owner.grant(report)
            case CallClaimed():
                await self._owner.refuse(report)
            case CallNotStarted() if not one.ended and one.granted in ("", report.claim_id):
                one.granted, one.by, one.given_back = "", "", one.given_back + 1
                # Not at once: who is busy now will be so a moment later.
                one.asked_at = _now() - AGAIN_SECONDS + (BUSY_SECONDS if report.reason == "busy" else 0)
            case CallNotStarted():
                pass
            case ToolCallReported():
                one.told.append((source, report))

    async def _disown(self, report: Report) -> None:
        """A test that asked twice may leave one behind: unanswered, it would keep a place until it is too late."""
        if isinstance(report, CallClaimed):
            await self._owner.refuse(report)

    async def _ask_the_silent(self) -> None:
        for one in list(self._calls.values()):
            if not one.ended and not one.by and _now() >= one.asked_at + AGAIN_SECONDS:
                await self._ask(one)

    async def _ask(self, one: Played) -> None:
        one.asked, one.asked_at, one.by = one.asked + 1, _now(), ""
        await self._owner.publisher.publish(
            self._owner.bus.topics.tool_calls,
            one.request,
            key=one.request.call_id,
            id=str(uuid4()),
            subject=one.request.session_id,
            partition=one.partition,
        )


@asynccontextmanager
async def playing(owner: Owner) -> AsyncIterator[Playing]:
    one = Playing(owner)
    async with background_tasks(one.run()):
        yield one


def _now() -> float:
    return asyncio.get_running_loop().time()
