"""The result of each investigation, as soon as it is there: the first consumer of `tarsy.events`."""

import asyncio
from typing import Annotated

from faststream import FastStream, Header
from faststream.kafka import KafkaMessage
from kafka_of_tarsy import TOPIC, connect

from tarsy_contracts.public.session_events import PublicSessionCompleted

broker = connect()
events = broker.subscriber(TOPIC, group_id="tarsy.consumer-first", auto_offset_reset="earliest")


@events(filter=lambda message: message.headers["ce_type"] == PublicSessionCompleted.type)
async def completed(event: PublicSessionCompleted, session: Annotated[str, Header("ce_subject")]) -> None:
    print(session, event.executive_summary or event.analysis, flush=True)


@events
async def other(_: KafkaMessage) -> None:
    """All other types."""


if __name__ == "__main__":
    asyncio.run(FastStream(broker).run())
