"""Gemini, through google-genai."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_llm.google.platform import GeminiApi, Platform
from tarsy_llm.http.shared_connection import SharedConnection
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Answer, Delta, LlmRequest
from tarsy_llm.provider_type import ProviderType, remote

if TYPE_CHECKING:
    from tarsy_llm.google.sdk_connection import GoogleConnection


class GoogleLlm:
    """Nothing is opened, and no key looked for, before the first call."""

    def __init__(self, settings: ModelSettings, platform: Platform | None = None) -> None:
        self._settings = settings
        self._platform = platform or GeminiApi(settings)
        self._shared = SharedConnection(_close)

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        secret = await self._platform.secret()
        connection = await self._opened(secret)
        async with aclosing(connection.stream(request, secret)) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        await self._shared.aclose()

    async def _opened(self, secret: str) -> "GoogleConnection":
        # The SDK takes most of a second to import: long enough to hold up every other call of this loop.
        return await self._shared.get(lambda: asyncio.to_thread(_open, self._settings, self._platform, secret))


async def _close(connection: "GoogleConnection") -> None:
    await connection.aclose()


def _open(settings: ModelSettings, platform: Platform, secret: str) -> "GoogleConnection":
    # Only who asks Gemini pays for the import of its SDK (0.7 s, 50 MB).
    from tarsy_llm.google.sdk_connection import GoogleConnection

    return GoogleConnection(settings, platform, secret)


PROVIDER = ProviderType(
    remote(GoogleLlm),
    ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "GOOGLE_GEMINI_BASE_URL",
    "gcp.gemini",
    native_tools=lambda _model: NATIVE_TOOLS,
)
