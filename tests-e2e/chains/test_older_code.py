"""Old and new code side by side: what the old one cannot read it sets aside, and the new one goes on with it."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from tarsy_contracts import events as e
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import ask_for
from tarsy_testing.system.system import ServiceProcess, System
from tarsy_testing.system.zombies import owner_of

OLDER = str(Path("tests-e2e") / "chains" / "older_orchestrator.py")
UNKNOWN = e.ProviderFellBack
SESSIONS = 8
"""On twelve partitions, of which each owner has six."""


def set_aside(older: ServiceProcess) -> set[str]:
    """The sessions of which it said so."""
    lines = older.log.read_text(errors="replace").splitlines()
    return {word for line in lines if "session.set_aside" in line for word in line.replace('"', " ").split()}


async def test_a_session_with_a_newer_event_waits_for_newer_code(system: System, log: LiveLog) -> None:
    newer = system.of("orchestrator")
    sessions = [ask_for(system, "falling").session_id for _ in range(SESSIONS)]
    for session_id in sessions:
        await log.until_event(session_id, UNKNOWN)
    older = system.start("orchestrator", program=(OLDER, UNKNOWN.type))
    await system.until_ready(older)

    def some_of_both() -> bool:
        """On a busy machine all may have ended before the older one owns any: then others take their turn."""
        aside = set_aside(older) & set(sessions)
        ended = {id for id in sessions if log.of(id).ended}
        if aside | ended < set(sessions):
            return False
        if not (aside and ended):
            sessions.append(ask_for(system, "falling").session_id)
        return bool(aside and ended)

    await log.until(some_of_both, "some sessions are set aside, and the others end")
    waiting = sorted(set_aside(older) & set(sessions))
    others = [id for id in sessions if id not in waiting]
    waits_from = datetime.now(UTC)
    for session_id in others:
        told = await log.until_ended(session_id)
        assert (told.types[-1], owner_of(system, told)) == ("session.completed", newer)
    assert await who_completes(system, log, older), "the older one works, but for what it cannot read"
    waits_until = datetime.now(UTC)
    await asyncio.to_thread(older.stop)
    for session_id in waiting:
        told = await log.until_ended(session_id)
        assert (told.types[-1], owner_of(system, told)) == ("session.completed", newer)
        assert [one for one in told.accepted if waits_from < one.appended_at < waits_until] == []


async def who_completes(system: System, log: LiveLog, process: ServiceProcess) -> bool:
    """Whether the process completes a session, of several that any may get."""
    sessions = [ask_for(system, "answering").session_id for _ in range(SESSIONS)]
    return any([owner_of(system, await log.until_ended(session_id)) is process for session_id in sessions])
