"""Requests counted by what they asked for: a route's template, never an address that somebody made up."""

import time
from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tarsy_service.http.bounded_http import Refusal

type Denial = Literal[
    "host",
    "host_header",
    "origin",
    "missing",
    "malformed",
    "unknown",
    "expired",
    "rejected",
    "unavailable",
    "role",
    "no_right",
]
"""host: a name that is not ours; host_header: none, two, or no host; origin: the page of a stranger; role: another role
is needed; no_right: nobody may use it. The others are those of a Refusal."""
type CountDenied = Callable[[Denial], None]

OTHER = "other"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def refusals_counter(registry: CollectorRegistry) -> Counter:
    return Counter(
        "tarsy_http_refused_total",
        "Connections that ended before a request of theirs was whole: too slow, too large, too many, or broken off",
        ["reason"],
        registry=registry,
    )


def denials_counter(registry: CollectorRegistry) -> Counter:
    return Counter(
        "tarsy_http_denied_total",
        "Requests and WebSockets that were not let in: by a name that is not ours, by the page of a stranger, without "
        "a credential that is known, or without the role that is needed",
        ["reason"],
        registry=registry,
    )


class HttpMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._refused = refusals_counter(registry)
        self._denied = denials_counter(registry)
        # Alert rules wait for an increase, and from nothing to one is none.
        for why in get_args(Denial.__value__):
            self._denied.labels(why)
        self._requests = Counter(
            "tarsy_http_requests_total",
            "Requests answered; a connection of a WebSocket is none",
            ["method", "route", "status"],
            registry=registry,
        )
        self._duration = Histogram(
            "tarsy_http_request_duration_seconds",
            "From a request to the last byte of its answer",
            ["method", "route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._requests_of, self._duration_of = cache(self._requests.labels), cache(self._duration.labels)

    def count_refused(self, why: Refusal) -> None:
        self._refused.labels(why).inc()

    def count_denied(self, why: Denial) -> None:
        self._denied.labels(why).inc()

    def count_answer(self, method: str, route: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else OTHER
        self._requests_of(method, route, status).inc()
        self._duration_of(method, route).observe(seconds)


class CountRequests:
    """An ASGI middleware that touches neither bodies nor WebSockets."""

    def __init__(self, app: ASGIApp, metrics: HttpMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # An error that nobody answers becomes a 500, outside of us.
        status, began = 500, time.perf_counter()

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noticed)
        finally:
            self._metrics.count_answer(scope["method"], route_of(scope), status, time.perf_counter() - began)


def route_of(scope: Scope) -> str:
    """The template that the router found.

    The route of a router inside of another knows its own part only; FastAPI keeps the whole beside it.
    """
    context = scope.get("fastapi", {}).get("effective_route_context")
    route = context if context is not None else scope.get("route")
    path = getattr(route, "path", None)
    return path if isinstance(path, str) else OTHER
