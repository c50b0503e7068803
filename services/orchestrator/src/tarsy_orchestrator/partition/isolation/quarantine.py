"""Quarantine of sessions: those of one partition that are set aside, and their inputs on `tarsy.held`.

An input lies on that topic, acknowledged, before the inbox's offset goes past it. To bring it back it is appended to
the inbox once more, behind all that was decided, before its tombstone is written. A death in between, or a late write,
makes repeats at worst, and inputs are made to be repeated.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from tarsy_bus.client.publisher import TooLargeError
from tarsy_bus.readers.at_offsets import RecordsGoneError
from tarsy_bus.readers.held_sessions import HeldInput, HeldInputs
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.held import SessionSetAside
from tarsy_orchestrator.partition.isolation.held_topic import HeldTopic

log = structlog.get_logger(__name__)

READ_AT_ONCE = 50
"""Number of inputs in memory while a session is brought back."""


@dataclass(frozen=True, slots=True)
class UnwrittenInput:
    """An input that is not written yet. `done`: it needs the inbox no longer. `retry`: it is handed in anew instead."""

    record: Record
    done: Callable[[], None]
    retry: Callable[[], None]


@dataclass(frozen=True, slots=True)
class PendingRelease:
    """An operator brings the session back, by the input at `offset`.

    `dead_letter_reason`: why its inputs go to the dead letters, if they do.
    """

    offset: int
    dead_letter_reason: str | None
    done: Callable[[], None]


@dataclass(slots=True)
class _QuarantinedSession:
    """`inputs` lie on the topic, `pending` do not yet."""

    why: SessionSetAside
    written: bool
    inputs: dict[int, HeldInput] = field(default_factory=dict)
    pending: deque[UnwrittenInput] = field(default_factory=deque)
    leaving: PendingRelease | None = None


class Quarantine:
    """Changes take effect at once, in memory; one task (`run`) brings them to the topic, in order."""

    def __init__(self, topic: HeldTopic) -> None:
        self._topic = topic
        self._sessions: dict[str, _QuarantinedSession] = {}
        self._due: dict[str, None] = {}
        self._wake = asyncio.Event()

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._sessions))

    def __len__(self) -> int:
        return len(self._sessions)

    def has_unwritten(self, session_id: str) -> bool:
        """Whether an input that the session holds may not lie on the topic yet."""
        aside = self._sessions.get(session_id)
        return aside is not None and not (aside.written and not aside.pending and aside.leaving is None)

    @property
    def backlog(self) -> int:
        """Inputs that are kept in memory because they are not written yet."""
        due = [self._sessions[session_id] for session_id in self._due if session_id in self._sessions]
        return sum(len(aside.pending) for aside in due)

    @property
    def held_since(self) -> list[datetime]:
        """The arrival of each input that is held."""
        return [one.at for aside in self._sessions.values() for one in aside.inputs.values()]

    def begin(self, found: Mapping[str, HeldInputs]) -> None:
        """Takes the topic's content when the inbox is started (anew): inputs that were not written yet come again."""
        unwritten = {
            id: _QuarantinedSession(one.why, written=False) for id, one in self._sessions.items() if not one.written
        }
        quarantined = {
            id: _QuarantinedSession(one.why, written=True, inputs=dict(one.inputs)) for id, one in found.items()
        }
        self._sessions = unwritten | quarantined
        for session_id in unwritten:
            self._queue_session(session_id)

    def set_aside(self, session_id: str, why: SessionSetAside) -> bool:
        """Returns False when the session was set aside already."""
        if session_id in self._sessions:
            return False
        self._sessions[session_id] = _QuarantinedSession(why, written=False)
        self._queue_session(session_id)
        return True

    def hold(self, session_id: str, pending: UnwrittenInput) -> None:
        """Holds an input of a session that has been set aside."""
        aside = self._sessions[session_id]
        if pending.record.offset in aside.inputs:
            pending.done()
            return
        aside.pending.append(pending)
        self._queue_session(session_id)

    def leave(self, session_id: str, leaving: PendingRelease) -> None:
        """Marks a session that is to go on."""
        aside = self._sessions.get(session_id)
        if aside is None:
            leaving.done()
            return
        aside.leaving = leaving
        self._queue_session(session_id)

    async def run(self, resumed: Callable[[str], None]) -> None:
        """Runs for ever. `resumed` is called in the step in which a session is set aside no longer."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._due:
                session_id = next(iter(self._due))
                aside = self._sessions.get(session_id)
                if aside is not None:
                    await self._write_aside(session_id, aside)
                    await self._put_back(session_id, aside, resumed)
                if self._is_settled(session_id):
                    self._due.pop(session_id, None)

    def _queue_session(self, session_id: str) -> None:
        self._due[session_id] = None
        self._wake.set()

    def _is_settled(self, session_id: str) -> bool:
        aside = self._sessions.get(session_id)
        return aside is None or (aside.written and not aside.pending and aside.leaving is None)

    async def _write_aside(self, session_id: str, aside: _QuarantinedSession) -> None:
        if not aside.written:
            await self._topic.mark(session_id, aside.why)
            aside.written = True
        while aside.pending and aside.leaving is None:
            one = aside.pending[0]
            lies = await self._topic.hold(session_id, one.record)
            if lies is not None:
                aside.inputs[one.record.offset] = lies
            aside.pending.popleft()
            one.done()

    async def _put_back(self, session_id: str, aside: _QuarantinedSession, resumed: Callable[[str], None]) -> None:
        """Inputs go back in the order in which they came; what came before the first of them lay there, behind them."""
        leaving = aside.leaving
        if leaving is None:
            return
        until = await self._move_back(session_id, aside, leaving)
        while aside.pending and aside.pending[0].record.offset < until:
            await self._move_input(aside.pending[0].record, leaving)
            aside.pending.popleft().done()
        if self._sessions.get(session_id) is not aside:
            return  # the inbox was started anew meanwhile: the operator's input comes again
        del self._sessions[session_id]
        for one in reversed(aside.pending):
            one.retry()
        resumed(session_id)
        await self._topic.forget(session_id, aside.inputs)
        log.info("session.released", session_id=session_id, inputs=len(aside.inputs))
        leaving.done()

    async def _move_back(self, session_id: str, aside: _QuarantinedSession, leaving: PendingRelease) -> int:
        """Returns the offset below which no input of the session is decided any more: where the first lies now."""
        until: int | None = None
        left = sorted(aside.inputs)
        while left:
            part = left[:READ_AT_ONCE]
            try:
                records = await self._topic.read([aside.inputs[offset].position for offset in part])
            except RecordsGoneError:
                # A previous owner has written them once more, or brought them back.
                now = await self._topic.inputs(session_id)
                aside.inputs = {offset: now[offset] for offset in sorted(aside.inputs) if offset in now}
                left = [offset for offset in left if offset in aside.inputs]
                continue
            for record in records:
                lies = await self._move_input(record, leaving)
                until = lies if until is None else until
            left = left[READ_AT_ONCE:]
        return leaving.offset if until is None else until

    async def _move_input(self, record: Record, leaving: PendingRelease) -> int | None:
        """Returns where the input lies in the inbox now, if it was brought back."""
        reason = leaving.dead_letter_reason
        if reason is None:
            try:
                return await self._topic.put_back(record)
            except TooLargeError as problem:
                reason = str(problem)
        await self._topic.dead_letter(record, reason)
        return None
