"""`tarsy up`: Kafka, PostgreSQL and every service, in the foreground, until it is told to stop."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import structlog
import uvloop
from prometheus_client import CollectorRegistry
from pydantic import ValidationError

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.topics_admin import TopicsWrong
from tarsy_cli.composition import Places, all_services
from tarsy_cli.instance import Home, Instance, Process
from tarsy_cli.refusals import sentences
from tarsy_cli.serving import Running, serve
from tarsy_config.config import Config
from tarsy_config.load import load_config
from tarsy_config.mistakes import ConfigInvalid
from tarsy_embedded.class_archive import prepare
from tarsy_embedded.errors import EmbeddedError
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.ports import require_free
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_llm.script import ScriptInvalid
from tarsy_service.logs import configure_logs

log = structlog.get_logger(__name__)

type Say = Callable[[str], None]


class Failed(Exception):
    """TARSy could not start, or could not go on; the message is for the person at the terminal."""


@dataclass(frozen=True, slots=True)
class Ports:
    http: int
    kafka: int
    database: int


def run_up(home: Home, *, config_dir: Path, ports: Ports, say: Say) -> None:
    """Returns after an orderly stop. Raises AlreadyRunning, Failed, or KeyboardInterrupt when stopped too early for it.

    Must run on the main thread: the servers die with the thread that started them.
    """
    log_file = home.folder / "tarsy.log"
    try:
        with home.held(), _sigterm_interrupts():
            configure_logs("INFO", log_file.open("a", encoding="utf-8", buffering=1))
            try:
                _run(home, config_dir, ports, log_file, say)
            except (EmbeddedError, ConfigInvalid, ScriptInvalid) as problem:
                raise Failed(sentences(problem, log_file)) from problem
            except (ExceptionGroup, TopicsWrong, LogMismatch, ValidationError) as problem:
                log.error("up.failed", exc_info=problem)
                raise Failed(sentences(problem, log_file)) from problem
    except OSError as problem:
        raise Failed(sentences(problem, log_file)) from problem


def _run(home: Home, config_dir: Path, ports: Ports, log_file: Path, say: Say) -> None:
    config = load_config(config_dir, os.environ)
    require_free(ports.http, "the HTTP server")
    os.environ["PATH"] = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    cache = default_cache_dir()
    prepare(cache, say)
    kafka = EmbeddedKafka(home.folder / "kafka", port=ports.kafka, cache_dir=cache, progress=say)
    database = EmbeddedPostgres(home.folder / "postgres", port=ports.database, progress=say)
    with database, kafka:
        places = Places(kafka=kafka.bootstrap, database=database.url, http_port=ports.http, config_dir=config_dir)
        os.environ.update(places.environment())
        registry = CollectorRegistry()
        running = Running(places, [kafka, database], all_services(registry), registry)
        instance = _instance(running, config, log_file)

        def ready() -> None:
            home.write(instance)
            for line in instance.lines():
                say(line)

        uvloop.run(serve(running, ready, say))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        home.write(instance.model_copy(update={"state": "stopping"}))
        say("The services have stopped; stopping Kafka and PostgreSQL")
    say("TARSy has stopped; its data stays")


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Until the services run, which then take both signals themselves, `tarsy down` is what Ctrl-C is."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _instance(running: Running, config: Config, log_file: Path) -> Instance:
    places = running.places
    ours = [Process(service=service.name, pid=os.getpid()) for service in running.services]
    servers = [Process(service=server.name.lower(), pid=server.pid) for server in running.servers]
    scripted = all(provider.type == "scripted" for provider in config.llm_providers.values())
    return Instance(
        state="ready",
        pid=os.getpid(),
        kafka=places.kafka,
        database=places.database,
        api=f"{places.http_url}/api/v1",
        websocket=f"ws://127.0.0.1:{places.http_port}/api/v1/ws",
        metrics=f"{places.http_url}/metrics",
        log=str(log_file),
        scripted=scripted,
        processes=[*servers, *ours],
    )
