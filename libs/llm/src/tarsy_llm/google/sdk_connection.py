"""The way to Gemini: the SDK, its HTTP client, and the end of both. Imports the SDK."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import cast

import httpx2
from google.genai import types

from tarsy_llm.failures import refined_failures
from tarsy_llm.google.answer import GatheredAnswer
from tarsy_llm.google.contents import ContentMaker
from tarsy_llm.google.failures import FAILURES, error_of
from tarsy_llm.google.platform import Platform
from tarsy_llm.google.request import config_of, native_of
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.http_client import http_client
from tarsy_llm.http.httpx_bodies import drop_comments, filter_body
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Answer, Delta, ErrorKind, LlmCallError, LlmRequest
from tarsy_llm.tool_schemas import with_original_names


@dataclass(frozen=True, slots=True)
class _Exchange:
    """The responses of one call, the budget of its answer, and what no sentence may hold."""

    budget: AnswerBudget
    secret: str = field(repr=False)
    responses: list[httpx2.Response] = field(default_factory=list)


_exchange: ContextVar[_Exchange] = ContextVar("_exchange")


class GoogleConnection:
    def __init__(self, settings: ModelSettings, platform: Platform, secret: str) -> None:
        self._settings = settings
        self._platform = platform
        self._contents = ContentMaker(settings.model)
        self._http = http_client(settings.base_url)
        self._http.event_hooks = {"request": [self._limit], "response": [*self._http.event_hooks["response"], _note]}
        # Without retry options it never retries.
        options = types.HttpOptions(
            base_url=settings.base_url, api_version=platform.api_version, httpx_async_client=self._http
        )
        self._sdk = platform.open_sdk(secret, options)

    async def stream(self, request: LlmRequest, secret: str) -> AsyncGenerator[Delta | Answer]:
        self._platform.renew(secret)
        exchange = _Exchange(AnswerBudget("Gemini", self._settings.output_limit(request.answer_tokens)), secret)
        native = native_of(request, self._settings.model)
        left_out = tuple(tool for tool in request.native_tools if tool not in native)
        answer = GatheredAnswer(self._settings.model, exchange.budget.written, left_out)
        with refined_failures(answer.usage, request.tools):
            async with aclosing(self._chunks(request, exchange)) as chunks:
                async for chunk in chunks:
                    for delta in answer.take(chunk):
                        yield delta
                    exchange.budget.check()
            yield with_original_names(answer.whole(), request.tools)

    async def aclose(self) -> None:
        self._sdk.close()
        await self._sdk.aio.aclose()
        await self._http.aclose()

    async def _chunks(self, request: LlmRequest, exchange: _Exchange) -> AsyncGenerator[types.GenerateContentResponse]:
        """Closes the response itself: of the SDK's nested generators, each leaves the next to the garbage collector."""
        _exchange.set(exchange)
        stream = await self._sdk.aio.models.generate_content_stream(
            model=self._settings.model,
            contents=cast(types.ContentListUnion, self._contents.make(request)),
            config=config_of(request, self._settings),
        )
        otherwise: ErrorKind = "provider_error"
        try:
            while (chunk := await self._next(stream, otherwise, exchange.secret)) is not None:
                otherwise = "cut_off"
                yield chunk
        finally:
            for response in exchange.responses:
                await response.aclose()

    async def _next(
        self, stream: AsyncIterator[types.GenerateContentResponse], otherwise: ErrorKind, secret: str
    ) -> types.GenerateContentResponse | None:
        try:
            return await anext(stream, None)
        except FAILURES as problem:
            raise error_of(problem, otherwise=otherwise, key=secret) from None

    async def _limit(self, request: httpx2.Request) -> None:
        """The SDK says "no limit" with each request, where it was told none of its own.

        Nothing comes compressed: 2 MB on the wire could be 2 GB of answer.
        """
        request.extensions["timeout"] = self._http.timeout.as_dict()
        request.headers["accept-encoding"] = "identity"


async def _note(response: httpx2.Response) -> None:
    exchange = _exchange.get()
    exchange.responses.append(response)
    if not response.is_success:
        return
    if response.headers.get("content-encoding", "identity") != "identity":
        raise LlmCallError("Gemini sent a compressed answer, and was asked for none", kind="provider_error")
    filter_body(response, exchange.budget.count_bytes)
    filter_body(response, drop_comments)
