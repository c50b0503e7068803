"""The services of `tarsy up`, on servers that run: until they are told to stop, or one of either kind fails."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence

from aiokafka.errors import KafkaError
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus
from tarsy_bus.publisher import NotWritten
from tarsy_bus.topics_admin import apply_topics
from tarsy_cli.starting.kafka_sentence import kafka_sentence
from tarsy_cli.starting.places import HOST, Places
from tarsy_embedded.errors import EmbeddedError
from tarsy_embedded.server import EmbeddedServer
from tarsy_service.running import run_services
from tarsy_service.service import Service

LOOK_SECONDS = 0.5
WITHOUT_SERVER_SECONDS = 3.0
SHUTDOWN_SECONDS = 15.0
CONNECT_SECONDS = 10.0
TOPICS_SECONDS = 120.0


class KafkaUnusable(Exception):
    """The message says where it should be, and what may be wrong."""


async def make_topics(places: Places, *, replication: int | None) -> None:
    """Raises TopicsWrong or KafkaUnusable."""
    bus = Bus(bootstrap=places.kafka, topics=places.topics, client="tarsy-up")
    try:
        async with asyncio.timeout(TOPICS_SECONDS):
            await apply_topics(bus, replication=replication, connect_seconds=CONNECT_SECONDS)
    except (KafkaError, NotWritten, TimeoutError, OSError) as problem:
        raise KafkaUnusable(kafka_sentence(places.kafka, problem)) from problem


async def serve(
    services: Sequence[Service],
    registry: CollectorRegistry,
    *,
    port: int,
    servers: Sequence[EmbeddedServer],
    on_ready: Callable[[], None],
) -> None:
    """All in this process. Raises what a service died of, or why a server ended by itself."""
    working = run_services(
        services,
        host=HOST,
        port=port,
        registry=registry,
        shutdown_seconds=SHUTDOWN_SECONDS,
        on_ready=on_ready,
    )
    await beside_servers(working, servers)


async def beside_servers(work: Coroutine[None, None, None], servers: Sequence[EmbeddedServer]) -> None:
    """Returns when the work does. Raises why a server ended by itself, and cancels the work then."""
    working = asyncio.create_task(work, name="services")
    watching = asyncio.create_task(_end_of_a_server(servers), name="servers")
    await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
    if working.done():
        watching.cancel()
        await working
        return
    # Nothing can be handed over to a server that is gone. What still waits for it is cancelled again by the loop.
    working.cancel()
    await asyncio.wait([working], timeout=WITHOUT_SERVER_SECONDS)
    raise watching.result()


async def _end_of_a_server(servers: Sequence[EmbeddedServer]) -> EmbeddedError:
    while True:
        for server in servers:
            if (failure := server.failure()) is not None:
                return failure
        await asyncio.sleep(LOOK_SECONDS)
