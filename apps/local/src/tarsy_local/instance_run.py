"""Run of an instance: every service, on Kafka and PostgreSQL, in the foreground, until it is told to stop.

Few modules are imported before the servers start: the others are imported while they do.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from tarsy_config.config import Config
from tarsy_config.loading.load import load_config
from tarsy_local.door_settings import door_settings
from tarsy_local.early_import import imported_meanwhile
from tarsy_local.instance import Home
from tarsy_local.instance_counts import InstanceCounts
from tarsy_local.servers import servers
from tarsy_local.supervisor.service_start import StartService
from tarsy_local.up import Say, UpOptions
from tarsy_processes.output_log import LOG_BYTES, LOGS_KEPT
from tarsy_processes.ports import require_free
from tarsy_service.telemetry.logs import configure_logs

if TYPE_CHECKING:
    from tarsy_bus.client.security import KafkaSecurity


@dataclass(frozen=True, slots=True)
class Launch:
    """Order to start an instance. `kafka_security` is that of a Kafka that somebody named."""

    home: Home
    options: UpOptions
    config: Config
    kafka_security: "KafkaSecurity | None"
    start: StartService
    log_file: Path
    say: Say


def run_instance(home: Home, options: UpOptions, start: StartService, log_file: Path, say: Say) -> None:
    """In a folder that is held. Returns after an orderly stop. Raises UpFailedError or OSError."""
    configure_logs("INFO", RotatingFileHandler(log_file, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT))
    try:
        _run_instance(home, options, start, log_file, say)
    except Exception as problem:
        # Here, because it imports whatever may have failed.
        from tarsy_local.startup_errors import failure_of

        failure = failure_of(problem, log_file)
        if failure is None:
            raise
        raise failure from problem


def _run_instance(home: Home, options: UpOptions, start: StartService, log_file: Path, say: Say) -> None:
    # Checked before anything starts: an operator who opens it without authentication learns so at once.
    door_settings(options.http_host, options.base_path, os.environ)
    config = load_config(options.config_dir, os.environ)
    kafka_security = _named_kafka_security() if options.named.kafka else None
    require_free(options.ports.http, "the HTTP server", options.http_host)
    os.environ["PATH"] = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    launch = Launch(home, options, config, kafka_security, start, log_file, say)
    with (
        _begin_imports_meanwhile(options.instances) as begin_imports,
        servers(home.folder, options.named, options.ports, say=say, meanwhile=begin_imports) as running,
    ):
        from tarsy_local.instance_services import run_services

        run_services(launch, running)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say("The services have stopped" + ("; stopping Kafka and PostgreSQL" if running.own else ""))
    say("TARSy has stopped; its data stays")


def _named_kafka_security() -> "KafkaSecurity":
    """Raises ValidationError, or an error of a file that the settings name."""
    from tarsy_bus.client.security import security_of
    from tarsy_service.settings.kafka import KafkaConnectionSettings

    return security_of(KafkaConnectionSettings())


def _begin_imports_meanwhile(instances: InstanceCounts | None) -> AbstractContextManager[Callable[[], None]]:
    if instances is None:
        return imported_meanwhile("tarsy_local.instance_services", "tarsy_local.composition", prepare=_prepare_masking)
    return imported_meanwhile("tarsy_local.instance_services", "tarsy_local.many_processes")


def _prepare_masking() -> None:
    from tarsy_masking.masker import prepare_default

    prepare_default()
