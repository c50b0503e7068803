"""Anthropic's Claude, and servers that speak its messages."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from tarsy_contracts.chain import NativeTool
from tarsy_llm.anthropic.accumulator import AnthropicAccumulator
from tarsy_llm.anthropic.sdk_server import SdkServer
from tarsy_llm.anthropic.web_search import MOST_PAUSES, search_tool
from tarsy_llm.anthropic.wire import continue_body, output_limit, request_body
from tarsy_llm.failures import refined_failures
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Body, Endpoint, stream_events
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.native_tools import WEB_SEARCH, part_native_tools
from tarsy_llm.protocol import KEEPALIVE, Answer, Delta, LlmCallError, LlmRequest
from tarsy_llm.provider_type import ProviderType, remote
from tarsy_llm.tool_schemas import with_original_names


class MessagesServer(Protocol):
    """Where messages are asked for. `name` is for sentences. `native_tools`: Claude's own that it takes."""

    @property
    def name(self) -> str: ...

    @property
    def native_tools(self) -> tuple[NativeTool, ...]: ...

    async def open_endpoint(self, budget: AnswerBudget) -> Endpoint:
        """Takes bodies of Anthropic's messages, and has their events. Raises LlmCallError."""
        ...

    async def aclose(self) -> None: ...


class AnthropicLlm:
    """An `Llm`. Without a server it asks Anthropic, or who is at `base_url`."""

    def __init__(self, settings: ModelSettings, server: MessagesServer | None = None) -> None:
        self._settings = settings
        self._server = server or SdkServer(settings)
        self._name = self._server.name

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        budget = AnswerBudget(self._name, output_limit(self._settings, request))
        endpoint = await self._server.open_endpoint(budget)
        request, left_out = part_native_tools(request, self._server.native_tools)
        body = request_body(self._settings, request, "kept")
        accumulator = AnthropicAccumulator(
            self._name, self._settings.model, endpoint.secret, budget.written, left_out=left_out
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
        await self._server.aclose()


PROVIDER = ProviderType(
    remote(AnthropicLlm),
    ("ANTHROPIC_API_KEY",),
    "ANTHROPIC_BASE_URL",
    "anthropic",
    native_tools=lambda _model: WEB_SEARCH,
)
