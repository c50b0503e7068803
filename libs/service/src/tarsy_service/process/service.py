"""Service, as a runner sees it: something that runs until it is cancelled, and maybe answers HTTP."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from fastapi import APIRouter
from opentelemetry.trace import NoOpTracer

from tarsy_service.access.rights import RouteRight
from tarsy_service.http.direct_calls import DirectRoute
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.tracing import Tracing

type Ready = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Service:
    """`run` calls `ready` once it does its work; when it is cancelled it drains, in order, and returns.

    `unready_reasons`: why it is not to count as ready though it works, in sentences for the operator, without secrets.

    `degraded_reasons`: sentences about work that has stopped while the rest goes on. `/ready` shows them and stays 200,
    because load balancers would otherwise stop the traffic that works.

    `config_version`: the version of the configuration that it runs by, empty when it has none.

    `rights`: what the routes of `router` need, each once.

    `direct_routes`: those of `router` that are called without FastAPI around them, for they are asked so often.

    `takes`: beginnings of requests, such as `POST /api/v1/alerts`, whose connections it takes from a front door.

    An exception out of `run` means that the service cannot go on: the process ends with it. So does a `run` that ends
    before it is cancelled. `supervisor` knows the long-lived tasks of which it consists.
    """

    name: str
    run: Callable[[Ready], Awaitable[None]]
    router: APIRouter | None = None
    direct_routes: Sequence[DirectRoute] = ()
    unready_reasons: Callable[[], Sequence[str]] = tuple
    supervisor: Supervisor = field(default_factory=Supervisor)
    degraded_reasons: Callable[[], Sequence[str]] = tuple
    config_version: Callable[[], str] = str
    takes: Sequence[str] = ()
    rights: Sequence[RouteRight] = ()
    tracing: Tracing = field(default_factory=lambda: Tracing(NoOpTracer()))
