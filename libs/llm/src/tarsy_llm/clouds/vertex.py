"""Vertex AI of Google Cloud: Gemini through Google's SDK, and Claude, whose messages it wraps.

docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import quote

from tarsy_contracts.chain import NATIVE_TOOLS, NativeTool
from tarsy_llm.anthropic.adapter import AnthropicLlm
from tarsy_llm.clouds.cloud_server import CloudServer
from tarsy_llm.credentials.cache import CredentialCache
from tarsy_llm.credentials.google_cloud import google_tokens
from tarsy_llm.credentials.permits import HeaderPermit, Permit
from tarsy_llm.credentials.renewal import RenewingLlm
from tarsy_llm.google.adapter import GoogleLlm
from tarsy_llm.http.endpoint import Body
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.native_tools import WEB_SEARCH, part_native_tools
from tarsy_llm.protocol import Answer, Delta, Llm, LlmRequest
from tarsy_llm.provider_type import ProviderType, remote

if TYPE_CHECKING:
    from google import genai
    from google.genai import types
    from google.oauth2.credentials import Credentials

CLAUDE = "Claude on Vertex AI"
ANTHROPIC_VERSION = "vertex-2023-10-16"
SEARCH_TOOL = "web_search_20250305"
MULTI_REGIONS = ("us", "eu")


def vertex_llm(settings: ModelSettings) -> Llm:
    tokens = google_tokens(settings.cloud.get("credentials", ""))
    if "claude" in settings.model:
        return RenewingLlm(_claude(settings, tokens), tokens)
    return RenewingLlm(_GeminiOnVertex(settings, VertexPlatform(settings, tokens)), tokens)


def _claude(settings: ModelSettings, tokens: CredentialCache[str]) -> AnthropicLlm:
    async def permit() -> Permit:
        token = await tokens.current()
        return HeaderPermit(token, token)

    server = CloudServer(
        CLAUDE, claude_address(settings), permit, _wrapped, native_tools=WEB_SEARCH, headers=_search_header
    )
    return AnthropicLlm(settings, server)


def claude_address(settings: ModelSettings) -> str:
    project, location = settings.cloud.get("project", ""), settings.cloud.get("location", "")
    host = (settings.base_url or _host(location)).rstrip("/")
    model = quote(settings.model, safe="@")
    return (
        f"{host}/v1/projects/{quote(project)}/locations/{quote(location)}"
        f"/publishers/anthropic/models/{model}:streamRawPredict"
    )


def _host(location: str) -> str:
    if location == "global":
        return "https://aiplatform.googleapis.com"
    if location in MULTI_REGIONS:
        return f"https://aiplatform.{location}.rep.googleapis.com"
    return f"https://{location}-aiplatform.googleapis.com"


def _wrapped(body: Body) -> Body:
    """The address names the model."""
    return {"anthropic_version": ANTHROPIC_VERSION, **{key: value for key, value in body.items() if key != "model"}}


def _search_header(body: Body) -> Mapping[str, str]:
    """Vertex AI knows the tool only with this word, and not every endpoint takes the word without the tool.

    docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/web-search
    """
    tools = body.get("tools")
    kinds = [one.get("type") for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []
    return {"anthropic-beta": "web-search-2025-03-05"} if SEARCH_TOOL in kinds else {}


class VertexPlatform:
    """The platform of Gemini's adapter. The SDK is given our tokens: its own would be fetched within a call."""

    api_version = "v1beta1"

    def __init__(self, settings: ModelSettings, tokens: CredentialCache[str]) -> None:
        self._settings = settings
        self._tokens = tokens
        self._credentials: Credentials | None = None

    async def secret(self) -> str:
        return await self._tokens.current()

    def open_sdk(self, secret: str, options: "types.HttpOptions") -> "genai.Client":
        from google import genai
        from google.oauth2.credentials import Credentials

        self._credentials = Credentials(token=secret)  # type: ignore[no-untyped-call]
        return genai.Client(
            vertexai=True,
            credentials=self._credentials,
            project=self._settings.cloud.get("project"),
            location=self._settings.cloud.get("location"),
            http_options=options,
        )

    def renew(self, secret: str) -> None:
        if self._credentials is not None:
            self._credentials.token = secret


class _GeminiOnVertex(GoogleLlm):
    """Vertex AI does not take Gemini's own tools together with functions: those of the agent's work go first."""

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        taken = () if request.tools else request.native_tools
        request, left_out = part_native_tools(request, taken)
        async with aclosing(super().stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Answer) and left_out:
                    part = part.model_copy(update={"native_left_out": left_out})
                yield part


def _native_tools(model: str) -> tuple[NativeTool, ...]:
    return WEB_SEARCH if "claude" in model else NATIVE_TOOLS


PROVIDER = ProviderType(
    remote(vertex_llm),
    otel_name="gcp.vertex_ai",
    options={
        "project": ("GOOGLE_CLOUD_PROJECT",),
        "location": ("GOOGLE_CLOUD_LOCATION",),
        "credentials": ("GOOGLE_APPLICATION_CREDENTIALS",),
    },
    required=("project", "location"),
    native_tools=_native_tools,
)
