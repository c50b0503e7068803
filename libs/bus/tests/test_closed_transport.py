"""A broker that is killed closes its connections, and a request may be on its way to one in that moment."""

import asyncio

import pytest
import uvloop
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.metadata import MetadataRequest

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, producer


def test_a_request_on_a_connection_that_was_closed_a_moment_ago_is_an_error_that_passes(bus: Bus) -> None:
    """Services run on uvloop, which raises RuntimeError there: an orchestrator ended with it."""

    async def ask() -> None:
        client: AIOKafkaProducer = producer(bus)
        await start_client(client)
        try:
            connection = next(iter(client.client._conns.values()))
            transport = connection._writer.transport
            transport.abort()
            while "closed=True" not in repr(transport):  # noqa: ASYNC110 - nobody is told
                await asyncio.sleep(0)
            assert connection._writer is not None, "aiokafka has not noticed it yet"
            with pytest.raises(KafkaConnectionError):
                await connection.send(MetadataRequest([]))
        finally:
            await stop_client(client)

    uvloop.run(ask())
