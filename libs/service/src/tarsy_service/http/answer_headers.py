"""Headers of every answer: what a browser may do with it. An answer that has one of them keeps its own."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
"""For answers of an API: nothing in them is run, framed or kept. The page has a policy of its own."""
STARTS = frozenset({"http.response.start", "websocket.http.response.start"})


class AnswerHeaders:
    """An ASGI middleware; refusals of those inside of it get the headers, too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] in STARTS:
                headers = list(message.get("headers", ()))
                given = {name.lower() for name, _ in headers}
                headers.extend(header for header in SAFE_HEADERS if header[0] not in given)
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, with_headers)
