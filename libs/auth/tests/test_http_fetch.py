"""The fetch of a JWKS from a real server, which may be slow, endless, packed, elsewhere or away."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from openid_provider import Clock, bearer, config_of, jwks_of, public_jwk, token_of

from tarsy_auth.authenticator import authenticator
from tarsy_auth.http_fetch import MOST_BYTES, FetchFailedError, http_fetch
from tarsy_auth.identity import Identity
from tarsy_auth.refusals import UNAVAILABLE
from tarsy_processes.ports import free_port

JWKS = jwks_of(public_jwk("p256", kid="k0"))
GIGABYTE = 1 << 30
CHUNK = bytes(1 << 16)
PATIENT_SECONDS = 90.0
"""Longer than any answer takes here, also on a busy machine."""
type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """The address of a server that answers every request so."""
    application = web.Application()
    application.router.add_get("/{path:.*}", handler)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}/certs"
    finally:
        await runner.cleanup()


def answering(body: bytes, status: int = 200, **headers: str) -> Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            body=body, status=status, headers={name.replace("_", "-"): headers[name] for name in headers}
        )

    return answer


async def test_a_body_comes_as_it_is_also_where_a_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with serving(answering(JWKS)) as url:
        assert await http_fetch(seconds=PATIENT_SECONDS)(url) == JWKS


async def test_a_token_is_checked_with_keys_from_a_real_server() -> None:
    async with serving(answering(JWKS)) as url:
        authenticate = authenticator(config_of(jwks=url), http_fetch(seconds=PATIENT_SECONDS), Clock())

        assert isinstance(await authenticate(bearer(token_of())), Identity)


@pytest.mark.parametrize("status", [204, 401, 404, 500, 503])
async def test_only_200_is_an_answer(status: int) -> None:
    async with serving(answering(JWKS if status != 204 else b"", status)) as url:
        with pytest.raises(FetchFailedError, match=f"HTTP {status}"):
            await http_fetch(seconds=PATIENT_SECONDS)(url)


async def test_a_redirect_is_not_followed() -> None:
    asked = []

    async def redirect(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=302, headers={"Location": "/elsewhere"})

    async with serving(redirect) as url:
        with pytest.raises(FetchFailedError, match="HTTP 302"):
            await http_fetch(seconds=PATIENT_SECONDS)(url)
    assert asked == ["/certs"]


@pytest.mark.parametrize("announced", [True, False], ids=["with a length", "without"])
async def test_a_gigabyte_is_not_read(announced: bool) -> None:
    sent = 0

    async def flood(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Length": str(GIGABYTE)} if announced else {})
        await response.prepare(request)
        while sent < GIGABYTE:
            await response.write(CHUNK)
            sent += len(CHUNK)
        return response

    async with serving(flood) as url:
        with pytest.raises(FetchFailedError, match=f"more than {MOST_BYTES} bytes"):
            await http_fetch(seconds=PATIENT_SECONDS)(url)
    assert sent < GIGABYTE // 16


async def test_so_many_bytes_as_are_allowed_are_read() -> None:
    async with serving(answering(bytes(MOST_BYTES))) as url:
        assert len(await http_fetch(seconds=PATIENT_SECONDS)(url)) == MOST_BYTES
    async with serving(answering(bytes(MOST_BYTES + 1))) as url:
        with pytest.raises(FetchFailedError):
            await http_fetch(seconds=PATIENT_SECONDS)(url)


async def test_a_packed_answer_is_not_unpacked() -> None:
    async with serving(answering(gzip.compress(bytes(GIGABYTE >> 4)), Content_Encoding="gzip")) as url:
        with pytest.raises(FetchFailedError, match="compressed"):
            await http_fetch(seconds=PATIENT_SECONDS)(url)


@pytest.mark.parametrize("head_first", [True, False], ids=["after the head", "before it"])
async def test_a_slow_answer_has_a_limit_as_a_whole(head_first: bool) -> None:
    """A byte now and then would satisfy a limit on each read."""

    async def trickle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        if head_first:
            await response.prepare(request)
        while True:
            if head_first:
                await response.write(b" ")
            await asyncio.sleep(0.01)

    async with serving(trickle) as url:
        with pytest.raises(FetchFailedError, match=r"within 0\.3 seconds"):
            await http_fetch(seconds=0.3)(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://nowhere.invalid/certs", "http://[::1", "nothing"])
async def test_an_address_that_leads_nowhere_is_one_kind_of_error(url: str) -> None:
    with pytest.raises(FetchFailedError):
        await http_fetch(seconds=PATIENT_SECONDS)(url)


async def test_a_provider_without_a_server_makes_tokens_unavailable() -> None:
    config = config_of(jwks=f"http://127.0.0.1:{free_port()}/certs")

    assert await authenticator(config, http_fetch(seconds=PATIENT_SECONDS), Clock())(bearer(token_of())) == UNAVAILABLE
