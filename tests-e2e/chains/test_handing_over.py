"""Three orchestrators with live sessions: one is stopped, one is killed, the third loses nothing."""

import asyncio
from datetime import UTC, datetime, timedelta

from tarsy_contracts import events as e
from tarsy_testing.measured import measured
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for
from tarsy_testing.system.system import ServiceProcess, System
from tarsy_testing.system.zombies import owner_of
from tarsy_verification.invariants import faults_of

SESSIONS = 24
MISSED_SECONDS = 240.0
"""So long the group would wait for the one that is stopped, if it did not say good-bye."""
AT_ONCE = timedelta(seconds=MISSED_SECONDS / 2)
STOP_SECONDS = MISSED_SECONDS / 4


async def begin(system: System, log: LiveLog) -> list[str]:
    """Sessions that have an event every second, for a while."""
    sessions = [ask_for(system, "busy").session_id for _ in range(SESSIONS)]
    for session_id in sessions:
        await log.until_event(session_id, e.ToolCallCompleted)
    return sessions


async def never_missed(system: System, service: str) -> ServiceProcess:
    """One more process, for which its group waits longer than the test does."""
    system.environment["TARSY_GROUP_SESSION_TIMEOUT_MS"] = str(int(MISSED_SECONDS * 1000))
    try:
        return await system.started(service)
    finally:
        del system.environment["TARSY_GROUP_SESSION_TIMEOUT_MS"]


async def owned(system: System, log: LiveLog, sessions: list[str], process: ServiceProcess) -> list[str]:
    """Those that run: on a busy machine some have ended by now."""
    found = [id for id in sessions if owner_of(system, log.of(id)) is process and not log.of(id).ended]
    assert found, f"{process.name} owns no session: nothing would be shown"
    return found


async def until_others_go_on(log: LiveLog, gone: ServiceProcess, moved: list[str], since: datetime) -> timedelta:
    """How long it took the last one of its sessions, by the broker's stamps. Those that ended before go nowhere."""

    def first(session_id: str) -> datetime | None:
        records = log.of(session_id).accepted
        others = [one for one in records if not one.envelope.source.endswith(f"/{gone.name}")]
        return next((one.appended_at for one in others if one.appended_at > since), None)

    def look() -> list[datetime] | None:
        found = {id: at for id in moved if (at := first(id)) is not None}
        return [*found.values()] if all(id in found or log.of(id).ended for id in moved) else None

    return max(await log.until(look, f"others go on with the sessions of {gone.name}")) - since


async def test_who_stops_hands_over_at_once_and_who_is_killed_is_replaced(system: System, log: LiveLog) -> None:
    killed, stopped = await system.started("orchestrator"), await never_missed(system, "orchestrator")
    sessions = await begin(system, log)

    moved = await owned(system, log, sessions, stopped)
    since = datetime.now(UTC)
    took = await asyncio.to_thread(stopped.stop)
    handed_over = await until_others_go_on(log, stopped, moved, since)
    measured("stopped", took)
    measured(f"{len(moved)} sessions of who stopped went on", handed_over.total_seconds())

    moved = await owned(system, log, sessions, killed)
    since = datetime.now(UTC)
    killed.kill()
    replaced = await until_others_go_on(log, killed, moved, since)
    measured(f"{len(moved)} sessions of who was killed went on", replaced.total_seconds())

    ended = [await log.until_ended(session_id) for session_id in sessions]
    assert {told.types[-1] for told in ended} == {"session.completed"}
    assert [fault for told in ended for fault in faults_of(told, [], ended[0])] == []
    assert took < STOP_SECONDS
    assert handed_over < AT_ONCE
    assert replaced < AT_ONCE
