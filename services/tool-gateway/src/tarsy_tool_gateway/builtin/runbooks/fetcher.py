"""Fetcher of runbooks over HTTP. Redirects are followed by hand: each target is checked like the first address."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urljoin

import httpx2
import structlog

from tarsy_contracts.runbook_urls import RunbookUrl, RunbookUrlRefusedError, require_allowed_runbook_url
from tarsy_egress.proxies import proxy_for
from tarsy_tool_gateway.builtin.runbooks.dns_guard import Find, ResolvedAddress, UnknownHostError
from tarsy_tool_gateway.builtin.runbooks.github import is_github, raw_file_url
from tarsy_tool_gateway.builtin.runbooks.response import read_answer
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.tool_servers import ToolOutput

log = structlog.get_logger(__name__)

MOST_REDIRECTS = 5
REDIRECTS = (301, 302, 303, 307, 308)
CONNECT_SECONDS = 3.0
"""A host may have several addresses: the first must not use up all the time."""
TIMEOUT = {"connect": CONNECT_SECONDS}
ACCEPTED = "text/plain, text/markdown, text/*;q=0.9, */*;q=0.1"


class RunbookFetcher:
    def __init__(self, rules: RunbookRules, *, find: Find, tls: ssl.SSLContext) -> None:
        self._rules = rules
        self._find = find
        self._tls = tls

    async def fetch(self, url: RunbookUrl) -> ToolOutput:
        """Never raises for what a server, or the network, does."""
        began = time.monotonic()
        output = await self._fetch_within_limit(url)
        took = round(time.monotonic() - began, 3)
        log.info("runbook.fetched", host=url.host, outcome=output.outcome, seconds=took)
        return output

    async def _fetch_within_limit(self, url: RunbookUrl) -> ToolOutput:
        try:
            async with asyncio.timeout(self._rules.seconds):
                return await self._follow_redirects(url)
        except TimeoutError:
            return ToolOutput(
                "unavailable", f"The runbook did not come from {url.host} within {self._rules.seconds:g} s."
            )
        except UnknownHostError as problem:
            return ToolOutput(
                "unavailable", f"The tool gateway does not find the host of the runbook, {problem} (DNS)."
            )
        except RunbookUrlRefusedError as problem:
            return ToolOutput("rejected", f"The address of the runbook {problem}.")
        except (httpx2.TransportError, httpx2.InvalidURL) as problem:
            return ToolOutput(
                "unavailable", f"The runbook cannot be fetched from {url.host}: {_describe_failure(problem)}."
            )

    async def _follow_redirects(self, url: RunbookUrl) -> ToolOutput:
        host = url.host
        for _ in range(MOST_REDIRECTS + 1):
            # The token is not sent where another host redirects us: the alert did not choose that address.
            token = self._rules.token if url.host == host and is_github(url) else None
            async with self._open_answer(url, token) as response:
                if response.status_code not in REDIRECTS or "location" not in response.headers:
                    return await read_answer(response, url, self._rules)
                url = self._redirect_target(url, response.headers["location"])
            if url.host != host:
                host = ""
        return ToolOutput("tool_error", f"The address of the runbook redirects more than {MOST_REDIRECTS} times.")

    def _redirect_target(self, url: RunbookUrl, location: str) -> RunbookUrl:
        """Raises RunbookUrlRefusedError."""
        try:
            return raw_file_url(require_allowed_runbook_url(urljoin(str(url), location), self._rules.allowed_domains))
        except RunbookUrlRefusedError as problem:
            raise RunbookUrlRefusedError(f"redirects to one that {problem}") from None
        except ValueError:
            raise RunbookUrlRefusedError("redirects to what is no address") from None

    @asynccontextmanager
    async def _open_answer(self, url: RunbookUrl, token: str | None) -> AsyncIterator[httpx2.Response]:
        """A connection for this request alone: another host at the same place would not be checked for its name."""
        proxy = proxy_for(str(url))
        if proxy is None:
            requests = [_build_request(url, endpoint, token) for endpoint in await self._find(url)]
        else:
            await self._require_not_known_inside(url)
            requests = [httpx2.Request("GET", str(url), headers=_headers(url, token), extensions={"timeout": TIMEOUT})]
        async with httpx2.AsyncHTTPTransport(verify=self._tls, trust_env=False, proxy=proxy) as transport:
            response = await _send_to_first_that_answers(transport, requests)
            try:
                yield response
            finally:
                await response.aclose()

    async def _require_not_known_inside(self, url: RunbookUrl) -> None:
        """A host that our DNS knows is judged. A proxy finds hosts by itself, and often they cannot be found from here.

        Raises RunbookUrlRefusedError.
        """
        with suppress(UnknownHostError, TimeoutError):
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._find(url)


async def _send_to_first_that_answers(
    transport: httpx2.AsyncHTTPTransport, requests: list[httpx2.Request]
) -> httpx2.Response:
    """Raises httpx2.TransportError: that of the last place."""
    problem: httpx2.TransportError = httpx2.ConnectError("the host has no address")
    for request in requests:
        try:
            return await transport.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as failed:
            problem = failed
    raise problem


def _build_request(url: RunbookUrl, endpoint: ResolvedAddress, token: str | None) -> httpx2.Request:
    """To the machine that was judged, in the name of the host; TLS checks that name. No limit on reading beside the
    one for all."""
    address = f"[{endpoint.address}]" if ":" in endpoint.address else endpoint.address
    return httpx2.Request(
        "GET",
        f"{url.scheme}://{address}:{endpoint.port}{url.target}",
        headers=_headers(url, token),
        extensions={"sni_hostname": url.host, "timeout": TIMEOUT},
    )


def _headers(url: RunbookUrl, token: str | None) -> dict[str, str]:
    headers = {"Host": url.authority, "Accept": ACCEPTED, "Accept-Encoding": "identity", "User-Agent": "tarsy"}
    return headers if token is None else {**headers, "Authorization": f"Bearer {token}"}


def _describe_failure(problem: Exception) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in str(problem):
        return "its certificate is not trusted"
    if isinstance(problem, httpx2.ConnectError | httpx2.ConnectTimeout):
        return "no connection"
    if isinstance(problem, httpx2.ProxyError):
        return "the proxy does not lead there"
    return "the connection broke, or what it answered is not HTTP"
