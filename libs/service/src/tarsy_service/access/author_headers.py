"""Headers that name who asks: a request in which one of them comes twice, with two names, is refused.

A proxy that adds its own behind the one that a client sent leaves both, and the first one would count.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_service.access.caller import AUTHOR_HEADERS
from tarsy_service.http.problems import problem_response

NAMES = frozenset(name.encode() for name in AUTHOR_HEADERS)
TWO_NAMES = "The request names two users in one header: the proxy in front of TARSy has to replace what a client sends."


class AuthorHeaders:
    """An ASGI middleware for HTTP and WebSockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            given = {header for header in scope["headers"] if header[0] in NAMES}
            if len(given) > 1 and len({name for name, _ in given}) < len(given):
                await problem_response(400, "Bad request", TWO_NAMES)(scope, receive, send)
                return
        await self._app(scope, receive, send)
