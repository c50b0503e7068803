"""The services of `tarsy up`, on servers that run: until they are told to stop, or one of either kind fails."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import apply_topics
from tarsy_cli.composition import Places
from tarsy_contracts.topics import Topics
from tarsy_embedded.errors import EmbeddedError
from tarsy_embedded.server import EmbeddedServer
from tarsy_service.running import run_services
from tarsy_service.service import Service

LOOK_SECONDS = 0.5
WITHOUT_SERVER_SECONDS = 3.0
SHUTDOWN_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Running:
    places: Places
    servers: Sequence[EmbeddedServer]
    services: Sequence[Service]
    registry: CollectorRegistry


async def serve(running: Running, on_ready: Callable[[], None], say: Callable[[str], None]) -> None:
    """Returns after an orderly stop. Raises what a service died of, or why a server ended by itself."""
    say("Making the topics")
    await apply_topics(Bus(bootstrap=running.places.kafka, topics=Topics(), client="tarsy-up"))
    say("Starting the services")
    working = asyncio.create_task(_work(running, on_ready), name="services")
    watching = asyncio.create_task(_end_of_a_server(running.servers), name="servers")
    await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
    if working.done():
        watching.cancel()
        await working
        return
    # Nothing can be handed over to a server that is gone. What still waits for it is cancelled again by the loop.
    working.cancel()
    await asyncio.wait([working], timeout=WITHOUT_SERVER_SECONDS)
    raise watching.result()


async def _work(running: Running, on_ready: Callable[[], None]) -> None:
    await run_services(
        running.services,
        host="127.0.0.1",
        port=running.places.http_port,
        registry=running.registry,
        shutdown_seconds=SHUTDOWN_SECONDS,
        on_ready=on_ready,
    )


async def _end_of_a_server(servers: Sequence[EmbeddedServer]) -> EmbeddedError:
    while True:
        for server in servers:
            if (failure := server.failure()) is not None:
                return failure
        await asyncio.sleep(LOOK_SECONDS)
