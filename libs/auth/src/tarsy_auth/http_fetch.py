"""Requests to the OpenID provider over HTTP, with limits of time and size: its JWKS, and the exchange of a code."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tarsy_auth.errors import AuthError
from tarsy_auth.jwks import Fetch
from tarsy_auth.token_exchange import FORM_REFUSED, Post, TokenAnswer, TokenRequest
from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import bypasses_proxy

SECONDS = 5.0
MOST_BYTES = 256 << 10
OK = 200
FORM_TYPE = "application/x-www-form-urlencoded"


class FetchFailedError(AuthError):
    """The provider did not answer as it has to. The operator looks at it, or corrects its address."""


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """`accepted`: the statuses of answers that are read."""

    url: str
    accepted: Collection[int] = (OK,)
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


def http_fetch(*, seconds: float = SECONDS) -> Fetch:
    """Takes the proxies and the CAs of the environment; for what is inside no proxy."""

    async def fetch(url: str) -> bytes:
        _, body = await _fetch_within(ProviderRequest(url), seconds)
        return body

    return fetch


def http_post(*, seconds: float = SECONDS) -> Post:
    """As `http_fetch`. Refusals that RFC 6749 has for a code are answers, too. Raises FetchFailedError."""

    async def post(request: TokenRequest) -> TokenAnswer:
        headers = {**request.headers, "content-type": FORM_TYPE}
        content = urlencode(request.form).encode()
        status, body = await _fetch_within(
            ProviderRequest(request.url, (OK, *FORM_REFUSED), "POST", headers, content), seconds
        )
        return TokenAnswer(status == OK, body)

    return post


async def _fetch_within(request: ProviderRequest, seconds: float) -> tuple[int, bytes]:
    """Status and body. Raises FetchFailedError."""
    # Only who has tokens pays for the import.
    import httpx2

    try:
        async with asyncio.timeout(seconds):
            return await _read_response(request)
    except TimeoutError:
        raise FetchFailedError(f"no whole answer within {seconds:g} seconds") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as problem:
        raise FetchFailedError(str(problem) or type(problem).__name__) from problem


async def _read_response(request: ProviderRequest) -> tuple[int, bytes]:
    import httpx2

    # Compressed bytes would make the limit one of bytes that say nothing about the memory that they need.
    headers = {"accept": "application/json", "accept-encoding": "identity", **request.headers}
    trust_env = not bypasses_proxy(request.url)
    # In a thread: it reads all authorities.
    verify = await asyncio.to_thread(tls_context)
    async with (
        httpx2.AsyncClient(timeout=None, follow_redirects=False, trust_env=trust_env, verify=verify) as client,
        client.stream(request.method, request.url, headers=headers, content=request.content) as response,
    ):
        if response.status_code not in request.accepted:
            raise FetchFailedError(f"the answer is HTTP {response.status_code}")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise FetchFailedError("the answer is compressed, though we did not ask for that")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MOST_BYTES:
                raise FetchFailedError(f"the answer has more than {MOST_BYTES} bytes")
        return response.status_code, bytes(body)
