"""WebSocket proxy: message by message, with the close code and reason of either side."""

import asyncio
from contextlib import suppress

import structlog
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from tarsy_local.addresses import HOST
from tarsy_local.front_door.http_proxy import (
    HttpProxy,
    NoInstanceError,
    forward_headers,
    host_of,
    is_other_spelling,
    unavailable,
)
from tarsy_service.http.problems import problem_response

log = structlog.get_logger(__name__)

OPEN_SECONDS = 5.0
CLOSE_SECONDS = 5.0
LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024
NO_CODE, CUT_OFF = 1005, 1006
ENDED, SERVICE_RESTART = 1000, 1012
SHOWN_HEADERS = ("content-type", "www-authenticate")
"""Headers of an instance's refusal that the client is told."""
OWN_HEADERS = frozenset({b"host", b"connection", b"upgrade", b"x-forwarded-for"})


async def proxy_websocket(proxy: HttpProxy, service: str, client: WebSocket) -> None:
    """Until one side ends it. The client is let in only once an instance has let us in."""
    try:
        upstream = await _connect_to_any_instance(proxy, service, client)
    except InvalidStatus as problem:
        refusal = problem.response
        headers = {name: refusal.headers[name] for name in SHOWN_HEADERS if name in refusal.headers}
        await client.send_denial_response(Response(bytes(refusal.body or b""), refusal.status_code, headers))
        return
    except InvalidURI:
        await client.send_denial_response(problem_response(400, "Bad request", "The Host of the request is not one."))
        return
    except NoInstanceError:
        await client.send_denial_response(unavailable(service))
        return
    try:
        await client.accept(upstream.subprotocol)
        await _relay_both_ways(client, upstream)
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await upstream.close()


async def _connect_to_any_instance(proxy: HttpProxy, service: str, client: WebSocket) -> ClientConnection:
    async for port in proxy.tries(service):
        try:
            return await _connect_to_instance(client, port)
        except InvalidStatus as problem:
            if problem.response.status_code < 500:
                raise
            log.warning("socket.refused", service=service, status=problem.response.status_code)
        except (OSError, InvalidHandshake) as problem:
            log.info("socket.not_open", service=service, reason=repr(problem))
    raise NoInstanceError


async def _connect_to_instance(client: WebSocket, port: int) -> ClientConnection:
    """To our instance, under the name by which the client called: the instance compares it with the Origin."""
    scope = client.scope
    query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
    headers = [(name, value) for name, value in scope["headers"] if _is_passed(name)] + _forwarded_headers(client)
    return await connect(
        f"ws://{host_of(scope).decode('latin-1')}{scope['raw_path'].decode('latin-1')}{query}",
        host=HOST,
        port=port,
        additional_headers=[(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers],
        subprotocols=[Subprotocol(name) for name in scope["subprotocols"]] or None,
        user_agent_header=None,
        compression=None,
        proxy=None,
        open_timeout=OPEN_SECONDS,
        # The client's side is asked whether it lives; ours is the same machine, which tells at once.
        ping_interval=None,
        max_size=LARGEST_MESSAGE_BYTES,
    )


def _is_passed(name: bytes) -> bool:
    return name not in OWN_HEADERS and not name.startswith(b"sec-websocket-") and not is_other_spelling(name)


def _forwarded_headers(client: WebSocket) -> list[tuple[bytes, bytes]]:
    scheme = {"ws": "http", "wss": "https"}[client.scope["scheme"]]
    return forward_headers({**client.scope, "scheme": scheme})


async def _relay_both_ways(client: WebSocket, upstream: ClientConnection) -> None:
    directions = [
        asyncio.create_task(_relay_to_instance(client, upstream)),
        asyncio.create_task(_relay_to_client(client, upstream)),
    ]
    try:
        done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        for direction in done:
            await direction
    finally:
        for direction in directions:
            direction.cancel()
        await asyncio.wait(directions)


async def _relay_to_instance(client: WebSocket, upstream: ClientConnection) -> None:
    """Returns when the client has ended it, and the instance was told so."""
    while True:
        message = await client.receive()
        if message["type"] == "websocket.disconnect":
            code = message.get("code", NO_CODE)
            await upstream.close(ENDED if code in (NO_CODE, CUT_OFF) else code, message.get("reason") or "")
            return
        try:
            await upstream.send(message["text"] if message.get("text") is not None else message["bytes"])
        except ConnectionClosed:
            # The other way tells the client.
            await asyncio.Event().wait()


async def _relay_to_client(client: WebSocket, upstream: ClientConnection) -> None:
    """Returns when the instance has ended it, or was ended, and the client was told so."""
    with suppress(WebSocketDisconnect):
        try:
            while True:
                message = await upstream.recv()
                await (client.send_text(message) if isinstance(message, str) else client.send_bytes(message))
        except ConnectionClosed:
            await client.close(*_close_code_and_reason(upstream))


def _close_code_and_reason(upstream: ClientConnection) -> tuple[int, str]:
    code = upstream.close_code
    if code is None or code == CUT_OFF:
        return SERVICE_RESTART, "the service was interrupted: connect again"
    return (ENDED, "") if code == NO_CODE else (code, upstream.close_reason or "")
