"""A stand-in for the orchestrator where only its answer to a person's request counts."""

import asyncio
from datetime import UTC, datetime

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import PartitionReader, ends
from tarsy_bus.readers.records import delivery
from tarsy_contracts.messages.control import RequestAnswered
from tarsy_contracts.messages.inputs import (
    INPUTS,
    CallDecisionRequested,
    CancelRequested,
    ChatRequested,
    ReviewRequested,
    ScoreRequested,
    SessionDeleteRequested,
    SessionFailRequested,
    SessionReleaseRequested,
)
from tarsy_timeline.api.requests.session_commands import PersonRequest

PERSON_REQUESTS = (
    CallDecisionRequested,
    CancelRequested,
    ChatRequested,
    ReviewRequested,
    ScoreRequested,
    SessionDeleteRequested,
    SessionReleaseRequested,
    SessionFailRequested,
)


async def owner_answers(bus: Bus, asking: asyncio.Event, accepted: bool, code: int, reason: str) -> list[PersonRequest]:
    """Answers the first request in the inbox from now on; `asking` is set when it may be sent. Returns the requests."""
    begin = await ends(bus, bus.topics.inbox, list(range(12)))
    async with PartitionReader(bus, bus.topics.inbox).running() as follower:
        follower.assign(begin)
        asking.set()
        while not (records := await follower.read()):
            pass
    asked = [delivery(record).decode(INPUTS) for record in records]
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        for one in asked:
            assert isinstance(one, PERSON_REQUESTS)
            answer = RequestAnswered(request_id=one.request_id, accepted=accepted, code=code, reason=reason)
            await publisher.publish(bus.topics.control, answer, key=one.request_id, id="1", subject="s")
    return [one for one in asked if isinstance(one, PERSON_REQUESTS)]
