"""Runner of services in one process: HTTP, signals, readiness, and a stop that ends in time."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib.resources import files

import structlog
from fastapi import Depends, FastAPI, Response
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from tarsy_service.access.access_control import AccessControl
from tarsy_service.access.author_headers import AuthorHeaders
from tarsy_service.access.csrf import CsrfProtection
from tarsy_service.access.host_protection import HostProtection
from tarsy_service.access.http_policy import DEFAULT_POLICY, HttpPolicy
from tarsy_service.access.rights import OWN_RIGHTS, RightsTable
from tarsy_service.access.signed_bodies import SignedBodies
from tarsy_service.http.answer_headers import AnswerHeaders
from tarsy_service.http.base_path import BasePath, spellings_of
from tarsy_service.http.compressed_answers import CompressedAnswers
from tarsy_service.http.connection_passing import PassingService
from tarsy_service.http.direct_calls import DirectRouteTable
from tarsy_service.http.known_parameters import refuse_unknown_parameters
from tarsy_service.http.lenient_requests import LenientRequests
from tarsy_service.http.metrics import CountRequests, HttpMetrics
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_service.http.server import http_server
from tarsy_service.process.service import Service
from tarsy_service.process.signals import stopped_by_signals
from tarsy_service.supervision import until_cancelled
from tarsy_service.telemetry.loop_lag import LoopLag
from tarsy_service.telemetry.loop_metrics import LoopMetrics
from tarsy_service.telemetry.process_metrics import ProcessMetrics, exposition

log = structlog.get_logger(__name__)

LAST_SECONDS = 3.0
STOPPING = "it is stopping"


class Readiness:
    """Readiness of the services of this process."""

    def __init__(self, names: Sequence[str]) -> None:
        self._waiting = set(names)
        self.all = asyncio.Event()
        self.stopping = False

    def ready(self, name: str) -> None:
        self._waiting.discard(name)
        if not self._waiting:
            self.all.set()

    @property
    def waiting(self) -> list[str]:
        return sorted(self._waiting)


def build_app(
    services: Sequence[Service],
    readiness: Readiness,
    registry: CollectorRegistry,
    http_metrics: HttpMetrics | None = None,
    policy: HttpPolicy = DEFAULT_POLICY,
) -> FastAPI:
    """The routers of all services, `/health`, `/ready` and `/metrics`."""
    http_metrics = http_metrics or HttpMetrics(registry)
    app = FastAPI(
        title="TARSy",
        version="1",
        # FastAPI's own pages load scripts from elsewhere, and would show one service as if it were the whole.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(refuse_unknown_parameters)],
        telemetry={"auto_configure": False, "tracing": False},
    )
    install_problem_handlers(app)
    app.state.find_login = policy.login
    app.add_middleware(CompressedAnswers)
    # The last one is the outermost. Identity is looked at inside of these: after the name, and the page.
    if policy.authenticate is not None:
        table = RightsTable([*OWN_RIGHTS, *(right for service in services for right in service.rights)])
        app.add_middleware(
            AccessControl, authenticate=policy.authenticate, table=table, count=http_metrics.count_denied
        )
        if policy.webhooks is not None:
            app.add_middleware(SignedBodies, webhooks=policy.webhooks, table=table)
    app.add_middleware(AuthorHeaders)
    app.add_middleware(CsrfProtection, hosts=policy.hosts, origins=policy.origins, count=http_metrics.count_denied)
    app.add_middleware(HostProtection, hosts=policy.hosts, count=http_metrics.count_denied)
    app.add_middleware(AnswerHeaders)
    app.add_middleware(LenientRequests)
    app.add_middleware(CountRequests, metrics=http_metrics)
    if policy.base_path:
        app.add_middleware(BasePath, base_path=policy.base_path)
    names = [service.name for service in services]
    ProcessMetrics(registry, names, lambda: [*readiness.waiting, *_unready_reasons(services, readiness)])
    LoopMetrics(registry, {service.name: service.supervisor.loops for service in services})
    app.router.routes.insert(0, DirectRouteTable(route for service in services for route in service.direct_routes))
    for service in services:
        if service.router is not None:
            app.include_router(service.router)

    @app.get("/health", include_in_schema=False)
    async def health() -> dict[str, str]:
        return {"status": "healthy"}

    @app.get("/ready", include_in_schema=False)
    async def ready(response: Response) -> dict[str, object]:
        reasons = _unready_reasons(services, readiness)
        waiting = sorted({*readiness.waiting, *reasons})
        response.status_code = 503 if waiting else 200
        return {
            "ready": not waiting,
            "waiting_for": waiting,
            "starting": readiness.waiting,
            "reasons": reasons,
            "degraded": _degraded_by_service(services),
            "config": {service.name: version for service in services if (version := service.config_version())},
        }

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        """The public API of all services, whichever is asked."""
        return Response(_openapi_document(policy.base_path), media_type="application/json")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(exposition(registry), media_type=CONTENT_TYPE_LATEST)

    return app


def _openapi_document(base_path: str) -> bytes:
    document = (files("tarsy_service") / "openapi.json").read_bytes()
    return json.dumps({**json.loads(document), "servers": [{"url": base_path}]}).encode() if base_path else document


def _unready_reasons(services: Sequence[Service], readiness: Readiness) -> dict[str, list[str]]:
    """Reasons by service. A stop is one, for those who send requests here must know of it before it ends."""
    if readiness.stopping:
        return {service.name: [STOPPING] for service in services}
    told = {
        service.name: [*service.unready_reasons(), *service.supervisor.loops.unready_reasons()] for service in services
    }
    return {name: reasons for name, reasons in told.items() if reasons}


def _degraded_by_service(services: Sequence[Service]) -> dict[str, list[str]]:
    told = {
        service.name: [*service.degraded_reasons(), *service.supervisor.loops.explain_degraded()]
        for service in services
    }
    return {name: reasons for name, reasons in told.items() if reasons}


async def run_services(
    services: Sequence[Service],
    *,
    host: str,
    port: int,
    registry: CollectorRegistry,
    shutdown_seconds: float,
    on_ready: Callable[[], None] = lambda: None,
    stop: asyncio.Event | None = None,
    front_door: str = "",
    policy: HttpPolicy = DEFAULT_POLICY,
) -> None:
    """Runs until SIGTERM or SIGINT, or until a service fails: what it died of comes out, in a group.

    `front_door`: the Unix socket of the front door whose connections it takes once all services are ready.

    A service that ends by itself has failed, too. With `stop` it runs until that is set, and leaves the signals alone.
    """
    stopping = stop or asyncio.Event()
    readiness = Readiness([service.name for service in services])
    http_metrics = HttpMetrics(registry)
    app = build_app(services, readiness, registry, http_metrics, policy)
    takes = [
        one for service in services for request in service.takes for one in spellings_of(request, policy.base_path)
    ]
    passing = PassingService(takes) if front_door and takes else None
    with stopped_by_signals(stopping) if stop is None else nullcontext():
        async with (
            passing.connected(front_door) if passing is not None else nullcontext(),
            http_server(app, host, port, limits=policy.limits, count=http_metrics.count_refused, passing=passing),
            asyncio.TaskGroup() as group,
        ):
            announcing = group.create_task(_announce_readiness(readiness, on_ready, passing), name="ready")
            watching = group.create_task(LoopLag(registry).watch(), name="event loop lag")
            running = [
                asyncio.create_task(
                    until_cancelled(service.name, _run_and_close(service, readiness)), name=service.name
                )
                for service in services
            ]
            try:
                await _wait_until_stopped(running, stopping)
            finally:
                readiness.stopping = True
                announcing.cancel()
                watching.cancel()
                if passing is not None:
                    await passing.withdraw()
                await _stop_services(running, shutdown_seconds)
    died = [problem for task in running if task.done() and (problem := _failure_of(task)) is not None]
    if died:
        raise ExceptionGroup("services failed", died)


async def _wait_until_stopped(running: Sequence["asyncio.Task[None]"], stopping: asyncio.Event) -> None:
    stop = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait([stop, *running], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()


async def _stop_services(running: Sequence["asyncio.Task[None]"], seconds: float) -> None:
    """Services are not in the group: leaving it would wait for one that does not end. Such a one is told twice."""
    log.info("stopping", services=[task.get_name() for task in running])
    for limit in (seconds, LAST_SECONDS):
        waiting = [task for task in running if not task.done()]
        for task in waiting:
            task.cancel()
        late = (await asyncio.wait(waiting, timeout=limit))[1] if waiting else set()
        if late:
            log.error("stop.too_slow", services=[task.get_name() for task in late], seconds=limit)


def _failure_of(task: "asyncio.Task[None]") -> Exception | None:
    problem = None if task.cancelled() else task.exception()
    return problem if isinstance(problem, Exception) else None


async def _run_and_close(service: Service, readiness: Readiness) -> None:
    try:
        await service.run(lambda: readiness.ready(service.name))
    finally:
        await service.tracing.close()


async def _announce_readiness(
    readiness: Readiness, on_ready: Callable[[], None], passing: PassingService | None
) -> None:
    await readiness.all.wait()
    if passing is not None:
        passing.open()
    on_ready()
