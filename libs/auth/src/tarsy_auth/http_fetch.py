"""The fetch of a JWKS over HTTP, with limits of time and size."""

import asyncio

from tarsy_auth.errors import AuthError
from tarsy_auth.jwks import Fetch
from tarsy_auth.loopback import is_loopback

SECONDS = 5.0
MOST_BYTES = 256 << 10
OK = 200


class FetchFailedError(AuthError):
    """The provider did not answer as it has to. The operator looks at it, or corrects its address."""


def http_fetch(*, seconds: float = SECONDS) -> Fetch:
    """Takes the proxies and the CAs of the environment; for an address on this machine no proxy."""

    async def fetch(url: str) -> bytes:
        # Only who has tokens pays for the import.
        import httpx2

        try:
            async with asyncio.timeout(seconds):
                return await _read(url)
        except TimeoutError:
            raise FetchFailedError(f"no whole answer within {seconds:g} seconds") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as problem:
            raise FetchFailedError(str(problem) or type(problem).__name__) from problem

    return fetch


async def _read(url: str) -> bytes:
    import httpx2

    # Compressed bytes would make the limit one of bytes that say nothing about the memory that they need.
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(timeout=None, follow_redirects=False, trust_env=not is_loopback(url)) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        if response.status_code != OK:
            raise FetchFailedError(f"the answer is HTTP {response.status_code}")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise FetchFailedError("the answer is compressed, though we did not ask for that")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MOST_BYTES:
                raise FetchFailedError(f"the answer has more than {MOST_BYTES} bytes")
        return bytes(body)
