"""The audit topic as the command reads it: the newest acts that are wanted."""

from collections import deque
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ValidationError

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.readers.records import delivery
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.wire.envelope import EnvelopeError


@dataclass(frozen=True, slots=True)
class ActFilter:
    """`name`: that of the caller, or of the credential. `session`: an id or its beginning."""

    name: str = ""
    session: str = ""

    def wants(self, act: ActRequested) -> bool:
        return self.name in ("", act.name, act.credential) and act.session_id.startswith(self.session)


class RecordedAct(ActRequested):
    """An act, and when it was asked for."""

    time: datetime


class RecordedActs(BaseModel):
    acts: list[RecordedAct]


async def read_acts(bus: Bus, wanted: ActFilter, limit: int) -> RecordedActs:
    """The newest `limit` acts, the oldest of them first. Raises KafkaError."""
    found: deque[RecordedAct] = deque(maxlen=limit)
    async with PartitionReader(bus, bus.topics.audit).running() as reader:
        partitions = await reader.partitions()
        starts, ends = await reader.firsts(partitions), await reader.ends(partitions)
        async with aclosing(reader.between(starts, ends)) as batches:
            async for records in batches:
                found.extend(act for act in map(_parse_act, records) if act is not None and wanted.wants(act))
    return RecordedActs(acts=list(found))


def _parse_act(record: Record) -> RecordedAct | None:
    """None of what strangers wrote."""
    try:
        envelope = delivery(record).envelope
        act = ActRequested.model_validate_json(record.value or b"")
    except (EnvelopeError, ValidationError):
        return None
    return RecordedAct(time=envelope.time, **dict(act))
