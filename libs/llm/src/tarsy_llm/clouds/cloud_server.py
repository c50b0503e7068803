"""A server of a cloud that is asked over our own client, with the cloud's permit, in Anthropic's dialect."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from pydantic_core import to_json

from tarsy_contracts.chain import NativeTool
from tarsy_llm.credentials.permits import AskPermit
from tarsy_llm.http.answer_bodies import answer_events
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Body, Endpoint
from tarsy_llm.http.server_client import ServerClient
from tarsy_llm.http.sse import ServerSentEvent
from tarsy_llm.http.streaming_client import AnswerStream

SENT = {"content-type": "application/json", "user-agent": "tarsy"}


def no_headers(_body: Body) -> Mapping[str, str]:
    return {}


class CloudServer:
    """`wrap`: the body as the cloud wants it. `decode`: its answer as events of Anthropic's.

    `native_tools`: Claude's own that the cloud takes. `headers`: what it wants beside a body.
    """

    def __init__(
        self,
        name: str,
        address: str,
        permit: AskPermit,
        wrap: Callable[[Body], Body],
        decode: Callable[[AsyncIterator[bytes]], AsyncGenerator[ServerSentEvent]] = answer_events,
        *,
        native_tools: tuple[NativeTool, ...] = (),
        headers: Callable[[Body], Mapping[str, str]] = no_headers,
    ) -> None:
        self.name = name
        self.native_tools = native_tools
        self._address = address
        self._permit = permit
        self._wrap = wrap
        self._decode = decode
        self._headers = headers
        self._client = ServerClient(name, address)

    async def open_endpoint(self, budget: AnswerBudget) -> Endpoint:
        permit = await self._permit()
        client = await self._client.open()

        def ask(body: Body) -> AbstractAsyncContextManager[AnswerStream]:
            encoded = to_json(self._wrap(body))
            sent = {**SENT, **self._headers(body)}
            return client.asking({**sent, **permit.headers(self._address, sent, encoded)}, encoded)

        return self._client.endpoint(ask, permit.secret, budget, self._decode)

    async def aclose(self) -> None:
        await self._client.aclose()
