"""Starts of service processes: forks of one that has imported all services, or each with an interpreter of its own."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL, Signals
from typing import Protocol

from tarsy_local.instance_counts import SERVICES
from tarsy_processes.child import ChildProcess
from tarsy_processes.forks import ForkServer

SERVING = (
    "tarsy_masking.masker:prepare_default",
    "tarsy_service.process.main",
    "tarsy_service.access.authentication",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "anyio._backends._asyncio",
    "httpcore2",
    "pydantic.v1",
)
"""Each service imports these while it starts, the third one where people are authenticated: uvicorn, anyio, httpx2 and
FastAPI choose some by name then. The first one takes longest of what services make before their first text; what is
imported after it lies where its trees lay."""
LOG_NAME = "fork-server.log"
OURS = "TARSY_"


class ServiceChild(Protocol):
    """A started process, as ChildProcess and Fork are."""

    @property
    def pid(self) -> int | None: ...
    def poll_exit(self) -> int | None: ...
    def send_signal(self, number: Signals) -> None: ...
    def stop(self, stop_signal: Signals, seconds: float = ...) -> int: ...
    def output(self) -> str: ...


class StartService(Protocol):
    """Starts a module as a program. Returns at once."""

    def __call__(self, module: str, *, log: Path, log_bytes: int, environment: Mapping[str, str]) -> ServiceChild: ...


def module_of(service: str) -> str:
    return f"tarsy_{service.replace('-', '_')}"


def spawn(module: str, *, log: Path, log_bytes: int, environment: Mapping[str, str]) -> ServiceChild:
    """Starts its own interpreter, which imports what it needs."""
    return ChildProcess(
        [sys.executable, "-m", module],
        log=log,
        log_bytes=log_bytes,
        death_signal=SIGKILL,
        folder=Path.cwd(),
        environment=environment,
    )


@contextmanager
def service_start(logs: Path, around: Mapping[str, str]) -> Iterator[StartService]:
    """Must be used on the main thread. The imports are made while the body runs; at its end no fork is left."""
    if sys.platform != "linux":
        yield spawn
        return
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    modules = [*SERVING, *(f"{module_of(service)}.{part}" for service in SERVICES for part in ("settings", "app"))]
    # Settings, of which some are secret, are for those services that need them.
    environment = {name: value for name, value in around.items() if not name.startswith(OURS)}
    server = ForkServer(modules, log=logs / LOG_NAME, folder=Path.cwd(), environment=environment)
    try:
        yield server.start
    finally:
        server.stop()
