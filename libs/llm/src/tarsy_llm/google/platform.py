"""Platforms that serve Gemini: Google's own API, or a cloud of Google's."""

from typing import TYPE_CHECKING, Protocol

from tarsy_llm.keys import api_key
from tarsy_llm.model_settings import ModelSettings

if TYPE_CHECKING:
    from google import genai
    from google.genai import types


class Platform(Protocol):
    """`api_version`: the one whose fields we send."""

    @property
    def api_version(self) -> str: ...

    async def secret(self) -> str:
        """The key or the token of one call. Raises LlmCallError."""
        ...

    def open_sdk(self, secret: str, options: "types.HttpOptions") -> "genai.Client": ...

    def renew(self, secret: str) -> None:
        """From now on calls go with this one."""
        ...


class GeminiApi:
    """ai.google.dev, with a key."""

    api_version = "v1beta"
    """Models and fields come there first, and gateways know it."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    async def secret(self) -> str:
        return api_key(self._settings, "Gemini", "GOOGLE_API_KEY or GEMINI_API_KEY")

    def open_sdk(self, secret: str, options: "types.HttpOptions") -> "genai.Client":
        from google import genai

        # Variables of the environment switch the SDK to Vertex AI unless told.
        return genai.Client(vertexai=False, api_key=secret, http_options=options)

    def renew(self, secret: str) -> None:
        """A key stays."""
