"""Anthropic itself, or a server like it at an address of its own, through Anthropic's SDK."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tarsy_llm.anthropic.wire import MAX_TOKENS
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Endpoint
from tarsy_llm.http.http_client import http_client
from tarsy_llm.http.shared_connection import SharedConnection
from tarsy_llm.keys import api_key, secret
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.native_tools import WEB_SEARCH

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NAME = "Anthropic"
ADDRESS = "https://api.anthropic.com"


class SdkServer:
    """`base_url` is the address without its `/v1/messages`."""

    native_tools = WEB_SEARCH

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self.name = NAME if settings.base_url is None else f"the model server {urlsplit(settings.base_url).hostname}"
        self._shared = SharedConnection(_close)

    async def open_endpoint(self, budget: AnswerBudget) -> Endpoint:
        client = await self._opened()
        from anthropic import APIConnectionError, APIStatusError
        from httpx2 import HTTPError

        # The body goes whole, in our own words: it is ours to test, and other servers know fewer keys and more.
        return Endpoint(
            provider=self.name,
            ask=lambda body: client.messages.with_streaming_response.create(
                model=self._settings.model, max_tokens=MAX_TOKENS, messages=[], stream=True, extra_body=dict(body)
            ),
            status_error=APIStatusError,
            connection_error=APIConnectionError,
            broken=HTTPError,
            secret=secret(self._settings),
            budget=budget,
        )

    async def aclose(self) -> None:
        await self._shared.aclose()

    async def _opened(self) -> "AsyncAnthropic":
        key = api_key(self._settings, NAME, "ANTHROPIC_API_KEY")
        # The import takes seconds: in a thread, for this loop has heartbeats to send.
        return await self._shared.get(lambda: asyncio.to_thread(_open, self._settings.base_url or ADDRESS, key))


async def _close(client: "AsyncAnthropic") -> None:
    await client.close()


def _open(address: str, key: str) -> "AsyncAnthropic":
    # Only who asks Claude pays for the import.
    from anthropic import AsyncAnthropic

    # Its spans could carry what is said, unmasked.
    return AsyncAnthropic(
        api_key=key, base_url=address, max_retries=0, http_client=http_client(address), open_telemetry=False
    )
