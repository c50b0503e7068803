"""Transport of httpx over aiohttp, at a third of the CPU, for the MCP SDK, which wants httpx (decision 0020)."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from ssl import SSLContext

import aiohttp
import anyio
import httpx2
from yarl import URL

from tarsy_egress.proxies import proxy_for

SET_BY_HTTPX = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
MOST_HEADER_BYTES = 64 * 1024
CONNECT_SECONDS = 10.0
POSTING = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS, sock_connect=CONNECT_SECONDS)
CLOSE_SECONDS = 1.0


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """`most` connections; a request that finds none waits as long as its `pool` timeout says, the connecting included.

    The proxies of the environment are used, but not for what is inside.
    A connection that was not needed for `idle_seconds` is closed. Made and closed in the same event loop.
    """

    def __init__(self, tls: SSLContext, *, most: int, idle_seconds: float) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=most, ssl=tls, keepalive_timeout=idle_seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=SET_BY_HTTPX,
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        with errors_of_httpx(request):
            response = await self._session.request(
                request.method,
                URL(str(request.url), encoded=True),
                # An empty body would be announced by aiohttp with a length that httpx did not say.
                data=await request.aread() or None,
                headers=request.headers.multi_items(),
                allow_redirects=False,
                proxy=proxy_for(str(request.url)),
                timeout=_to_client_timeout(request.extensions.get("timeout", {})),
            )
        return as_httpx_response(response, request)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> aiohttp.ClientResponse:
        """For who needs nothing of httpx. It may take CONNECT_SECONDS to connect. Raises ClientError and OSError."""
        return await self._session.post(
            URL(url, encoded=True),
            data=body,
            headers=headers,
            allow_redirects=False,
            proxy=proxy_for(url),
            timeout=POSTING,
        )

    async def aclose(self) -> None:
        """Also in a scope that was cancelled, where nothing else may be waited for: sockets would be left behind."""
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await self._session.close()


def as_httpx_response(response: aiohttp.ClientResponse, request: httpx2.Request, begun: bytes = b"") -> httpx2.Response:
    """`begun` was read of its body before."""
    return httpx2.Response(
        response.status,
        headers=httpx2.Headers(list(response.raw_headers), encoding="latin-1"),
        stream=_Body(response, request, begun),
        request=request,
    )


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse, request: httpx2.Request, begun: bytes) -> None:
        self._response = response
        self._request = request
        self._begun = begun

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._begun:
            yield self._begun
        with errors_of_httpx(self._request):
            async for chunk in self._response.content.iter_any():
                yield chunk

    async def aclose(self) -> None:
        """One that was read to its end keeps its connection."""
        self._response.close()


def _to_client_timeout(given: Mapping[str, float | None]) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=None, connect=given.get("pool"), sock_connect=given.get("connect"), sock_read=given.get("read")
    )


@contextmanager
def errors_of_httpx(request: httpx2.Request) -> Iterator[None]:
    """Errors of aiohttp as those of httpx: before the request was sent it is one of its connect errors."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as problem:
        raise httpx2.ConnectTimeout(_describe_problem(problem), request=request) from problem
    except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, aiohttp.InvalidURL) as problem:
        raise httpx2.ConnectError(_describe_problem(problem), request=request) from problem
    except TimeoutError as problem:
        raise httpx2.ReadTimeout(_describe_problem(problem), request=request) from problem
    except (aiohttp.ClientError, OSError) as problem:
        raise httpx2.ReadError(_describe_problem(problem), request=request) from problem


def _describe_problem(problem: Exception) -> str:
    return f"{type(problem).__name__} {problem}".strip()
