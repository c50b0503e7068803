"""OpenAI, and all that speak its chat completions: xAI, vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter ...

Thoughts that a server leaves in its text (`<think>` tags) stay text: let the server separate the two (vLLM:
`--reasoning-parser`).
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from urllib.parse import urlsplit

from tarsy_llm.answer_budget import AnswerBudget
from tarsy_llm.endpoint import Body, Endpoint, stream_events
from tarsy_llm.keys import api_key, secret
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.openai_chunks import DONE, OpenAiAccumulator
from tarsy_llm.openai_http import BrokenOffError, HttpStatusError, OpenAiHttp, UnreachedError, headers, open_http
from tarsy_llm.openai_messages import MessageEncoder
from tarsy_llm.openai_wire import encode_body, request_head
from tarsy_llm.protocol import KEEPALIVE, Answer, Delta, LlmCallError, LlmRequest, failing_with_usage
from tarsy_llm.provider_type import ProviderType, remote


@dataclass(frozen=True, slots=True)
class House:
    """The company that is asked where no `base_url` is given. `variable` is where its key is looked for."""

    name: str
    address: str
    variable: str


OPENAI = House("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY")
XAI = House("xAI", "https://api.x.ai/v1", "XAI_API_KEY")


class OpenAiLlm:
    """An `Llm`. `base_url` is taken as it is, with its `/v1` where the server has one."""

    def __init__(self, settings: ModelSettings, house: House = OPENAI) -> None:
        self._settings = settings
        self._house = house
        self._name = (
            house.name if settings.base_url is None else f"the model server {urlsplit(settings.base_url).hostname}"
        )
        self._opening = asyncio.Lock()
        self._address = f"{(settings.base_url or house.address).rstrip('/')}/chat/completions"
        self._http: OpenAiHttp | None = None
        self._messages = MessageEncoder()

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        key = api_key(self._settings, self._house.name, self._house.variable)
        messages = self._messages.encode(request.conversation, request.conversation_id)
        budget = AnswerBudget(self._name, self._settings.output_limit(request.answer_tokens))
        endpoint = self._endpoint(await self._opened(), key, messages, budget)
        head = request_head(self._settings, request)
        accumulator = OpenAiAccumulator(self._name, self._settings.model, secret(self._settings), budget.written)

        def fallback_body(refusal: LlmCallError) -> Body | None:
            if refusal.kind != "invalid_request" or "stream_options" not in str(refusal):
                return None
            return {key: value for key, value in head.items() if key != "stream_options"}

        with failing_with_usage(accumulator.usage):
            async with aclosing(stream_events(endpoint, head, fallback_body)) as stream:
                try:
                    async for event in stream:
                        if event.data == DONE:
                            break
                        for delta in accumulator.take(event) or [KEEPALIVE]:
                            yield delta
                        budget.check()
                except LlmCallError as problem:
                    # Some servers hang up without ado when they have said all.
                    if not accumulator.finished or problem.kind == "answer_too_long":
                        raise
            yield accumulator.answer()

    async def aclose(self) -> None:
        async with self._opening:
            if self._http is not None:
                await self._http.aclose()

    async def _opened(self) -> OpenAiHttp:
        async with self._opening:
            if self._http is None:
                self._http = await open_http(self._address)
            return self._http

    def _endpoint(self, http: OpenAiHttp, key: str, messages: bytes, budget: AnswerBudget) -> Endpoint:
        said = headers(key, os.environ)
        return Endpoint(
            provider=self._name,
            ask=lambda head: http.asking(said, encode_body(head, messages)),
            status_error=HttpStatusError,
            connection_error=UnreachedError,
            broken=BrokenOffError,
            secret=secret(self._settings),
            budget=budget,
        )


PROVIDER = ProviderType(remote(OpenAiLlm), (OPENAI.variable,), "OPENAI_BASE_URL", "openai")
XAI_PROVIDER = ProviderType(remote(lambda settings: OpenAiLlm(settings, XAI)), (XAI.variable,), otel_name="x_ai")
