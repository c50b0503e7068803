"""`tarsy up`: what comes first, the lock of the folder and the server of forks, before what takes long to import."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tarsy_local.errors import LocalError
from tarsy_local.instance import Home
from tarsy_local.instance_counts import InstanceCounts
from tarsy_local.supervisor.service_start import StartService, service_start, spawn

type Say = Callable[[str], None]


class UpFailedError(LocalError):
    """TARSy could not start, or could not go on. The operator acts on the message."""


@dataclass(frozen=True, slots=True)
class Ports:
    http: int
    kafka: int
    database: int


@dataclass(frozen=True, slots=True)
class NamedServers:
    """Servers that `tarsy up` was told to use; empty where it brings its own."""

    kafka: str = ""
    database: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class UpOptions:
    """`replication` is None for what fits the cluster; `instances` is None for all services in one process."""

    config_dir: Path
    http_host: str
    base_path: str
    ports: Ports
    named: NamedServers
    topic_prefix: str
    replication: int | None
    instances: InstanceCounts | None


def run_up(home: Home, options: UpOptions, say: Say) -> None:
    """Returns after an orderly stop.

    Raises HomeInUseError, UpFailedError, or KeyboardInterrupt when it was stopped too early for an orderly stop.

    Must run on the main thread: the servers die with the thread that started them.
    """
    log_file = home.folder / "tarsy.log"
    try:
        with (
            home.occupied_by_new_instance(),
            _interrupt_on_sigterm(),
            _open_start_of_services(options.instances, home.logs) as start,
        ):
            # Nothing of the imports is garbage: looking for some would take a sixth of their time.
            gc.disable()
            # Here: the server of forks makes its imports meanwhile.
            from tarsy_local.instance_run import run_instance

            run_instance(home, options, start, log_file, say)
    except OSError as problem:
        from tarsy_local.startup_errors import sentences

        raise UpFailedError(sentences(problem, log_file)) from problem
    finally:
        gc.enable()


@contextmanager
def _open_start_of_services(instances: InstanceCounts | None, logs: Path) -> Iterator[StartService]:
    if instances is None:
        yield spawn
    else:
        with service_start(logs, os.environ) as start:
            yield start


@contextmanager
def _interrupt_on_sigterm() -> Iterator[None]:
    """Until the services run, which then take both signals themselves, `tarsy down` is what Ctrl-C is."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
