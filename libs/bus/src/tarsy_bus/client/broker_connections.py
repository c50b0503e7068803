"""Shares the connection attempts of all Kafka clients of a process. One client tries an unreachable broker for all of
them.

aiokafka's clients do not coordinate, and each tries again after 0.1 seconds. Some twenty of them, each with
several tasks, took a tenth of a core while Kafka was away, and wrote hundreds of lines a second.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import structlog
from aiokafka.errors import KafkaConnectionError, KafkaError

from tarsy_bus.client.broker_answers import BrokerAnswers

log = structlog.get_logger(__name__)

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 1.0
"""Between the beginnings of two attempts at a broker that is away."""
MOST_AT_ONCE = 3
"""Attempts at a broker that is away. One that nobody answers takes up to 20 s, and looking up a name takes a thread."""
WAIT_SECONDS = 2.0
"""A client waits so long for somebody's attempt to succeed; then its own fails."""
OVERTAKEN_SECONDS = 1.0
"""An attempt that began in the outage ends so long after the outage, and is made again."""
LINE_SECONDS = 60.0
QUIET_SECONDS = 10.0
"""The time between two logged outages: an unstable broker would fill the log."""
MOST_BROKERS = 100
"""Brokers that are remembered while they are away. Addresses that nobody tries any more would stay for ever."""

type Address = tuple[str, int]
"""Host and port."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def nobody_else() -> Iterable[Address]:
    return ()


@dataclass(slots=True)
class AbsentBroker:
    """A broker that is away. Numbers are times of the event loop."""

    since: datetime
    since_in_loop: float
    reason: str
    next_attempt: float
    next_line: float
    was_told: bool = False


@dataclass(slots=True, eq=False)
class SharingClient:
    """A client that shares its attempts. `others`: the brokers that would do as well for what it wants."""

    others: Callable[[], Iterable[Address]] = nobody_else
    is_closed: bool = False


@dataclass(slots=True)
class BrokerConnections:
    """One for a process. It says when a broker is away, each minute of that, and when it is back.

    A broker that answers is connected to at once, by as many clients as want to. One that is away is tried every
    0.5 to 1 s, by whichever client comes first; the others wait for the outcome.
    """

    answers: BrokerAnswers = field(default_factory=BrokerAnswers)
    now: Callable[[], datetime] = utc_now
    draw: Callable[[], float] = random.random
    _absent: dict[Address, AbsentBroker] = field(default_factory=dict)
    _attempts: dict[Address, set[asyncio.Timeout]] = field(default_factory=dict)
    _quiet_until: dict[Address, float] = field(default_factory=dict)
    _waiting: set["asyncio.Future[None]"] = field(default_factory=set)

    async def connect[T](self, broker: Address, attempt: Callable[[], Awaitable[T]], client: SharingClient) -> T:
        """Returns what the attempt returns, and raises what it raises.

        Raises KafkaConnectionError without an attempt if the client was closed or another broker would do. It also does
        if another client did not reach the broker in time.
        """
        while True:
            await self._wait_for_turn(broker, client)
            with suppress(_OvertakenError):
                return await self._attempt_connection(broker, attempt)

    def close(self, client: SharingClient) -> None:
        """The client waits no more: its attempts that have not begun fail now."""
        client.is_closed = True
        self._wake_waiters()

    async def _wait_for_turn(self, broker: Address, client: SharingClient) -> None:
        now = asyncio.get_running_loop().time
        limit = now() + WAIT_SECONDS
        while (absent := self._absent.get(broker)) is not None:
            free = len(self._attempts.get(broker, ())) < MOST_AT_ONCE
            if client.is_closed:
                raise _broker_away_error(broker, absent)
            # Tried even if other brokers would do: otherwise its return would stay unnoticed.
            if free and now() >= absent.next_attempt:
                absent.next_attempt = now() + self._draw_pause()
                return
            if now() >= limit or any(other not in self._absent for other in client.others()):
                raise _broker_away_error(broker, absent)
            await self._wait_for_change(min(limit, absent.next_attempt) if free else limit)

    async def _attempt_connection[T](self, broker: Address, attempt: Callable[[], Awaitable[T]]) -> T:
        began, began_in_loop = self.now(), asyncio.get_running_loop().time()
        limit = asyncio.timeout(None)
        attempts = self._attempts.setdefault(broker, set())
        try:
            async with limit:
                attempts.add(limit)
                made = await attempt()
        except (OSError, KafkaError) as problem:
            # A timeout is an OSError.
            if limit.expired():
                raise _OvertakenError from problem
            self._note_failure(broker, problem, began, began_in_loop)
            raise
        finally:
            attempts.discard(limit)
            if not attempts:
                self._attempts.pop(broker, None)
        self._note_success(broker)
        return made

    def _note_failure(
        self, broker: Address, problem: Exception, attempt_began: datetime, attempt_began_in_loop: float
    ) -> None:
        now = asyncio.get_running_loop().time()
        absent = self._absent.get(broker)
        if absent is None:
            if len(self._absent) >= MOST_BROKERS:
                self._absent.pop(next(iter(self._absent)))
            next_line = max(now, self._quiet_until.get(broker, now))
            absent = AbsentBroker(
                attempt_began, attempt_began_in_loop, "", next_attempt=now + self._draw_pause(), next_line=next_line
            )
            self._absent[broker] = absent
        absent.reason = repr(problem)
        if now >= absent.next_line:
            absent.next_line, absent.was_told = now + LINE_SECONDS, True
            if len(self._quiet_until) >= MOST_BROKERS:
                self._quiet_until.clear()
            self._quiet_until[broker] = now + QUIET_SECONDS
            log.warning("kafka.broker_unreachable", **_log_fields(broker, absent, now), reason=absent.reason)
        self._wake_waiters()

    def _note_success(self, broker: Address) -> None:
        absent = self._absent.pop(broker, None)
        if absent is None:
            return
        now = asyncio.get_running_loop().time()
        # An attempt whose packets went nowhere does not notice that the way is free again.
        for limit in self._attempts.get(broker, ()):
            if limit.when() is None:
                limit.reschedule(now + OVERTAKEN_SECONDS)
        if absent.was_told:
            log.info("kafka.broker_reachable", **_log_fields(broker, absent, now))
        self._wake_waiters()

    async def _wait_for_change(self, at_latest: float) -> None:
        """Returns when something has changed, or at this time."""
        change = asyncio.get_running_loop().create_future()
        self._waiting.add(change)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(at_latest):
                    await change
        finally:
            self._waiting.discard(change)

    def _wake_waiters(self) -> None:
        for change in self._waiting:
            if not change.done():
                change.set_result(None)

    def _draw_pause(self) -> float:
        return SHORTEST_PAUSE_SECONDS + (LONGEST_PAUSE_SECONDS - SHORTEST_PAUSE_SECONDS) * self.draw()


class _OvertakenError(Exception):
    """Another attempt has reached the broker; this one is made again. It never leaves this module."""


def _log_fields(broker: Address, absent: AbsentBroker, now: float) -> dict[str, object]:
    host, port = broker
    return {
        "broker": f"{host}:{port}",
        "since": absent.since.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "seconds": round(now - absent.since_in_loop),
    }


def _broker_away_error(broker: Address, absent: AbsentBroker) -> KafkaConnectionError:
    host, port = broker
    return KafkaConnectionError(f"{host}:{port} is away, and other clients try it: {absent.reason}")
