"""Our own client of one server, and what it raises, for all that are asked with it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

from tarsy_llm.http.answer_bodies import answer_events
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Body, Endpoint
from tarsy_llm.http.shared_connection import SharedConnection
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.http.streaming_client import (
    AnswerStream,
    BrokenOffError,
    HttpStatusError,
    StreamingClient,
    UnreachedError,
    open_client,
)


class ServerClient:
    """`name` is for sentences."""

    def __init__(self, name: str, address: str) -> None:
        self._name = name
        self._address = address
        self._shared = SharedConnection(StreamingClient.aclose)

    async def open(self) -> StreamingClient:
        return await self._shared.get(partial(open_client, self._address))

    async def aclose(self) -> None:
        await self._shared.aclose()

    def endpoint(
        self,
        ask: Callable[[Body], AbstractAsyncContextManager[AnswerStream]],
        secret: str | None,
        budget: AnswerBudget,
        decode: Callable[[AsyncIterator[bytes]], AsyncGenerator[ServerSentEvent]] = answer_events,
    ) -> Endpoint:
        """`ask` sends a body with the client that `open` returned."""
        return Endpoint(
            provider=self._name,
            ask=ask,
            status_error=HttpStatusError,
            connection_error=UnreachedError,
            broken=BrokenOffError,
            secret=secret,
            budget=budget,
            decode=decode,
        )
