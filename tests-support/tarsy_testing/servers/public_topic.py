"""The public topic as a consumer sees it, beside the session log that it follows from."""

from tarsy_bus.client.connection import Bus
from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.mapping import public_event
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import read_all
from tarsy_testing.story.log import read_log

type Seen = dict[tuple[str, int], tuple[str, bytes]]
"""The id and the value of each event, by session and sequence."""


async def consumed(bus: Bus) -> Seen:
    """Everything that counts for a consumer that keeps the last sequence of each session."""
    last = LastSequences()
    seen: Seen = {}
    for record in await read_all(bus, bus.topics.events):
        envelope = PublicEnvelope.from_headers(record.headers)
        if last.take(envelope.subject, envelope.sequence):
            seen[envelope.subject, envelope.sequence] = (envelope.id, record.value or b"")
    return seen


async def accepted(bus: Bus) -> Seen:
    """Everything that the log says a consumer should see."""
    return {
        (record.session_id, record.number): (record.envelope.id, event.to_bytes())
        for log in (await read_log(bus)).values()
        for record in log.accepted
        if record.event is not None and (event := public_event(record.event)) is not None
    }


async def until_all_is_public(bus: Bus) -> None:
    """Consumers see by session and sequence what the log has: nothing less, nothing else."""

    async def equal() -> bool:
        wanted = await accepted(bus)
        return bool(wanted) and await consumed(bus) == wanted

    await eventually(equal, "the public topic equals the log")
