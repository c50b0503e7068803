"""The session log as tests look at it: what was written, and what of it counts."""

from tarsy_bus.client.connection import Bus
from tarsy_verification import session_log
from tarsy_verification.invariants import chain_faults
from tarsy_verification.session_log import SessionLog


async def read_log(bus: Bus) -> dict[str, SessionLog]:
    """Every session, judged by the acceptance rule from the beginning of the log."""
    reading = await session_log.read_log(bus)
    assert not reading.unreadable, f"offset {reading.unreadable[0].offset} of the log has no envelope"
    return reading.sessions


def check_one_chain(session: SessionLog) -> None:
    """Numbers without a gap, each event naming the one before it, one end, at most one outcome a call."""
    assert chain_faults(session) == []
