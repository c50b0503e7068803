"""Load: several investigations at once, begun again and again, of which in the end none is lost and none doubled."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
from pydantic import JsonValue

from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import parse_record
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS
from tarsy_testing.rounds import rounds
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import DATA
from tarsy_testing.system.system import System
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

KINDS = ("crash-loop", "deleting", "thinking")
"""Chains: one with everything in it, one that destroys for seconds, one whose model speaks for seconds."""
DESTRUCTIVE = "pods_delete"
TAKEN_SECONDS = 180.0
ENDED_SECONDS = 300.0
PAUSE_SECONDS = 0.2
REQUEST_SECONDS = 30.0
RETRIED = frozenset({503})


@dataclass
class Load:
    """`calls`: where the lab notes the tools that it runs. `same_code`: all processes have it, so that people see the
    same of all sessions of a kind; else their ends are compared."""

    system: System
    log: LiveLog
    calls: Path
    same_code: bool = True
    alerts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By the sender's key: which session it is, and of which kind."""

    async def begin(self, kinds: Sequence[str] = KINDS) -> list[str]:
        """One session of each kind, or as many as there are rounds. Returns when all of them have events."""
        begun = [await self._begin(kind) for kind in kinds for _ in range(rounds())]
        for session_id in begun:
            await self.log.until_event(session_id, e.StageStarted)
        return begun

    async def send_all_again(self) -> None:
        """Each alert once more, as a sender that had no answer: it meets its session."""
        for key, (session_id, kind) in list(self.alerts.items()):
            assert await self._send(key, kind) == session_id

    async def until_all_ended(self) -> dict[str, SessionLog]:
        return {id: await self.log.until_ended(id, seconds=ENDED_SECONDS) for id, _ in self.alerts.values()}

    @property
    def newest(self) -> str:
        """The session that was begun last."""
        session_id, _ = next(reversed(self.alerts.values()))
        return session_id

    async def faults(self) -> list[str]:
        """Waits for all ends. Sentences of what is not as it should be; none: nothing is lost, and nothing doubled."""
        kinds = dict(self.alerts.values())
        logs = await self.until_all_ended()
        faults = [f"session {id} is nobody's" for id in self.log.reading.sessions.keys() - kinds.keys()]
        for id, kind in kinds.items():
            first = next(one for one, of in kinds.items() if of == kind)
            faults += [f"{kind} {id}: {fault}" for fault in self._faults_of(logs[id], logs[first])]
        return faults

    def _faults_of(self, told: SessionLog, first: SessionLog) -> Iterator[str]:
        """Compared with the first session of its kind."""
        runs = runs_of(self.calls, told.accepted[0].session_id)
        yield from faults_of(told, runs, first if self.same_code else None)
        if _conclusion(told) != _conclusion(first):
            yield f"it concludes {_conclusion(told)} instead of {_conclusion(first)}"
        if (times := Counter(run.tool for run in runs)[DESTRUCTIVE]) > 1:
            yield f"{DESTRUCTIVE} ran {times} times"

    async def _begin(self, kind: str) -> str:
        key = str(uuid4())
        session_id = await self._send(key, kind)
        self.alerts[key] = (session_id, kind)
        return session_id

    async def _send(self, key: str, kind: str) -> str:
        """As a client does that wants its alert to arrive: under one key, until it is taken."""
        body: JsonValue = {"alert_type": kind, "data": DATA}
        limit = time.monotonic() + TAKEN_SECONDS
        refused = ""
        async with httpx2.AsyncClient(timeout=REQUEST_SECONDS) as client:
            while time.monotonic() < limit:
                url = f"{self.system.of('ingest').url}/api/v1/alerts"
                try:
                    answer = await client.post(url, json=body, headers={"Idempotency-Key": key})
                except httpx2.TransportError as problem:
                    refused = repr(problem)
                else:
                    if answer.status_code not in RETRIED:
                        assert answer.status_code == 202, answer.text
                        return str(answer.json()["session_id"])
                    refused = answer.text
                await asyncio.sleep(PAUSE_SECONDS)
        pytest.fail(f"ingest took no alert in {TAKEN_SECONDS:g} seconds: {refused}")


def _conclusion(log: SessionLog) -> tuple[str, ...]:
    """How it ended, and to which result."""
    ended = next((type for type in log.types if type in ENDINGS), log.types[-1])
    (end,) = log.events(e.SessionCompleted) or (None,)
    return (ended,) if end is None else (ended, end.final_analysis, end.executive_summary)


async def sources_of(system: System) -> set[str]:
    """Names of the processes that wrote to inbox and log."""
    found: set[str] = set()

    def take(record: Record) -> None:
        if (delivery := parse_record(record)) is not None:
            found.add(delivery.envelope.source.rpartition("/")[2])

    for topic in (system.bus.topics.inbox, system.bus.topics.sessions):
        await read_to_end(system.bus, topic, dict.fromkeys(range(system.bus.layout.log_partitions), 0), take)
    return found
