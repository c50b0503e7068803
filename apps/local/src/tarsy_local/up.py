"""`tarsy up`: every service, on Kafka and PostgreSQL, in the foreground, until it is told to stop."""

import os
import signal
import sys
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import FrameType

import structlog
import uvloop
from pydantic import ValidationError

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.topics_admin import TopicsWrong
from tarsy_config.load import load_config
from tarsy_config.mistakes import ConfigInvalid
from tarsy_embedded.child import LOG_BYTES, LOGS_KEPT
from tarsy_embedded.errors import EmbeddedError
from tarsy_embedded.ports import require_free
from tarsy_llm.script import ScriptInvalid
from tarsy_local.addresses import Places
from tarsy_local.instance import Home
from tarsy_local.instance_counts import SERVICES, Instances
from tarsy_local.instance_file import Telling
from tarsy_local.masking_key import masking_key
from tarsy_local.one_process import KafkaUnusable, make_topics, serve
from tarsy_local.own_servers import DatabaseUnusable, Named, Say, Servers, servers
from tarsy_local.startup_errors import sentences
from tarsy_local.supervisor.process_group import Crew, StartTooSlow
from tarsy_local.supervisor.restart_budget import BudgetSpent
from tarsy_local.supervisor.server_supervisor import KeptServers
from tarsy_local.supervisor.supervised_process import ServiceRefused
from tarsy_local.terminal_text import one_line
from tarsy_service.logs import configure_logs

log = structlog.get_logger(__name__)

FOR_PEOPLE = (EmbeddedError, ConfigInvalid, ScriptInvalid, KafkaUnusable, DatabaseUnusable, ServiceRefused, BudgetSpent)
REFUSALS = (LogMismatch, ConfigInvalid, ScriptInvalid)
"""What ends `tarsy up`: mistakes that somebody has to mend."""
REFUSALS_AT_FIRST = (TopicsWrong,)
"""Later it may be a broker that was started again and does not know all of its topics yet."""
WITH_TRACEBACK = (ExceptionGroup, TopicsWrong, LogMismatch, ValidationError, StartTooSlow)


class Failed(Exception):
    """TARSy could not start, or could not go on; the message is for the person at the terminal."""


@dataclass(frozen=True, slots=True)
class Ports:
    http: int
    kafka: int
    database: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """`replication` is None for what fits the cluster; `instances` is None for all services in one process."""

    config_dir: Path
    ports: Ports
    named: Named
    topic_prefix: str
    replication: int | None
    instances: Instances | None


def run_up(home: Home, wanted: Wanted, say: Say) -> None:
    """Returns after an orderly stop. Raises AlreadyRunning, Failed, or KeyboardInterrupt when stopped too early for it.

    Must run on the main thread: the servers die with the thread that started them.
    """
    log_file = home.folder / "tarsy.log"
    try:
        with home.held(), _sigterm_interrupts():
            configure_logs("INFO", RotatingFileHandler(log_file, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT))
            try:
                _run(home, wanted, log_file, say)
            except FOR_PEOPLE as problem:
                raise Failed(sentences(problem, log_file)) from problem
            except WITH_TRACEBACK as problem:
                log.error("up.failed", exc_info=problem)
                raise Failed(sentences(problem, log_file)) from problem
    except OSError as problem:
        raise Failed(sentences(problem, log_file)) from problem


def _run(home: Home, wanted: Wanted, log_file: Path, say: Say) -> None:
    config = load_config(wanted.config_dir, os.environ)
    require_free(wanted.ports.http, "the HTTP server")
    os.environ["PATH"] = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    ports = wanted.ports
    with servers(home.folder, wanted.named, kafka_port=ports.kafka, database_port=ports.database, say=say) as running:
        places = _places(wanted, running, masking_key(home.folder, os.environ))
        models = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
        say("Making the topics")
        uvloop.run(make_topics(places, replication=wanted.replication))
        telling = Telling(home, places, running.own, log_file, models=models, say=say)
        if wanted.instances is None:
            _one_process(places, running, telling)
        else:
            _processes(places, running, telling, wanted.instances, home.folder / "logs")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        telling.stopping()
        say("The services have stopped" + ("; stopping Kafka and PostgreSQL" if running.own else ""))
    say("TARSy has stopped; its data stays")


def _places(wanted: Wanted, running: Servers, key: str) -> Places:
    return Places(
        kafka=running.kafka,
        database=running.database,
        http_port=wanted.ports.http,
        config_dir=wanted.config_dir,
        topic_prefix=wanted.topic_prefix,
        own_broker=not wanted.named.kafka,
        own_database=not wanted.named.database,
        masking_key=key,
    )


def _one_process(places: Places, running: Servers, telling: Telling) -> None:
    # Here, because it imports every service, which who starts processes leaves to them.
    from tarsy_local.composition import all_services

    os.environ.update(places.environment(os.environ))
    telling.say("Starting the services")

    async def run() -> None:
        work = serve(
            all_services,
            port=places.http_port,
            on_ready=lambda: telling.ready(list(SERVICES)),
            on_death=telling.died,
            refusals=REFUSALS,
            refusals_at_first=REFUSALS_AT_FIRST,
        )
        await _on_kept_servers(running, telling, work)

    uvloop.run(run())


async def _on_kept_servers(running: Servers, telling: Telling, work: Coroutine[None, None, None]) -> None:
    kept = KeptServers(running.own, say=telling.say, changed=lambda: telling.servers_changed(kept.restarts))
    await kept.run_with(work)


def _processes(places: Places, running: Servers, telling: Telling, instances: Instances, logs: Path) -> None:
    from tarsy_local.many_processes import serve_processes

    count, began = sum(instances.values()), time.monotonic()
    telling.say(f"Starting {count} processes")

    def started(crew: Crew) -> None:
        ready = sum(member.state == "ready" for member in crew.members)
        who = f"All {count} processes are ready" if ready == count else f"{ready} of {count} processes are ready"
        telling.say(f"{who} after {time.monotonic() - began:.1f} seconds")
        for reason in crew.hindrances():
            telling.say(f"Warning: {one_line(reason)}")
        telling.crew_ready(crew)

    async def run() -> None:
        work = serve_processes(places, instances, logs, on_ready=started, on_change=telling.crew_changed)
        await _on_kept_servers(running, telling, work)

    uvloop.run(run())


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
