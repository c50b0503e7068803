"""Front door: one address for many processes. The path of a request names the service that it goes to."""

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from tarsy_auth.roles import Role
from tarsy_local.front_door.http_proxy import CountAnswer, HttpProxy
from tarsy_local.front_door.routes import ServiceRoute, service_of
from tarsy_local.front_door.websocket_proxy import proxy_websocket
from tarsy_local.supervisor.group_readiness import GroupReadiness
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_service.access.access_control import AccessControl
from tarsy_service.access.host_protection import HostProtection
from tarsy_service.access.http_policy import DEFAULT_POLICY, HttpPolicy
from tarsy_service.access.rights import RightsTable, rights
from tarsy_service.http.answer_headers import AnswerHeaders
from tarsy_service.http.base_path import BasePath
from tarsy_service.http.metrics import CountDenied
from tarsy_service.http.problems import problem_response
from tarsy_service.telemetry.process_metrics import exposition

OWN = ("/health", "/ready", "/metrics", "/metrics/targets")
RIGHTS = (
    *rights("open", "GET /health", "GET /ready"),
    *rights(Role.VIEWER, "GET /metrics", "GET /metrics/targets"),
)
SOCKETS = frozenset({"/api/v1/ws"})


class Doorway:
    """Passes on what one of the routes leads to, and refuses the rest."""

    def __init__(self, routes: Sequence[ServiceRoute], proxy: HttpProxy) -> None:
        self._routes = routes
        self._proxy = proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        service = service_of(scope["path"], self._routes)
        if scope["type"] == "websocket":
            socket = WebSocket(scope, receive, send)
            if service is None or scope["path"] not in SOCKETS:
                await socket.send_denial_response(_not_found_response())
                return
            await proxy_websocket(self._proxy, service, socket)
        elif service is None:
            await _not_found_response()(scope, receive, send)
        else:
            await self._proxy.http(service, scope, receive, send)


class FrontDoor:
    """A doorway with the health of the whole beside it. Its metrics are its own: each process has its own too."""

    def __init__(
        self,
        doorway: Doorway,
        processes: ProcessGroup,
        registry: CollectorRegistry,
        policy: HttpPolicy = DEFAULT_POLICY,
        count: CountDenied = lambda _: None,
    ) -> None:
        self._doorway = doorway
        self._processes = processes
        self._readiness = GroupReadiness(processes.members)
        self._registry = registry
        own = Starlette(
            routes=[
                Route("/health", self._answer_health),
                Route("/ready", self._answer_ready),
                Route("/metrics", self._answer_metrics),
                Route("/metrics/targets", self._answer_targets),
            ]
        )
        # Services look at who asks themselves, for what is theirs.
        self._own: ASGIApp = own
        if policy.authenticate is not None:
            self._own = AccessControl(own, policy.authenticate, RightsTable(RIGHTS), count)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._own if scope["type"] == "http" and scope["path"] in OWN else self._doorway
        await app(scope, receive, send)

    async def _answer_health(self, _: Request) -> Response:
        return JSONResponse({"status": "healthy"})

    async def _answer_ready(self, _: Request) -> Response:
        combined = await self._readiness.ask()
        return JSONResponse(combined.model_dump(exclude={"starting"}), status_code=200 if combined.ready else 503)

    async def _answer_metrics(self, _: Request) -> Response:
        return Response(exposition(self._registry), media_type=CONTENT_TYPE_LATEST)

    async def _answer_targets(self, _: Request) -> Response:
        """The processes as Prometheus discovers them (http_sd): those that wait to be started again are down."""
        return JSONResponse(
            [{"targets": [one.address], "labels": {"service": one.service}} for one in self._processes.members]
        )


def guard(door: ASGIApp, policy: HttpPolicy, count: CountDenied = lambda _: None) -> ASGIApp:
    """Looks at the name only: services look at pages themselves, and answer requests whose connections are passed."""
    named = AnswerHeaders(HostProtection(door, policy.hosts, count))
    return BasePath(named, policy.base_path) if policy.base_path else named


def count_requests(registry: CollectorRegistry) -> CountAnswer:
    counter = Counter(
        "tarsy_front_door_requests_total",
        "Requests that were passed on, or could not be",
        ["service", "status"],
        registry=registry,
    )

    def counted(service: str, status: int) -> None:
        counter.labels(service, str(status)).inc()

    return counted


def count_passed(registry: CollectorRegistry) -> Callable[[], None]:
    counter = Counter(
        "tarsy_front_door_connections_passed_total",
        "Connections that went to who answers their requests: of senders of alerts, and of live pages",
        registry=registry,
    )
    return counter.inc


def _not_found_response() -> Response:
    return problem_response(404, "Not found", "This address leads to no service.")
