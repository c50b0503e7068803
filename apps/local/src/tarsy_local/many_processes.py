"""Each service in processes of its own, behind one front door (`tarsy up --processes`)."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path

import httpx2
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp

from tarsy_local.addresses import Addresses
from tarsy_local.front_door.door import Doorway, FrontDoor, count_passed, count_requests, guard
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.inner_doors import InnerDoors, choose_inner_doors
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_local.instance_counts import SERVICES, InstanceCounts
from tarsy_local.kept_keys import MASKING_KEY, TOKEN_KEY
from tarsy_local.supervisor.flood_priority import put_floods_first
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_local.supervisor.service_start import StartService
from tarsy_local.supervisor.supervised_process import SupervisedProcess
from tarsy_processes.output_log import LOG_BYTES, LOGS_KEPT
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.connection_passing import PassingDoor, can_pass_connections
from tarsy_service.http.metrics import Denial, denials_counter, refusals_counter
from tarsy_service.http.server import proxy_server
from tarsy_service.process.signals import stopped_by_signals
from tarsy_service.supervision import Supervisor

START_SECONDS = 120.0
ALL_LOGS_BYTES = 500_000_000
"""The limit for all processes together."""
WITH_DATABASE = frozenset({"timeline"})
WITH_LOGINS = frozenset({"tool-gateway"})
WITHOUT_MASKING = frozenset({"websocket-gateway", "notifier"})
ASKING = frozenset({"timeline", "websocket-gateway", "notifier", "tool-gateway"})
API_KEY = {"TARSY_API_KEY", "TARSY_API_KEY_FILE"}

INVESTIGATING = frozenset({"orchestrator", "tool-gateway", "summarizer", "timeline"})
ACCEPTING = frozenset({"ingest"})
TAKES_CONNECTIONS = frozenset({"ingest", "websocket-gateway"})
FRONT_DOOR = "TARSY_FRONT_DOOR"
NICENESS = "TARSY_NICENESS"

type Changed = Callable[[ProcessGroup], None]


async def run_processes(
    addresses: Addresses,
    instances: InstanceCounts,
    logs: Path,
    start: StartService,
    *,
    on_ready: Changed,
    on_change: Changed,
) -> None:
    """Returns after an orderly stop, and leaves no process behind.

    Raises ServiceRefusedError or StartTooSlowError, in a group.
    """
    inside = choose_inner_doors()
    stopping = asyncio.Event()
    with tempfile.TemporaryDirectory(prefix="tarsy-", ignore_cleanup_errors=True) as private:
        passed = Path(private) / "front-door" if can_pass_connections() else None
        processes = partial(_make_process_group, addresses, instances, logs, start, inside, passed, on_change)
        await _run_processes(processes, addresses, inside, passed, stopping, on_ready)


async def _run_processes(
    make_processes: Callable[[httpx2.AsyncClient], ProcessGroup],
    addresses: Addresses,
    inside: InnerDoors,
    passed: Path | None,
    stopping: asyncio.Event,
    on_ready: Changed,
) -> None:
    # Processes are asked by plain HTTP: reading all certificates would take 20 ms.
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        processes = make_processes(client)
        with stopped_by_signals(stopping):
            async with _open_doors(processes, addresses, inside, passed), Supervisor().group() as group:
                running = group.start("processes", processes.run(), may_end=stopping.is_set)
                starting = group.start_finite("start", processes.until_ready(START_SECONDS))
                signals = group.start_finite("signals", stopping.wait())
                await asyncio.wait([starting, signals, running], return_when=asyncio.FIRST_COMPLETED)
                if starting.done() and starting.exception() is None:
                    on_ready(processes)
                    priorities = group.start_finite("priorities", _put_floods_first(processes, os.environ))
                    await asyncio.wait([signals, running], return_when=asyncio.FIRST_COMPLETED)
                    priorities.cancel()
                starting.cancel()
                signals.cancel()
                if stopping.is_set():
                    await processes.stop()


def _make_process_group(
    addresses: Addresses,
    instances: InstanceCounts,
    logs: Path,
    start: StartService,
    inside: InnerDoors,
    passed: Path | None,
    on_change: Changed,
    client: httpx2.AsyncClient,
) -> ProcessGroup:
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    log_bytes = min(LOG_BYTES, ALL_LOGS_BYTES // ((1 + LOGS_KEPT) * sum(instances.values())))
    members: list[SupervisedProcess] = []
    processes = ProcessGroup(members)
    for service, count in instances.items():
        environment = service_environment(service, addresses, inside, os.environ)
        if service in TAKES_CONNECTIONS and passed is not None:
            environment |= {FRONT_DOOR: str(passed)}
        members.extend(
            SupervisedProcess(
                service,
                number,
                log_file=logs / f"{service}-{number}.log",
                log_bytes=log_bytes,
                environment=environment,
                client=client,
                changed=lambda: on_change(processes),
                start=start,
            )
            for number in range(1, count + 1)
        )
    return processes


def service_environment(
    service: str, addresses: Addresses, inside: InnerDoors, around: Mapping[str, str]
) -> dict[str, str]:
    """Each service gets only the secrets that it uses. They are the database password, the masking key, the key of
    logins (tool gateway only), and the key for calls to others.
    """
    environment = {**around, **addresses.environment(around), **inside.settings}
    untold = {MASKING_KEY.variable} if service in WITHOUT_MASKING else set()
    if service not in WITH_LOGINS:
        untold.add(TOKEN_KEY.variable)
    if service not in WITH_DATABASE:
        untold.add("TARSY_DATABASE")
    if service not in ASKING:
        untold |= API_KEY
    return {name: value for name, value in environment.items() if name not in untold}


async def _put_floods_first(processes: ProcessGroup, around: Mapping[str, str]) -> None:
    # A service refuses what is no number, and says so itself.
    usual = around.get(NICENESS, "0")
    await put_floods_first(
        lambda: processes.pids(ACCEPTING),
        lambda: processes.pids(INVESTIGATING),
        usual=int(usual) if usual.isdecimal() else 0,
    )


@asynccontextmanager
async def _open_doors(
    processes: ProcessGroup, addresses: Addresses, inside: InnerDoors, passed: Path | None
) -> AsyncIterator[None]:
    """The front door, and those through which services ask whichever timeline or ingest is there.

    `passed`: where services connect that take connections from the front door.
    """
    registry = CollectorRegistry()
    registry.register(ProcessGroupCollector(processes))
    async with HttpProxy(processes, count_requests(registry)).running() as proxy:
        policy = addresses.http_settings(os.environ).http_policy
        front = _build_front_door(Doorway(OUTSIDE, proxy), processes, registry, policy)
        refused = refusals_counter(registry)
        host, port = addresses.http_host, addresses.http_port
        passing = PassingDoor(count_passed(registry))
        outer = proxy_server(
            front, host, port, limits=policy.limits, count=lambda why: refused.labels(why).inc(), passing=passing
        )
        async with inside.opened(proxy), outer:
            with passing.listening(passed) if passed is not None else nullcontext():
                yield


def _build_front_door(
    doorway: Doorway, processes: ProcessGroup, registry: CollectorRegistry, policy: HttpPolicy
) -> ASGIApp:
    denied = denials_counter(registry)

    def count(why: Denial) -> None:
        denied.labels(why).inc()

    return guard(FrontDoor(doorway, processes, registry, policy, count), policy, count)


class ProcessGroupCollector(Collector):
    def __init__(self, processes: ProcessGroup) -> None:
        self._processes = processes

    def collect(self) -> Iterator[Metric]:
        ready = GaugeMetricFamily(
            "tarsy_front_door_processes_ready", "Processes of a service that do their work", labels=["service"]
        )
        restarts = CounterMetricFamily(
            "tarsy_front_door_restarts_total", "How often a service's processes were started again", labels=["service"]
        )
        for service in SERVICES:
            ready.add_metric([service], len(self._processes.ready(service)))
            restarts.add_metric([service], self._processes.restarts(service))
        yield ready
        yield restarts
