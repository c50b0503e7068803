"""Tool calls over HTTP past the SDK's transport, at half of the CPU: most answers come whole, in one piece.

A call is posted here, once. An answer that is its result goes to the caller. The SDK handles anything else: progress,
an error, a broken connection. It makes the same request, and its transport finds the answer that is there already
(decision 0028).
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any

import aiohttp
import anyio
import httpx2
from mcp import MCPError
from mcp.shared.dispatcher import CallOptions
from mcp_types import REQUEST_TIMEOUT
from opentelemetry.propagate import inject

from tarsy_tool_gateway.mcp.transports.aiohttp_transport import AiohttpTransport
from tarsy_tool_gateway.mcp.transports.early_answer import GONE, Broken, EarlyAnswer, Received
from tarsy_tool_gateway.mcp.transports.results_at_once import result_in_events, result_in_json

CALL = "tools/call"
FIRST_ID = 1_000_000_000
"""The SDK counts from 1 on. Numbers, as the SDK has them: no server has met any other ids from us."""
ACCEPTED = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MOST_BYTES = 1024 * 1024
"""A longer answer is the SDK's to read."""
NOT_TAKEN = (307, 308)
"""The server took nothing: it is at another address, where the SDK goes."""
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
LEAST_LEFT_SECONDS = 0.1
TURNS_BEFORE = 3
"""Turns of the event loop in which it hears of connections that the server has closed. A call that is sent on such a
one may have run, for all that we know; on a new one it has not.
"""
TELL_SECONDS = 0.5
"""The time limit for the notice that a call was given up."""

type Params = Mapping[str, Any]
type Send = Callable[..., Awaitable[dict[str, Any]]]
type Notify = Callable[[str, Params], Awaitable[None]]


class DirectCalls:
    """Those of one session. Until `begin`, and after `stop`, all calls go through the SDK alone."""

    def __init__(self) -> None:
        self._connections: AiohttpTransport | None = None
        self._url = ""
        self._headers: dict[str, str] = {}
        self._ids = count(FIRST_ID)
        self._answers: dict[int, EarlyAnswer] = {}

    def begin(self, connections: AiohttpTransport, url: str, headers: Mapping[str, str]) -> None:
        """`headers`: of every request."""
        address = httpx2.URL(url)
        if not address.userinfo:
            self._connections, self._url, self._headers = connections, str(address), {**headers, **ACCEPTED}

    def stop(self) -> None:
        """A server with a stream of its own may say there what belongs to a call: the SDK knows its own calls only."""
        self._connections = None

    def take(self, id: str | int | None) -> EarlyAnswer | None:
        """The answer to a request that was sent already; None for any other. A request is never sent twice."""
        if not isinstance(id, int) or id < FIRST_ID:
            return None
        return self._answers.pop(id, GONE)

    def before(self, send: Send, notify: Notify) -> Send:
        """`send` of the SDK, with direct calls before it. `notify` sends a notification."""

        async def sent(method: str, params: Params, opts: CallOptions | None = None, **more: Any) -> dict[str, Any]:
            if method != CALL or self._connections is None or opts is None:
                return await send(method, params, opts, **more)
            return await self._call_directly(self._connections, params, opts, send, notify)

        return sent

    async def _call_directly(
        self, connections: AiohttpTransport, params: Params, opts: CallOptions, send: Send, notify: Notify
    ) -> dict[str, Any]:
        id = next(self._ids)
        try:
            body = _encode_call(id, params, with_progress="on_progress" in opts)
        except ValueError:
            return await send(CALL, params, opts)
        clock, seconds = asyncio.get_running_loop().time, opts.get("timeout")
        began = clock()
        try:
            async with asyncio.timeout(seconds):
                result = await self._post_call(connections, id, body, opts.get("headers", {}))
        except TimeoutError:
            await _notify_cancelled(notify, id)
            raise MCPError(REQUEST_TIMEOUT, f"Request {CALL!r} timed out") from None
        except asyncio.CancelledError:
            await _notify_cancelled(notify, id)
            raise
        if result is not None:
            return result
        if seconds is not None:
            opts = {**opts, "timeout": max(LEAST_LEFT_SECONDS, seconds - (clock() - began))}
        if id in self._answers:
            opts = {**opts, "request_id": id}
        try:
            return await send(CALL, params, opts)
        finally:
            # A call may be given up before the SDK has asked for its answer.
            self._answers.pop(id, GONE).close()

    async def _post_call(
        self, connections: AiohttpTransport, id: int, body: bytes, headers: Mapping[str, str]
    ) -> dict[str, Any] | None:
        """None when the SDK has to go on: with the answer, or, where there is none, from the beginning."""
        for _ in range(TURNS_BEFORE):
            await asyncio.sleep(0)
        try:
            response = await connections.post(self._url, body, {**self._headers, **headers})
            try:
                if response.status in NOT_TAKEN:
                    self.stop()
                    response.close()
                    return None
                return await self._read_result(id, response)
            except BaseException:
                response.close()
                raise
        except (aiohttp.ClientError, OSError) as problem:
            self._answers[id] = Broken(problem)
            return None

    async def _read_result(self, id: int, response: aiohttp.ClientResponse) -> dict[str, Any] | None:
        plain = response.status == 200 and "Content-Encoding" not in response.headers
        kind = response.content_type if plain else ""
        if kind == "application/json" and 0 < (response.content_length or 0) <= MOST_BYTES:
            begun = await response.read()
            result = result_in_json(begun, id)
        elif kind == "text/event-stream":
            begun = await response.content.readany()
            result = result_in_events(begun, id)
        else:
            begun, result = b"", None
        if result is None:
            self._answers[id] = Received(response, begun)
        else:
            response.close()
        return result


def _encode_call(id: int, params: Params, *, with_progress: bool) -> bytes:
    """As the SDK makes it. Raises ValueError for what JSON in UTF-8 cannot say."""
    meta = dict(params.get("_meta") or {})
    if with_progress:
        meta["progressToken"] = id
    inject(meta)
    body = {**params, "_meta": meta} if meta else params
    return ENCODER.encode({"jsonrpc": "2.0", "id": id, "method": CALL, "params": body}).encode()


async def _notify_cancelled(notify: Notify, id: int) -> None:
    """With today's protocol the SDK does not send it, as the end of the request says the same."""
    with anyio.move_on_after(TELL_SECONDS, shield=True):
        await notify("notifications/cancelled", {"requestId": id, "reason": "given up"})
