"""Run of an instance: every service, on Kafka and PostgreSQL, in the foreground, until it is told to stop."""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Protocol

import structlog
import uvloop
from pydantic import ValidationError

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.access import KafkaAccessError
from tarsy_bus.security import PLAINTEXT, KafkaSecurity, security_of
from tarsy_bus.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_config.load import load_config
from tarsy_llm.script import InvalidScriptError
from tarsy_local.addresses import Addresses, door_settings
from tarsy_local.early_import import imported_meanwhile
from tarsy_local.extra import MissingExtraError
from tarsy_local.instance import Home
from tarsy_local.instance_counts import SERVICES, InstanceCounts
from tarsy_local.instance_file import InstanceFile
from tarsy_local.kept_keys import MASKING_KEY, TOKEN_KEY, kept_key
from tarsy_local.one_process import KafkaUnusableError, make_topics, run_in_one_process
from tarsy_local.own_kafka import own_kafka_security
from tarsy_local.servers import ServersInUse, servers
from tarsy_local.startup_errors import sentences
from tarsy_local.supervisor.process_group import ProcessGroup, StartTooSlowError
from tarsy_local.supervisor.restart_budget import BudgetSpentError
from tarsy_local.supervisor.service_start import StartService
from tarsy_local.supervisor.supervised_process import ServiceRefusedError
from tarsy_local.terminal_text import one_line
from tarsy_local.up import Say, UpFailedError, UpOptions
from tarsy_masking.masker import prepare_default
from tarsy_processes.errors import ProcessError
from tarsy_processes.output_log import LOG_BYTES, LOGS_KEPT
from tarsy_processes.ports import require_free
from tarsy_service.kafka_settings import KafkaConnectionSettings
from tarsy_service.logs import configure_logs
from tarsy_service.secret_files import SecretFileError
from tarsy_timeline.database.single_connection import DatabaseUnusableError

log = structlog.get_logger(__name__)

FOR_PEOPLE = (
    ProcessError,
    MissingExtraError,
    InvalidConfigError,
    InvalidScriptError,
    KafkaUnusableError,
    DatabaseUnusableError,
    ServiceRefusedError,
    BudgetSpentError,
    SecretFileError,
    KafkaAccessError,
)
FATAL_ERRORS = (LogMismatchError, InvalidConfigError, InvalidScriptError)
"""Errors that end `tarsy up`: mistakes that somebody has to mend."""
FATAL_ERRORS_AT_FIRST = (WrongTopicsError, KafkaAccessError)
"""Later it may be a broker that was started again and does not know all of its topics yet."""
WITH_TRACEBACK = (ExceptionGroup, WrongTopicsError, LogMismatchError, ValidationError, StartTooSlowError)


def run_instance(home: Home, options: UpOptions, start: StartService, log_file: Path, say: Say) -> None:
    """In a folder that is held. Returns after an orderly stop. Raises UpFailedError or OSError."""
    configure_logs("INFO", RotatingFileHandler(log_file, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT))
    try:
        _run(home, options, start, log_file, say)
    except FOR_PEOPLE as problem:
        raise UpFailedError(sentences(problem, log_file)) from problem
    except WITH_TRACEBACK as problem:
        log.error("up.failed", exc_info=problem)
        raise UpFailedError(sentences(problem, log_file)) from problem


def _run(home: Home, options: UpOptions, start: StartService, log_file: Path, say: Say) -> None:
    # Before anything starts: whoever opens it without saying who may come in learns so at once.
    door_settings(options.http_host, os.environ)
    config = load_config(options.config_dir, os.environ)
    theirs = security_of(KafkaConnectionSettings()) if options.named.kafka else PLAINTEXT
    require_free(options.ports.http, "the HTTP server", options.http_host)
    os.environ["PATH"] = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    with (
        _services_of(options.instances, home.logs, start) as services,
        servers(home.folder, options.named, options.ports, say=say, meanwhile=services.prepare) as running,
    ):
        addresses = _make_addresses(options, running, home.folder, theirs)
        models = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
        for line in addresses.warnings(os.environ):
            say(line)
        say("Making the topics")
        uvloop.run(make_topics(addresses, replication=options.replication))
        instance_file = InstanceFile(home, addresses, running.own, log_file, models=models, say=say)
        gc.freeze()
        gc.enable()
        services.run(addresses, running, instance_file)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        instance_file.stopping()
        say("The services have stopped" + ("; stopping Kafka and PostgreSQL" if running.own else ""))
    say("TARSy has stopped; its data stays")


