"""Anthropic's Claude, and servers that speak its messages."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tarsy_llm.anthropic.events import AnthropicAccumulator
from tarsy_llm.anthropic.web_search import MOST_PAUSES, search_tool
from tarsy_llm.anthropic.wire import MAX_TOKENS, continue_body, output_limit, request_body
from tarsy_llm.failures import refined_failures
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Body, Endpoint, stream_events
from tarsy_llm.http.http_client import http_client
from tarsy_llm.keys import api_key, secret
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import KEEPALIVE, Answer, Delta, LlmCallError, LlmRequest
from tarsy_llm.provider_type import ProviderType, remote
from tarsy_llm.tool_schemas import with_original_names

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NAME = "Anthropic"
ADDRESS = "https://api.anthropic.com"


class AnthropicLlm:
    """An `Llm`. `base_url` is the address without its `/v1/messages`."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._name = NAME if settings.base_url is None else f"the model server {urlsplit(settings.base_url).hostname}"
        self._opening = asyncio.Lock()
        self._client: AsyncAnthropic | None = None

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        budget = AnswerBudget(self._name, output_limit(self._settings, request))
        endpoint = self._endpoint(await self._opened(), budget)
        body = request_body(self._settings, request, "kept")
        left_out = tuple(tool for tool in request.native_tools if tool != "google_search")
        accumulator = AnthropicAccumulator(
            self._name, self._settings.model, secret(self._settings), budget.written, left_out=left_out
        )

        def fallback_body(refusal: LlmCallError) -> Body | None:
            """Thoughts are bound to all that was said before them, to the account, to the model: do without them."""
            reason = str(refusal)
            if refusal.kind != "invalid_request" or "signature" not in reason or "thinking" not in reason:
                return None
            nonlocal body
            without = request_body(self._settings, request, "left out")
            if without == body:
                return None
            body = without
            return without

        with refined_failures(accumulator.usage, request.tools):
            for pauses in range(1 + MOST_PAUSES):
                async with aclosing(stream_events(endpoint, body, fallback_body)) as stream:
                    async for event in stream:
                        for delta in accumulator.take(event) or [KEEPALIVE]:
                            yield delta
                        budget.check()
                        if accumulator.ended:
                            break
                # Only its own tools make it pause.
                if pauses == MOST_PAUSES or not (accumulator.paused and search_tool(request)):
                    break
                body = continue_body(request_body(self._settings, request, "kept"), accumulator.continue_paused())
            yield with_original_names(accumulator.answer(), request.tools)

    async def aclose(self) -> None:
        async with self._opening:
            if self._client is not None:
                await self._client.close()

    async def _opened(self) -> "AsyncAnthropic":
        key = api_key(self._settings, NAME, "ANTHROPIC_API_KEY")
        async with self._opening:
            if self._client is None:
                # The import takes seconds: in a thread, for this loop has heartbeats to send.
                self._client = await asyncio.to_thread(_open, self._settings.base_url or ADDRESS, key)
            return self._client

    def _endpoint(self, client: "AsyncAnthropic", budget: AnswerBudget) -> Endpoint:
        from anthropic import APIConnectionError, APIStatusError
        from httpx2 import HTTPError

        # The body goes whole, in our own words: it is ours to test, and other servers know fewer keys and more.
        return Endpoint(
            provider=self._name,
            ask=lambda body: client.messages.with_streaming_response.create(
                model=self._settings.model, max_tokens=MAX_TOKENS, messages=[], stream=True, extra_body=dict(body)
            ),
            status_error=APIStatusError,
            connection_error=APIConnectionError,
            broken=HTTPError,
            secret=secret(self._settings),
            budget=budget,
        )


def _open(address: str, key: str) -> "AsyncAnthropic":
    # Only who asks Claude pays for the import.
    from anthropic import AsyncAnthropic

    # Its spans could carry what is said, unmasked.
    return AsyncAnthropic(
        api_key=key, base_url=address, max_retries=0, http_client=http_client(address), open_telemetry=False
    )


PROVIDER = ProviderType(remote(AnthropicLlm), ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL", "anthropic")
