"""Protection against DNS rebinding: a request by a name that is not ours is answered with 421, before all else.

Starlette's TrustedHostMiddleware knows no rule for addresses and probes, answers in plain text, and counts nothing.
"""

import time
from collections.abc import Callable
from functools import lru_cache

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_service.access.allowed_hosts import AllowedHosts, authority_of
from tarsy_service.access.denial_log import DenialLog
from tarsy_service.http.metrics import CountDenied
from tarsy_service.http.problems import problem_response

ALERTS = "/api/v1/alerts"
PROBES = frozenset({"/health", "/ready"})
"""Load balancers ask for these in HTTP/1.0, without a Host. No browser does, and nothing is told there."""
KNOWN_VALUES = 256
"""Values of `Host` whose judgement is kept."""
NOT_OURS = (
    "TARSy does not answer to the name in Host. It answers to addresses, to localhost, and to the names in TARSY_HOSTS."
)
NOT_ONE = "A request needs one Host header, with a name or an address."


class HostProtection:
    """An ASGI middleware for HTTP and WebSockets. It is apart from authentication, and comes before it."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: AllowedHosts,
        count: CountDenied = lambda _: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._count = count
        self._log = DenialLog("request.denied", monotonic)
        self._judge: Callable[[bytes], bool | None] = lru_cache(KNOWN_VALUES)(lambda value: _is_allowed(value, hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            values = [value for name, value in scope["headers"] if name == b"host"]
            if not values and _is_probe(scope):
                await self._app(scope, receive, send)
                return
            refusal = self._find_refusal(values)
            if refusal is not None:
                self._log_refused(scope, values, refusal.status_code)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _log_refused(self, scope: Scope, values: list[bytes], status: int) -> None:
        """The name is told, for the operator to add it to TARSY_HOSTS; one that is no name is not."""
        requested = authority_of(values[0].decode("latin-1")) if len(values) == 1 else None
        about = {"sender": (scope.get("client") or ("unknown", 0))[0], "status": str(status)}
        path: str = scope["path"]
        if path.startswith(ALERTS):
            about["door"] = "alerts"
        self._log.write("host" if requested else "host_header", about | ({"host": requested.name} if requested else {}))

    def _find_refusal(self, values: list[bytes]) -> Response | None:
        judged = self._judge(values[0]) if len(values) == 1 else None
        if judged:
            return None
        if judged is None:
            self._count("host_header")
            return problem_response(400, "Bad request", NOT_ONE)
        self._count("host")
        return problem_response(421, "Misdirected request", NOT_OURS)


def _is_probe(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["path"] in PROBES and scope["method"] in ("GET", "HEAD")


def _is_allowed(value: bytes, hosts: AllowedHosts) -> bool | None:
    """None when the value is no host."""
    requested = authority_of(value.decode("latin-1"))
    return None if requested is None else hosts.includes(requested.name)
