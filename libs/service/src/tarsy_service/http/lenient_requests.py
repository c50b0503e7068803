"""Requests as load balancers and careless URLs make them: `HEAD`, `OPTIONS`, and a slash too much at the end."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class LenientRequests:
    """An ASGI middleware. `HEAD` is answered as `GET`, whose body the server leaves out.

    `OPTIONS` is answered with the methods of the path. A slash at the end means nothing: a redirect would make some
    senders lose their body, and lead out of a base path.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if path.endswith("/") and (inner := path.rstrip("/")):
            scope = {**scope, "path": inner, "raw_path": (scope.get("raw_path") or b"").rstrip(b"/")}
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, _answer_allowed_methods(send) if scope["method"] == "OPTIONS" else send)


def _answer_allowed_methods(send: Send) -> Send:
    """Turns the refusal of a method, which names those that are allowed, into their list."""
    answered = False

    async def sent(message: Message) -> None:
        nonlocal answered
        if message["type"] == "http.response.start" and message["status"] == 405:
            answered = True
            allow = b", ".join(value for name, value in message["headers"] if name.lower() == b"allow")
            await send({**message, "status": 204, "headers": [(b"allow", allow + b", OPTIONS")]})
        elif answered and message["type"] == "http.response.body":
            await send({**message, "body": b""})
        else:
            await send(message)

    return sent
