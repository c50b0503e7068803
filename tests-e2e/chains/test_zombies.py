"""An orchestrator is frozen past its session, replaced, and thawed: it writes, and everybody ignores it.

In a chain of two stages, also while two agents run at once. A thawed process may read what happened before it writes,
and then has nothing to write: it is tried again at the next answer, and in the next session.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tarsy_bus.readers.records import Delivery
from tarsy_contracts.wire.envelope import wire_time
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for
from tarsy_testing.system.investigation import Investigation, Row, shown, subscribe
from tarsy_testing.system.system import System
from tarsy_testing.system.zombies import freeze_until_another_goes_on, thaw_until_it_knows, written_by
from tarsy_verification.differences import differences
from tarsy_verification.session_log import SessionLog

THOUGHTS = (
    "OtherThinker begins.",
    "OtherThinker ends.",
    "SynthesisAgent joins.",
    "Thinker acts.",
    "ExecSummaryAgent s",
)
"""What streams a second before an answer, which is silent."""


SESSIONS = 6
"""The first one mostly has a zombie that writes."""


async def test_what_a_zombie_writes_is_ignored_by_all(system: System, log: LiveLog) -> None:
    await system.started("orchestrator")
    for _ in range(SESSIONS):
        if told := await a_session_with_a_zombie(system, log):
            break
    else:
        pytest.fail("no zombie wrote anything: the test has shown nothing")
    undisturbed = await log.until_ended((await asyncio.to_thread(ask_for, system, "thinking")).session_id)
    assert differences(undisturbed, told) == []


async def a_session_with_a_zombie(system: System, log: LiveLog) -> SessionLog | None:
    """Its log, and everybody shows what stands there; None when no zombie wrote to it."""
    session = await asyncio.to_thread(ask_for, system, "thinking")
    await session.until_streaming(THOUGHTS[0])
    async with watching(system, session.session_id) as seen:
        live_from = len((await session.log()).accepted)
        written = await until_a_zombie_writes(system, log, session)
        told = await log.until_ended(session.session_id)
        if not written:
            return None
        await check_the_gateway(seen, told, live_from)
    assert {one.envelope.id for one in written}.isdisjoint(one.envelope.id for one in told.accepted)
    assert (await shown(system, session.session_id, told))["status"] == "completed"
    return told


async def until_a_zombie_writes(system: System, log: LiveLog, session: Investigation) -> list[Delivery]:
    """What it wrote; nothing when the session has ended before."""
    for thought in THOUGHTS:
        await session.until_streaming(thought)
        await log.until(lambda: log.of(session.session_id).accepted, "what happened")
        zombie = await freeze_until_another_goes_on(system, log, session.session_id)
        if zombie is None:
            return []
        await thaw_until_it_knows(zombie)
        read = await session.log()
        if found := rivals(read, written_by(zombie, read.dropped)):
            return found
    return []


def rivals(log: SessionLog, written: list[Delivery]) -> list[Delivery]:
    """Events that compete with what was accepted.

    What follows from an input of the inbox has the same bytes whoever decides it: such a repeat is dropped too, but it
    says nothing else than the event that counts.
    """
    accepted = {record.envelope.id for record in log.accepted}
    return [one for one in written if one.envelope.id not in accepted]


@asynccontextmanager
async def watching(system: System, session_id: str) -> AsyncIterator[list[Row]]:
    """What a client of the websocket gateway gets of the session, as it comes."""
    url = f"{system.of('websocket-gateway').url.replace('http', 'ws', 1)}/api/v1/ws"
    seen: list[Row] = []

    async def answered() -> bool:
        return any("number" in row for row in seen)

    async with connect(url, max_size=None, ping_interval=None) as socket, asyncio.TaskGroup() as group:
        seen += map(json.loads, await subscribe(socket, session_id))
        taking = group.create_task(_take(socket, seen))
        await eventually(answered, "the gateway answers")
        yield seen
        taking.cancel()


async def _take(socket: ClientConnection, seen: list[Row]) -> None:
    async for text in socket:
        row: Row = json.loads(text)
        seen.append(row)


async def check_the_gateway(seen: list[Row], told: SessionLog, live_from: int) -> None:
    """The zombie's events bear numbers of the session too, but other stamps."""

    async def ended() -> bool:
        return any(row.get("number") == len(told.accepted) for row in seen)

    await eventually(ended, "the gateway tells of the end")
    stamps = {record.number: wire_time(record.envelope.time) for record in told.accepted}
    events = [(row["number"], row["timestamp"]) for row in seen if "number" in row]
    live = [(number, stamp) for number, stamp in events if isinstance(number, int) and number > live_from]
    assert len(live) > 5
    assert [one for one in live if one[1] != stamps[one[0]]] == []
