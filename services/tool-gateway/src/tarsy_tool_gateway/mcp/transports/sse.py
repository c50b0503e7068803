"""HTTP with server-sent events, the transport of the first MCP servers.

One stream carries all that the server says, and each message to the server is a POST of its own. Our own client, made
of the SDK's parts. The SDK's client sends messages one after the other, ends with the first failure, and takes no
answer over a megabyte.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
import structlog
from anyio.abc import ObjectSendStream, TaskGroup, TaskStatus
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest

from tarsy_tool_gateway.mcp.diagnosis import LoginNeededError, MisconfiguredError
from tarsy_tool_gateway.mcp.gateway_errors import MOST_ANSWER_BYTES, gateway_error
from tarsy_tool_gateway.mcp.messages.open_requests import OpenRequests
from tarsy_tool_gateway.mcp.messages.shared_stream import SharedStreamReader
from tarsy_tool_gateway.mcp.messages.stream_counts import StreamCounts
from tarsy_tool_gateway.mcp.sdk_internals import TransportStreams, request_within_origin, sse_within_origin
from tarsy_tool_gateway.mcp.server_plan import SseTransport
from tarsy_tool_gateway.mcp.transports.http_errors import LOGIN_NEEDED, NOT_AUTHORIZED
from tarsy_tool_gateway.mcp.transports.login_tokens import NO_LOGINS, Logins
from tarsy_tool_gateway.mcp.transports.streamable_http import web_client

log = structlog.get_logger(__name__)

INITIALIZED = "notifications/initialized"

type Incoming = SessionMessage | Exception


@asynccontextmanager
async def sse_streams(
    transport: SseTransport,
    *,
    calls: int,
    ended: Callable[[], None],
    counts: StreamCounts | None = None,
    logins: Logins = NO_LOGINS,
) -> AsyncIterator[TransportStreams]:
    """`ended` is called when the server's stream is over. Raises MisconfiguredError."""
    async with (
        web_client(transport, calls=calls, logins=logins) as client,
        sse_within_origin(client, transport.url, max_event_size=MOST_ANSWER_BYTES) as events,
    ):
        _require_event_stream(events.response)
        to_session, reading = anyio.create_memory_object_stream[Incoming](0)
        writing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        async with to_session, reading, writing, from_session, anyio.create_task_group() as tasks:
            reader = SharedStreamReader((counts or StreamCounts()).garbage)
            endpoint = await tasks.start(_listen_to_events, transport.url, events, reader, to_session, ended)
            posting = _Posting(client, endpoint, reader.requests, to_session, tasks)
            tasks.start_soon(posting.run, from_session)
            yield reading, writing
            tasks.cancel_scope.cancel()


def _require_event_stream(response: httpx2.Response) -> None:
    if LOGIN_NEEDED in response.extensions:
        raise LoginNeededError(response.extensions[NOT_AUTHORIZED])
    response.raise_for_status()
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "text/event-stream":
        raise MisconfiguredError(f"it answered HTTP {response.status_code}, but not with a stream of events")


async def _listen_to_events(
    url: str,
    events: httpx2.EventSource,
    reader: SharedStreamReader,
    to_session: ObjectSendStream[Incoming],
    ended: Callable[[], None],
    *,
    task_status: TaskStatus[str],
) -> None:
    """Started when the server has said where it takes messages. Closes the session's stream when it is over."""
    try:
        async with to_session:
            async for event in events:
                if event.event == "endpoint":
                    task_status.started(_endpoint_on_same_host(url, event.data))
                elif event.event == "message" and event.data:
                    for message in await reader.read(event.data.encode(errors="replace")):
                        await to_session.send(message)
    except httpx2.TransportError as problem:
        log.info("mcp_server.stream_broke", problem=type(problem).__name__)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session is over
    finally:
        ended()


def _endpoint_on_same_host(url: str, given: str) -> str:
    """The endpoint gets our token with our messages, so it must be on the same host."""
    endpoint = urljoin(url, given)
    if urlsplit(endpoint)[:2] != urlsplit(url)[:2]:
        raise MisconfiguredError("it wants our messages sent to another host")
    return endpoint


class _Posting:
    def __init__(
        self,
        client: httpx2.AsyncClient,
        endpoint: str,
        requests: OpenRequests,
        to_session: ObjectSendStream[Incoming],
        tasks: TaskGroup,
    ) -> None:
        self._client = client
        self._endpoint = endpoint
        self._requests = requests
        self._to_session = to_session
        self._tasks = tasks

    async def run(self, from_session: AsyncIterator[SessionMessage]) -> None:
        async for each in from_session:
            message = each.message
            self._requests.note_sent(message)
            if isinstance(message, JSONRPCNotification) and message.method == INITIALIZED:
                # Servers refuse what overtakes it.
                await self._post_message(message)
            else:
                self._tasks.start_soon(self._post_message, message)

    async def _post_message(self, message: JSONRPCMessage) -> None:
        """The answer comes with the stream. One that cannot come any longer is made here."""
        body = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        response = await request_within_origin(self._client, "POST", self._endpoint, json=body)
        if response.status_code < 300 or not isinstance(message, JSONRPCRequest):
            return
        answer = JSONRPCError(jsonrpc="2.0", id=message.id, error=_error_of_response(response))
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the session is over
            await self._to_session.send(SessionMessage(answer))


def _error_of_response(response: httpx2.Response) -> ErrorData:
    """The error as http_errors made it, which handles the response first. It passes on what only leads elsewhere."""
    if response.status_code < 400:
        status = response.status_code
        return ErrorData.model_validate(gateway_error("refused", f"it answered HTTP {status}", status=status))
    return ErrorData.model_validate(response.json()["error"])
