"""A whole TARSy of real processes, one a service, that tests can start, stop, freeze and kill."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from pydantic import JsonValue

from tarsy_bus.client.connection import Bus
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.system.service_forks import OwnProcess, ServiceForks, execute

ROOT = Path(__file__).resolve().parent.parent.parent.parent
SERVICES = ("timeline", "websocket-gateway", "orchestrator", "tool-gateway", "summarizer", "ingest")
READY_SECONDS = 180.0
PATIENT = {
    "TARSY_MCP_CONNECT_SECONDS": "120",
    "TARSY_MCP_READY_SECONDS": "60",
    "TARSY_TOOLS_WAIT_SECONDS": "120",
    "TARSY_TOOLS_STARTING_SECONDS": "120",
    "TARSY_WAIT_SECONDS": "20",
}
"""Settings for tests whose investigations need their tools, however long a busy machine takes to start an MCP server.

With the settings of every day an investigation goes on without tools after 20 seconds, and the test waits in vain; what
a person asks for is answered after five seconds as not decided yet.
"""
WARNINGS, WARNING_CHARACTERS = 8, 400
STOP_SECONDS = 90.0


@dataclass
class ServiceProcess:
    """One service in a process of its own. `name` is its client name, and ends its `ce_source`."""

    service: str
    name: str
    port: int
    log: Path
    process: OwnProcess

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def last_lines(self) -> str:
        """The end of its log, for the message of a test that fails."""
        return self.log.read_text(errors="replace")[-4000:]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(STOP_SECONDS)

    def stop(self) -> float:
        """In good order. Returns how many seconds it took."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(STOP_SECONDS)
        return time.monotonic() - began

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def ready(self) -> bool:
        try:
            return httpx2.get(f"{self.url}/ready", timeout=10.0).status_code == 200
        except httpx2.HTTPError:
            return False


@dataclass
class System:
    """`config_dir` holds its tarsy.yaml; `environment` is added to that of every process started from now on, and
    `environments` to those of a service.

    With `forks` a service is not started by `python -m`, but forked: the same process, without seconds of imports.
    """

    bus: Bus
    folder: Path
    config_dir: Path
    database_url: str
    database_schema: str
    environment: dict[str, str] = field(default_factory=dict)
    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    processes: list[ServiceProcess] = field(default_factory=list)
    forks: ServiceForks | None = field(default=None, repr=False)

    def start(
        self,
        service: str,
        *,
        name: str | None = None,
        port: int | None = None,
        program: Sequence[str] = (),
        forks: ServiceForks | None = None,
    ) -> ServiceProcess:
        """Starts one more process of a service; does not wait until it is ready.

        `program`: in the service's place. `forks`: of another release.
        """
        client = name or f"{service}-{len(self.processes)}"
        chosen = port or free_port()
        log = self.folder / f"{client}.log"
        module = f"tarsy_{service.replace('-', '_')}"
        environment = self._environment(service, client, chosen)
        if (forks := forks or self.forks) is not None and not program:
            process: OwnProcess = forks.start(module, log=log, folder=ROOT, environment=environment)
        else:
            process = execute(program or ("-m", module), log=log, folder=ROOT, environment=environment)
        started = ServiceProcess(service, client, chosen, log, process)
        self.processes.append(started)
        return started

    def last_warnings(self) -> str:
        """Last warnings of each process, for the message of a test that fails."""
        told = []
        for process in self.processes:
            lines = process.log.read_text(errors="replace").splitlines() if process.log.exists() else []
            warned = [line for line in lines if '"level": "info"' not in line and '"level": "debug"' not in line]
            told.append("\n  ".join([f"{process.name}:", *(line[:WARNING_CHARACTERS] for line in warned[-WARNINGS:])]))
        return "\n".join(told)

    async def start_all(self) -> None:
        port = free_port()
        self.environment["TARSY_INGEST_URL"] = f"http://127.0.0.1:{port}"
        timeline = self.start("timeline")
        self.environment["TARSY_TIMELINE_URL"] = timeline.url
        started = [timeline, self.start("ingest", port=port)]
        started += [self.start(service) for service in SERVICES if service not in ("timeline", "ingest")]
        for process in started:
            await self.until_ready(process)

    async def until_ready(self, process: ServiceProcess) -> None:
        async def look() -> bool:
            ready = await asyncio.to_thread(process.ready)
            assert ready or process.alive, f"{process.name} ended:\n{process.last_lines}"
            return ready

        await eventually(look, lambda: f"{process.name} is ready:\n{process.last_lines}", seconds=READY_SECONDS)
        # Another process may have answered, on the port that this one did not get.
        assert process.alive, f"{process.name} ended:\n{process.last_lines}"

    async def started(self, service: str) -> ServiceProcess:
        """One more process of a service, once it is ready."""
        process = self.start(service)
        await self.until_ready(process)
        return process

    async def replace(self, service: str) -> None:
        """The newest process of a service dies at once, and another takes its place, as on an operator's platform."""
        dead = self.of(service)
        dead.kill()
        await self.until_ready(self.start(service, port=dead.port))

    def alive(self, service: str) -> list[ServiceProcess]:
        return [process for process in self.processes if process.service == service and process.alive]

    def of(self, service: str) -> ServiceProcess:
        """The newest process of a service that lives, or else the newest."""
        found = [process for process in self.processes if process.service == service]
        return (self.alive(service) or found)[-1]

    def stop_all(self) -> None:
        for process in self.processes:
            if process.process.poll() is None:
                process.thaw()
                process.process.terminate()
        for process in self.processes:
            try:
                process.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    def post(self, service: str, path: str, body: JsonValue, *, key: str = "") -> dict[str, JsonValue]:
        headers = {"Idempotency-Key": key} if key else None
        answer = httpx2.post(f"{self.of(service).url}{path}", json=body, headers=headers, timeout=90.0)
        assert answer.status_code < 300, answer.text
        found: dict[str, JsonValue] = answer.json()
        return found

    def get(self, path: str) -> JsonValue:
        """A path with `at_least` is asked for until the projection is as far: the service waits for five seconds."""
        url, deadline = f"{self.of('timeline').url}{path}", time.monotonic() + WAIT_SECONDS
        while (answer := httpx2.get(url, timeout=WAIT_SECONDS)).status_code == 503 and "at_least=" in path:
            assert time.monotonic() < deadline, answer.text
        assert answer.status_code == 200, answer.text
        found: JsonValue = answer.json()
        return found

    def _environment(self, service: str, client: str, port: int) -> dict[str, str]:
        path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return (
            os.environ
            | {
                "PATH": path,
                "TARSY_KAFKA": self.bus.bootstrap,
                "TARSY_TOPIC_PREFIX": self.bus.topics.prefix,
                "TARSY_GROUP_SESSION_TIMEOUT_MS": str(self.bus.session_timeout_ms),
                "TARSY_GROUP_HEARTBEAT_MS": str(self.bus.heartbeat_ms),
                "TARSY_DATABASE": self.database_url,
                "TARSY_DATABASE_SCHEMA": self.database_schema,
                "TARSY_CONFIG_DIR": str(self.config_dir),
                "TARSY_HTTP_PORT": str(port),
                "TARSY_CLIENT": client,
                "TARSY_DEAD_AFTER_SECONDS": "4",
            }
            | self.environment
            | self.environments.get(service, {})
        )


@contextmanager
def running(system: System) -> Iterator[System]:
    try:
        yield system
    finally:
        system.stop_all()
