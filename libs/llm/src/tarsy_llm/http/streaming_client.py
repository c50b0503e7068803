"""HTTP client of one streamed question (aiohttp), for servers without an SDK (docs/decisions/0019 and 0020)."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import proxy_for
from tarsy_llm.errors import LlmError
from tarsy_llm.http.http_client import CONNECT_SECONDS
from tarsy_llm.http.lenient_model import parse_json

if TYPE_CHECKING:
    import aiohttp

IDLE_SECONDS = 4.0
"""Many model servers hang up after five: a question that is sent just then would be lost."""
MOST_HEADER_BYTES = 64 * 1024
MOST_REFUSAL_BYTES = 256 * 1024


class UnreachedError(LlmError):
    """The server did not begin to answer; what aiohttp said of it is the cause.

    The caller reports it as LlmCallError.
    """


@dataclass(frozen=True, slots=True)
class RefusedResponse:
    status_code: int
    headers: Mapping[str, str]


class HttpStatusError(LlmError):
    """It answered with a status that is no success. `body` is what it said: JSON, or else text.

    The caller reports it as LlmCallError.
    """

    def __init__(self, response: RefusedResponse, body: object) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.body = body


class BrokenOffError(LlmError):
    """The answer ended in the middle; what aiohttp said of it is the cause. The caller reports it as LlmCallError."""


@dataclass(frozen=True, slots=True)
class AnswerStream:
    response: "aiohttp.ClientResponse"

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """Raises BrokenOffError."""
        import aiohttp

        try:
            async for chunk in self.response.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, OSError) as problem:
            raise BrokenOffError from problem


@dataclass(frozen=True, slots=True)
class StreamingClient:
    """The connections to one address, as many as there are questions: how many run at once, the caller knows.

    The proxies of the environment are used, but not for a model on this machine.
    """

    session: "aiohttp.ClientSession"
    address: str
    proxy: str | None

    @asynccontextmanager
    async def asking(self, sent_headers: Mapping[str, str], body: bytes) -> AsyncGenerator[AnswerStream]:
        """Raises UnreachedError, HttpStatusError."""
        import aiohttp  # It has been imported: there is a session.

        try:
            response = await self.session.post(
                self.address, data=body, headers=sent_headers, proxy=self.proxy, allow_redirects=False
            )
        except (aiohttp.ClientError, OSError) as problem:
            raise UnreachedError from problem
        try:
            if not 200 <= response.status < 300:
                refusal = RefusedResponse(response.status, dict(response.headers))
                raise HttpStatusError(refusal, _read((await _beginning(response)).decode(errors="replace").strip()))
            yield AnswerStream(response)
        finally:
            # One that was read to its end keeps its connection; any other is of no use any longer.
            response.close()

    async def aclose(self) -> None:
        await self.session.close()


async def open_client(address: str) -> StreamingClient:
    # Only who asks a real model pays for the import, and in a thread, for this loop has heartbeats to send.
    tls = await asyncio.to_thread(_prepared)
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=tls, keepalive_timeout=IDLE_SECONDS),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=MOST_HEADER_BYTES,
        max_field_size=MOST_HEADER_BYTES,
    )
    return StreamingClient(session, address, proxy_for(address))


def _prepared() -> ssl.SSLContext:
    import aiohttp  # noqa: F401 - it takes a while

    return tls_context()


async def _beginning(response: "aiohttp.ClientResponse") -> bytes:
    """The beginning of a refusal's body. The status is known, also when the rest breaks off."""
    import aiohttp

    found = bytearray()
    try:
        async for chunk in response.content.iter_any():
            found += chunk
            if len(found) > MOST_REFUSAL_BYTES:
                break
    except (aiohttp.ClientError, OSError):
        pass
    return bytes(found[:MOST_REFUSAL_BYTES])


def _read(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return text
