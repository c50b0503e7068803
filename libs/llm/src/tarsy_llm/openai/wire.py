"""Request body of OpenAI's chat completions."""

from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic_core import to_json

from tarsy_contracts.conversation import ToolDefinition
from tarsy_llm.http.endpoint import Body
from tarsy_llm.model_settings import ModelSettings, Thinking
from tarsy_llm.openai.form import RequestForm
from tarsy_llm.openai.messages import list_messages
from tarsy_llm.openai.web_search import search_options
from tarsy_llm.protocol import LlmRequest
from tarsy_llm.tool_schemas import schema_for_provider

EFFORT: dict[Thinking, str] = {"off": "none", "low": "low", "medium": "medium", "high": "high"}

OPENAI_HOSTS = (".openai.com", ".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")


def first_form(settings: ModelSettings) -> RequestForm:
    """OpenAI's reasoning models refuse the old key, and many servers know no other. A refusal teaches better."""
    return RequestForm("max_completion_tokens" if _is_openai(settings.base_url) else "max_tokens")


def request_body(settings: ModelSettings, request: LlmRequest) -> dict[str, JsonValue]:
    messages = list[JsonValue](list_messages(request.conversation))
    return {**request_head(settings, request), "messages": messages}


def request_head(settings: ModelSettings, request: LlmRequest, form: RequestForm | None = None) -> dict[str, JsonValue]:
    """The body without its messages.

    OpenAI caches what begins like an earlier request: nothing here depends on how far the conversation is.

    developers.openai.com/api/docs/guides/prompt-caching
    """
    body: dict[str, JsonValue] = {
        "model": settings.model,
        "stream": True,
        "stream_options": {"include_usage": True},
        **_tools(settings, request),
        **search_options(request),
    }
    form = form or first_form(settings)
    most = settings.output_limit(request.answer_tokens)
    if most is not None or form.most_output is not None:
        body[form.limit_key] = min(limit for limit in (most, form.most_output) if limit is not None)
    if settings.thinking is not None:
        body["reasoning_effort"] = EFFORT[settings.thinking]
    return {key: value for key, value in body.items() if key not in form.without}


def encode_body(head: Body, messages: bytes) -> bytes:
    """`messages`: the JSON of their list."""
    return to_json(head)[:-1] + b',"messages":' + messages + b"}"


def _is_openai(base_url: str | None) -> bool:
    host = urlsplit(base_url or "https://api.openai.com").hostname or ""
    return host.endswith(OPENAI_HOSTS)


def _tools(settings: ModelSettings, request: LlmRequest) -> dict[str, JsonValue]:
    """Some servers do not know that tools may be forbidden: they are not shown any when none may be called."""
    if not request.tools or (request.is_last and not _is_openai(settings.base_url)):
        return {}
    tools: dict[str, JsonValue] = {"tools": [_tool(tool) for tool in request.tools]}
    return {**tools, "tool_choice": "none"} if request.is_last else tools


def _tool(tool: ToolDefinition) -> JsonValue:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": schema_for_provider(tool),
        },
    }
