"""Answers that came to a request before the SDK asked for it."""

from dataclasses import dataclass
from typing import Protocol

import aiohttp
import httpx2

from tarsy_tool_gateway.mcp.transports.aiohttp_transport import as_httpx_response, errors_of_httpx


class EarlyAnswer(Protocol):
    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to the same request as the SDK makes it. Raises errors of httpx."""

    def close(self) -> None:
        """Nobody wants it any longer."""


@dataclass(frozen=True, slots=True)
class Received:
    """`begun` was read of its body already."""

    response: aiohttp.ClientResponse
    begun: bytes = b""

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        return as_httpx_response(self.response, request, self.begun)

    def close(self) -> None:
        self.response.close()


@dataclass(frozen=True, slots=True)
class Broken:
    problem: Exception

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        with errors_of_httpx(request):
            raise self.problem

    def close(self) -> None:
        pass


GONE = Broken(ConnectionError("the call was given up"))
