"""Protection against cross-site requests (CSRF): a page of another site must not act for its visitor."""

from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_service.access.allowed_hosts import AllowedHosts, Authority, authority_of, is_own_origin
from tarsy_service.http.metrics import CountDenied
from tarsy_service.http.problems import problem_response

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OTHER_SITES = frozenset({b"cross-site", b"same-site"})
REFUSED = "The request comes from a page of another site."


class CsrfProtection:
    """An ASGI middleware for writes over HTTP, and for WebSockets, which browsers let any page open.

    Browsers say where a request comes from: `Sec-Fetch-Site` over https and to localhost, `Origin` always. No other
    client has to. It stands behind HostProtection: `Host` is one that may be asked for. `origins` are those of other
    pages that may open a WebSocket.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: AllowedHosts,
        origins: Collection[str] = (),
        count: CountDenied = lambda _: None,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = frozenset(origins)
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_foreign(scope):
            self._count("origin")
            await problem_response(403, "Forbidden", REFUSED)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_foreign(self, scope: Scope) -> bool:
        is_socket = scope["type"] == "websocket"
        if not is_socket and (scope["type"] != "http" or scope["method"] in SAFE_METHODS):
            return False
        origins, host = [], ""
        for name, value in scope["headers"]:
            if name == b"origin":
                origins.append(value.decode("latin-1"))
            elif name == b"host":
                host = value.decode("latin-1")
            elif name == b"sec-fetch-site" and not is_socket and value in OTHER_SITES:
                return True
        return any(not self._is_ours(origin, authority_of(host), is_socket) for origin in origins)

    def _is_ours(self, origin: str, requested: Authority | None, is_socket: bool) -> bool:
        if is_socket and origin in self._origins:
            return True
        return requested is not None and is_own_origin(origin, requested, self._hosts)
