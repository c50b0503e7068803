"""OpenAI, and all that speak its chat completions: xAI, vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter ...

What a server thinks aloud inside its text (`<think>` tags) stays text: let it separate the two (vLLM:
`--reasoning-parser`).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tarsy_llm.http_client import http_client
from tarsy_llm.keys import api_key, secret
from tarsy_llm.openai_chunks import DONE, Gathering
from tarsy_llm.openai_wire import request_body
from tarsy_llm.protocol import SIGN_OF_LIFE, Answer, Delta, LlmError, LlmRequest
from tarsy_llm.remote import RemoteModel
from tarsy_llm.sdk_stream import Body, Sdk, received

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class House:
    """Who is asked where no `base_url` is given. `variable` is where its key is looked for."""

    name: str
    address: str
    variable: str


OPENAI = House("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY")
XAI = House("xAI", "https://api.x.ai/v1", "XAI_API_KEY")


class OpenAiLlm:
    """An `Llm`. `base_url` is taken as it is, with its `/v1` where the server has one."""

    def __init__(self, remote: RemoteModel, house: House = OPENAI) -> None:
        self._remote = remote
        self._house = house
        self._name = house.name if remote.base_url is None else f"the model server {urlsplit(remote.base_url).hostname}"
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        sdk = self._sdk(await self._opened())
        body = request_body(self._remote, request)
        gathering = Gathering(self._name, self._remote.model, secret(self._remote))

        def plainer(refusal: LlmError) -> Body | None:
            if refusal.kind != "invalid_request" or "stream_options" not in str(refusal):
                return None
            return {key: value for key, value in body.items() if key != "stream_options"}

        async with aclosing(received(sdk, body, plainer)) as stream:
            try:
                async for event in stream:
                    if event.data == DONE:
                        break
                    for delta in gathering.take(event) or [SIGN_OF_LIFE]:
                        yield delta
            except LlmError:
                # Some servers hang up without ado when they have said all.
                if not gathering.finished:
                    raise
        yield gathering.answer()

    async def aclose(self) -> None:
        async with self._opening:
            if self._client is not None:
                await self._client.close()

    async def _opened(self) -> "AsyncOpenAI":
        key = api_key(self._remote, self._house.name, self._house.variable)
        async with self._opening:
            if self._client is None:
                # The import takes a second: in a thread, for this loop has heartbeats to send.
                self._client = await asyncio.to_thread(_open, self._remote.base_url or self._house.address, key)
            return self._client

    def _sdk(self, client: "AsyncOpenAI") -> Sdk:
        from openai import APIConnectionError, APIStatusError

        # The body goes whole, in our own words: servers know fewer keys than the SDK, and more.
        return Sdk(
            provider=self._name,
            ask=lambda body: client.chat.completions.with_streaming_response.create(
                model=self._remote.model, messages=[], stream=True, extra_body=dict(body)
            ),
            status_error=APIStatusError,
            connection_error=APIConnectionError,
            secret=secret(self._remote),
        )


def _open(address: str, key: str) -> "AsyncOpenAI":
    # Only who asks such a model pays for the import.
    from openai import AsyncOpenAI

    return AsyncOpenAI(api_key=key, base_url=address, max_retries=0, http_client=http_client(address))
