"""Processes that are frozen, replaced meanwhile, and thawed."""

import json

import pytest

from tarsy_bus.readers.records import Delivery
from tarsy_contracts.wire.topics import LOG_PARTITIONS
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.system import ServiceProcess, System
from tarsy_verification.session_log import SessionLog


def owner_of(system: System, log: SessionLog) -> ServiceProcess:
    """The process that wrote the session's last event."""
    source = log.accepted[-1].envelope.source
    return next(process for process in system.processes if source.endswith(f"/{process.name}"))


def written_by(process: ServiceProcess, records: list[Delivery]) -> list[Delivery]:
    return [record for record in records if record.envelope.source.endswith(f"/{process.name}")]


async def freeze_until_another_goes_on(system: System, log: LiveLog, session_id: str) -> ServiceProcess | None:
    """Freezes the session's owner; returns it when another has written to the session, and the group has left it out.

    None, and nobody is frozen, when the session had ended before.

    The writer of the last event may own the session no longer. Another goes on at once then, and a process that was
    thawed so early would be a member still, which learns nothing.
    """
    owner = owner_of(system, log.of(session_id))
    others = [process for process in system.alive("orchestrator") if process is not owner]
    before = [len(_assignments(process)) for process in others]
    owner.freeze()

    async def left_out() -> bool:
        now = [_assignments(process) for process in others]
        grown = any(len(found) > count for found, count in zip(now, before, strict=True))
        return grown and sum(found[-1] for found in now if found) == LOG_PARTITIONS

    def goes_on() -> bool:
        return owner_of(system, log.of(session_id)) is not owner

    await log.until(lambda: goes_on() or log.of(session_id).ended, "another owner goes on")
    if not goes_on():
        owner.thaw()
        return None
    await eventually(left_out, f"the group goes on without {owner.name}")
    return owner


async def thaw_until_it_knows(zombie: ServiceProcess) -> None:
    """Until it has learned that it owns other partitions now."""
    before = len(_assignments(zombie))
    zombie.thaw()

    async def learned() -> bool:
        assert zombie.alive, f"{zombie.name} has ended:\n{zombie.last_lines}"
        return len(_assignments(zombie)) > before

    try:
        await eventually(learned, f"{zombie.name} joins its group again")
    except pytest.fail.Exception as problem:
        problem.add_note(zombie.last_lines)
        raise


def _assignments(process: ServiceProcess) -> list[int]:
    """How many partitions it was assigned, each time."""
    written = process.log.read_text(errors="replace")
    lines = written[: written.rfind("\n") + 1].splitlines()
    return [len(json.loads(line)["partitions"]) for line in lines if '"partitions.assigned"' in line]