def _make_addresses(options: UpOptions, running: ServersInUse, home: Path, theirs: KafkaSecurity) -> Addresses:
    file = running.kafka_password_file
    return Addresses(
        kafka=running.kafka,
        database=running.database,
        http_host=options.http_host,
        http_port=options.ports.http,
        config_dir=options.config_dir,
        topic_prefix=options.topic_prefix,
        own_broker=not options.named.kafka,
        own_database=not options.named.database,
        masking_key=kept_key(MASKING_KEY, home, os.environ),
        token_key=kept_key(TOKEN_KEY, home, os.environ),
        kafka_security=own_kafka_security(file) if file is not None else theirs,
        kafka_password_file=file,
    )


class Services(Protocol):
    """All services, in the one way or the other."""

    def prepare(self) -> None:
        """Begins what can be done while the servers start."""

    def run(self, addresses: Addresses, running: ServersInUse, instance_file: InstanceFile) -> None:
        """Until they have been told to stop, and have ended."""


@contextmanager
def _services_of(instances: InstanceCounts | None, logs: Path, start: StartService) -> Iterator[Services]:
    if instances is None:
        with imported_meanwhile("tarsy_local.composition", prepare_default) as begin:
            yield OneProcess(begin)
    else:
        yield ManyProcesses(instances, logs, start)


@dataclass(frozen=True, slots=True)
class OneProcess:
    """This one. `begin_imports` begins those of all services."""

    begin_imports: Callable[[], None]

    def prepare(self) -> None:
        self.begin_imports()

    def run(self, addresses: Addresses, running: ServersInUse, instance_file: InstanceFile) -> None:
        # Here, because it imports every service, which who starts processes leaves to them.
        from tarsy_local.composition import all_services

        policy = addresses.http_settings(os.environ).http_policy
        os.environ.update(addresses.environment(os.environ))
        instance_file.say("Starting the services")

        async def run() -> None:
            work = run_in_one_process(
                all_services,
                host=addresses.http_host,
                port=addresses.http_port,
                policy=policy,
                on_ready=lambda: instance_file.ready(list(SERVICES)),
                on_death=instance_file.died,
                fatal_errors=FATAL_ERRORS,
                fatal_errors_at_first=FATAL_ERRORS_AT_FIRST,
            )
            await _run_on_servers(running, instance_file, work)

        uvloop.run(run())


async def _run_on_servers(
    running: ServersInUse, instance_file: InstanceFile, work: Coroutine[None, None, None]
) -> None:
    if not running.own:
        await work
        return
    # Here, because it needs the extra that brings them.
    from tarsy_local.supervisor.server_supervisor import ServerSupervisor

    supervisor = ServerSupervisor(
        running.own, say=instance_file.say, changed=lambda: instance_file.servers_changed(supervisor.restarts)
    )
    await supervisor.run_with(work)


@dataclass(frozen=True, slots=True)
class ManyProcesses:
    """Each service in processes of its own."""

    instances: InstanceCounts
    logs: Path
    start: StartService

    def prepare(self) -> None:
        """The server of forks makes its imports already."""

    def run(self, addresses: Addresses, running: ServersInUse, instance_file: InstanceFile) -> None:
        from tarsy_local.many_processes import run_processes

        count, began = sum(self.instances.values()), time.monotonic()
        instance_file.say(f"Starting {count} processes")

        def started(processes: ProcessGroup) -> None:
            ready = sum(member.state == "ready" for member in processes.members)
            who = f"All {count} processes are ready" if ready == count else f"{ready} of {count} processes are ready"
            instance_file.say(f"{who} after {time.monotonic() - began:.1f} seconds")
            for reason in processes.unready_reasons():
                instance_file.say(f"Warning: {one_line(reason)}")
            instance_file.processes_ready(processes)

        async def run() -> None:
            work = run_processes(
                addresses,
                self.instances,
                self.logs,
                self.start,
                on_ready=started,
                on_change=instance_file.processes_changed,
            )
            await _run_on_servers(running, instance_file, work)

        uvloop.run(run())
