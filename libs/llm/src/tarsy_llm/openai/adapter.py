"""OpenAI, and all that speak its chat completions: xAI, vLLM, Ollama, llama.cpp, LiteLLM, OpenRouter ...

Thoughts that a server leaves in its text (`<think>` tags) are taken out of it. The form of a
request is learned from its refusals, and the request is made again (form.py).
"""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import structlog
from pydantic_core import to_json

from tarsy_contracts.chain import NativeTool
from tarsy_llm.credentials.permits import AskPermit, HeaderPermit, Permit
from tarsy_llm.failures import refined_failures
from tarsy_llm.http.answer_budget import AnswerBudget
from tarsy_llm.http.endpoint import Body, Endpoint, stream_events
from tarsy_llm.http.server_client import ServerClient
from tarsy_llm.http.streaming_client import AnswerStream, StreamingClient
from tarsy_llm.keys import api_key
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.native_tools import part_native_tools
from tarsy_llm.openai.chunks import DONE, OpenAiAccumulator
from tarsy_llm.openai.form import changes, learn_form
from tarsy_llm.openai.messages import MessageEncoder, list_messages
from tarsy_llm.openai.strict_roles import alternate_roles
from tarsy_llm.openai.web_search import native_tools_of
from tarsy_llm.openai.wire import encode_body, first_form, request_head
from tarsy_llm.protocol import KEEPALIVE, Answer, Delta, LlmCallError, LlmRequest
from tarsy_llm.provider_type import NativeToolsOf, ProviderType, no_native_tools, remote
from tarsy_llm.tool_schemas import with_original_names

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class House:
    """The company that is asked where no `base_url` is given. `variable` is where its key is looked for."""

    name: str
    address: str
    variable: str
    native_tools: NativeToolsOf = no_native_tools


@dataclass(frozen=True, slots=True)
class CompletionsServer:
    """`name` is for sentences. `headers` go with each request, beside those of its permit.

    `native_tools`: the model's own that the server takes.
    """

    name: str
    address: str
    permit: AskPermit
    headers: Mapping[str, str] = field(default_factory=dict)
    native_tools: tuple[NativeTool, ...] = ()


MOST_TOOLS = 128
"""OpenAI and most servers like it take so many: developers.openai.com/api/reference, tools."""

OPENAI = House("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", native_tools_of)
XAI = House("xAI", "https://api.x.ai/v1", "XAI_API_KEY")
SENT = {"accept": "application/json", "content-type": "application/json", "user-agent": "tarsy"}
ORGANISATION = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}
"""Variables that users of OpenAI set for every program, and the headers that they become."""


def house_server(settings: ModelSettings, house: House) -> CompletionsServer:
    """The house itself, or whoever is at `base_url`: it is taken as it is, with its `/v1` where the server has one."""
    own = settings.base_url is None

    async def permit() -> Permit:
        key = api_key(settings, house.name, house.variable)
        return HeaderPermit(key, key)

    return CompletionsServer(
        name=house.name if own else f"the model server {urlsplit(settings.base_url or '').hostname}",
        address=f"{(settings.base_url or house.address).rstrip('/')}/chat/completions",
        permit=permit,
        headers={header: os.environ[name] for name, header in ORGANISATION.items() if os.environ.get(name)},
        native_tools=house.native_tools(settings.model),
    )


class OpenAiLlm:
    """An `Llm`. Without a server it asks OpenAI, or who is at `base_url`."""

    def __init__(self, settings: ModelSettings, server: CompletionsServer | None = None) -> None:
        self._settings = settings
        self._asked = server or house_server(settings, OPENAI)
        self._name = self._asked.name
        self._client = ServerClient(self._asked.name, self._asked.address)
        self._server = f"{self._asked.address} {settings.model}"
        self._messages = MessageEncoder(server=self._server)
        self._form = first_form(settings)

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        permit = await self._asked.permit()
        if len(request.tools) > MOST_TOOLS:
            raise self._too_many_tools()
        budget = AnswerBudget(self._name, self._settings.output_limit(request.answer_tokens))
        endpoint = self._endpoint(await self._client.open(), permit, request, budget)
        request, left_out = part_native_tools(request, self._asked.native_tools)
        accumulator = OpenAiAccumulator(
            self._name,
            self._settings.model,
            endpoint.secret,
            budget.written,
            server=self._server,
            left_out=left_out,
        )

        def fallback_body(refusal: LlmCallError) -> Body | None:
            learned = learn_form(self._form, str(refusal)) if refusal.kind == "invalid_request" else None
            if learned is None:
                return None
            log.info(
                "llm.form_learned",
                provider=self._name,
                model=self._settings.model,
                learned=changes(self._form, learned),
            )
            self._form = learned
            return request_head(self._settings, request, self._form)

        head = request_head(self._settings, request, self._form)
        with refined_failures(accumulator.usage, request.tools):
            async with aclosing(stream_events(endpoint, head, fallback_body)) as stream:
                try:
                    async for event in stream:
                        if event.data.strip() == DONE:
                            accumulator.end()
                            break
                        for delta in accumulator.take(event) or [KEEPALIVE]:
                            yield delta
                        budget.check()
                except LlmCallError as problem:
                    # Some servers hang up without ado when they have said all.
                    if not accumulator.finished or problem.kind == "answer_too_long":
                        raise
            yield with_original_names(accumulator.answer(), request.tools)

    def _too_many_tools(self) -> LlmCallError:
        problem = LlmCallError(f"{self._name} takes at most {MOST_TOOLS} tools", kind="tools_refused")
        problem.most_tools = MOST_TOOLS
        return problem

    def _encode(self, request: LlmRequest) -> bytes:
        if not (self._form.strict_roles or self._form.signed):
            return self._messages.encode(request.conversation, request.conversation_id)
        messages = list_messages(request.conversation, self._server, signed=self._form.signed)
        return to_json(alternate_roles(messages) if self._form.strict_roles else messages)

    async def aclose(self) -> None:
        await self._client.aclose()

    def _endpoint(self, client: StreamingClient, permit: Permit, request: LlmRequest, budget: AnswerBudget) -> Endpoint:
        def ask(head: Body) -> AbstractAsyncContextManager[AnswerStream]:
            body = encode_body(head, self._encode(request))
            sent = {**SENT, **self._asked.headers}
            return client.asking({**sent, **permit.headers(self._asked.address, sent, body)}, body)

        return self._client.endpoint(ask, permit.secret, budget)


PROVIDER = ProviderType(
    remote(OpenAiLlm), (OPENAI.variable,), "OPENAI_BASE_URL", "openai", native_tools=OPENAI.native_tools
)
XAI_PROVIDER = ProviderType(
    remote(lambda settings: OpenAiLlm(settings, house_server(settings, XAI))), (XAI.variable,), otel_name="x_ai"
)
