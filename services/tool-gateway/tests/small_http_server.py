"""The small server over streamable HTTP, with switches for what stands between it and its callers in earnest.

The era `sse` is no era, but the transport of the first servers.

TOKEN is asked of every request; the file FAULT, when it is there, holds "METHOD STATUS": so these requests end, or
never, when the status is 0. "METHOD STATUS TIMES RETRY_AFTER" does so some times, and says when to come again.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import uvicorn
from small_server import note, server
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATELESS = {"modern": False, "modern-json": False, "legacy": False, "legacy-json": True}
JSON = {"modern": False, "modern-json": True, "legacy": False, "legacy-json": True}


def _words(fault: str) -> list[str]:
    words = fault.split(" ", 3)
    return words + [""] * (4 - len(words))


class Gate:
    def __init__(self, app: ASGIApp, era: str) -> None:
        self._app = app
        self._era = era

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        refusal = self._refusal(request, json.loads(body).get("method", "") if body else "")
        if refusal is not None:
            if refusal.status_code == 0:
                note("it hangs")
                await asyncio.Event().wait()
            await refusal(scope, receive, send)
            return
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)

    def _refusal(self, request: Request, method: str) -> Response | None:
        token = os.environ.get("TOKEN")
        if token and request.headers.get("authorization") != f"Bearer {token}":
            return PlainTextResponse("who are you? password: hunter2-very-secret", 401)
        if self._era.startswith("legacy") and method == "server/discover":
            return PlainTextResponse("what is that?", 400)
        fault = Path(os.environ["CALLS"]).with_name("FAULT")
        wanted, status, times, retry_after = _words(fault.read_text("utf-8") if fault.exists() else "")
        if wanted != method or not method:
            return None
        if times:
            left = int(times) - 1
            fault.write_text(f"{wanted} {status} {left} {retry_after}" if left else "", "utf-8")
        headers = {"retry-after": retry_after} if retry_after else {}
        return PlainTextResponse("password: hunter2-very-secret", int(status), headers)


def main(arguments: list[str]) -> None:
    port, era, *tls = arguments
    if era == "sse":
        app = server.sse_app(sse_path="/mcp", host="127.0.0.1")
    else:
        app = server.streamable_http_app(stateless_http=STATELESS[era], json_response=JSON[era], host="127.0.0.1")
    certificate, key = tls or (None, None)
    uvicorn.run(
        Gate(app, era), host="127.0.0.1", port=int(port), ssl_certfile=certificate, ssl_keyfile=key, log_level="warning"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
