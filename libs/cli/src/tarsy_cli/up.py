"""`tarsy up`: Kafka, PostgreSQL and every service, in the foreground, until it is told to stop."""

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvloop
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import apply_topics
from tarsy_cli.composition import Places, all_services
from tarsy_cli.instance import Home, Instance, Process
from tarsy_contracts.topics import Topics
from tarsy_embedded.class_archive import prepare
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.ports import require_free
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.server import EmbeddedServer
from tarsy_service.logs import configure_logs
from tarsy_service.running import run_services
from tarsy_service.service import Service

LOOK_SECONDS = 0.5
SHUTDOWN_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Ports:
    http: int
    kafka: int
    database: int


def run_up(home: Home, *, config_dir: Path, ports: Ports, say: Callable[[str], None]) -> None:
    """Returns after an orderly stop. Raises EmbeddedError, ConfigInvalid, AlreadyRunning, or what a service died of.

    Must run on the main thread: the servers die with the thread that started them.
    """
    with home.held():
        os.environ["PATH"] = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        log = home.folder / "tarsy.log"
        configure_logs("INFO", log.open("a", encoding="utf-8", buffering=1))
        require_free(ports.http, "the HTTP server")
        cache = default_cache_dir()
        prepare(cache, say)
        kafka = EmbeddedKafka(home.folder / "kafka", port=ports.kafka, cache_dir=cache, progress=say)
        database = EmbeddedPostgres(home.folder / "postgres", port=ports.database, progress=say)
        with database, kafka:
            places = Places(kafka=kafka.bootstrap, database=database.url, http_port=ports.http, config_dir=config_dir)
            os.environ.update(places.environment())
            registry = CollectorRegistry()
            services = all_services(registry)
            uvloop.run(_serve(home, places, [kafka, database], services, registry, log, say))
            say("Stopping: services are down, now PostgreSQL and Kafka")


async def _serve(
    home: Home,
    places: Places,
    servers: list[EmbeddedServer],
    services: list[Service],
    registry: CollectorRegistry,
    log: Path,
    say: Callable[[str], None],
) -> None:
    say("Making topics")
    await apply_topics(Bus(bootstrap=places.kafka, topics=Topics(), client="tarsy-up"))
    say("Starting the services")
    instance = _instance(places, services, log)

    def ready() -> None:
        home.write(instance)
        for line in ready_lines(instance):
            say(line)

    watching = Service(name="servers", run=lambda ready: _watch(servers, ready))
    await run_services(
        [*services, watching],
        host="127.0.0.1",
        port=places.http_port,
        registry=registry,
        shutdown_seconds=SHUTDOWN_SECONDS,
        on_ready=ready,
    )


async def _watch(servers: list[EmbeddedServer], ready: Callable[[], None]) -> None:
    """Ends everything, with the reason, when Kafka or PostgreSQL ended by itself."""
    ready()
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        for server in servers:
            if (failure := server.failure()) is not None:
                raise failure


def _instance(places: Places, services: list[Service], log: Path) -> Instance:
    return Instance(
        state="ready",
        pid=os.getpid(),
        kafka=places.kafka,
        database=places.database,
        api=f"{places.http_url}/api/v1",
        websocket=f"ws://127.0.0.1:{places.http_port}/api/v1/ws",
        metrics=f"{places.http_url}/metrics",
        log=str(log),
        processes=[Process(service=service.name, pid=os.getpid()) for service in services],
    )


def ready_lines(instance: Instance) -> list[str]:
    """Where everything is, for a person. The database's password stays out of it."""
    scheme, _, rest = instance.database.partition("://")
    return [
        "TARSy is ready",
        f"  API         {instance.api}",
        f"  WebSocket   {instance.websocket}",
        f"  metrics     {instance.metrics}",
        f"  Kafka       {instance.kafka}",
        f"  PostgreSQL  {scheme}://{rest.rpartition('@')[2]}  (`tarsy status --json` has the password)",
        f"  log         {instance.log}",
        "  model       scripted: the answers come from a file, no model is asked",
        "`make demo` in a second terminal sends an alert. Ctrl-C stops everything; the data stays.",
    ]
