"""The services of an instance, on servers that run: their topics, then all in this process or each in its own."""

import gc
import os
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import uvloop

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.security import PLAINTEXT
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_llm.scripted.script import InvalidScriptError
from tarsy_local.addresses import Addresses
from tarsy_local.instance_counts import SERVICES, InstanceCounts
from tarsy_local.instance_file import InstanceFile
from tarsy_local.instance_run import Launch
from tarsy_local.kept_keys import MASKING_KEY, TOKEN_KEY, read_or_create_key
from tarsy_local.own_kafka import own_kafka_security
from tarsy_local.servers import ServersInUse
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_local.supervisor.service_start import StartService
from tarsy_local.terminal_text import one_line
from tarsy_local.topics import make_topics
from tarsy_service.http.base_path import read_base_path

FATAL_ERRORS = (LogMismatchError, InvalidConfigError, InvalidScriptError)
"""Errors that end `tarsy up`: mistakes that somebody has to mend."""
FATAL_ERRORS_AT_FIRST = (WrongTopicsError, KafkaAccessError)
"""Later it may be a broker that was started again and does not know all of its topics yet."""


def run_services(launch: Launch, running: ServersInUse) -> None:
    """Returns when they were stopped and have ended."""
    addresses, config = _make_addresses(launch, running), launch.config
    models = {name: config.llm_providers[name] for name in sorted(config.llm_providers_in_use)}
    for line in addresses.warnings(os.environ):
        launch.say(line)
    launch.say("Making the topics")
    uvloop.run(make_topics(addresses, replication=launch.options.replication))
    instance_file = InstanceFile(launch.home, addresses, running.own, launch.log_file, models=models, say=launch.say)
    gc.freeze()
    gc.enable()
    _make_services(launch).run(addresses, running, instance_file)
    instance_file.note_stop()


def _make_addresses(launch: Launch, running: ServersInUse) -> Addresses:
    options, home, file = launch.options, launch.home.folder, running.kafka_password_file
    return Addresses(
        kafka=running.kafka,
        database=running.database,
        http_host=options.http_host,
        http_port=options.ports.http,
        base_path=read_base_path(options.base_path),
        config_dir=options.config_dir,
        topic_prefix=options.topic_prefix,
        own_broker=not options.named.kafka,
        own_database=not options.named.database,
        masking_key=read_or_create_key(MASKING_KEY, home, os.environ),
        token_key=read_or_create_key(TOKEN_KEY, home, os.environ),
        kafka_security=own_kafka_security(file) if file is not None else launch.kafka_security or PLAINTEXT,
        kafka_password_file=file,
    )


class Services(Protocol):
    """All services, in the one way or the other."""

    def run(self, addresses: Addresses, running: ServersInUse, instance_file: InstanceFile) -> None:
        """Returns when they were stopped and have ended."""


def _make_services(launch: Launch) -> Services:
    instances = launch.options.instances
    return OneProcess() if instances is None else ManyProcesses(instances, launch.home.logs, launch.start)


class OneProcess:
    """This one."""

    def run(self, addresses: Addresses, running: ServersInUse, instance_file: InstanceFile) -> None:
        # Here, because it imports every service, which who starts processes leaves to them.
        from tarsy_local.composition import all_services
        from tarsy_local.one_process import run_in_one_process

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
        running.own, say=instance_file.say, changed=lambda: instance_file.note_servers(supervisor.restarts)
    )
    await supervisor.run_with(work)


@dataclass(frozen=True, slots=True)
class ManyProcesses:
    """Each service in processes of its own."""

    instances: InstanceCounts
    logs: Path
    start: StartService

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
                on_change=instance_file.note_processes,
            )
            await _run_on_servers(running, instance_file, work)

        uvloop.run(run())
