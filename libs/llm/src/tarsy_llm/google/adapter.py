"""Gemini, through google-genai."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from tarsy_llm.keys import api_key
from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Answer, Delta, LlmRequest
from tarsy_llm.provider_type import ProviderType, remote

if TYPE_CHECKING:
    from tarsy_llm.google.sdk_connection import GoogleConnection


class GoogleLlm:
    """Nothing is opened, and no key looked for, before the first call."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._opening = asyncio.Lock()
        self._connection: GoogleConnection | None = None

    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        connection = await self._opened()
        async with aclosing(connection.stream(request)) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        async with self._opening:
            if self._connection is not None:
                await self._connection.aclose()

    async def _opened(self) -> "GoogleConnection":
        key = api_key(self._settings, "Gemini", "GOOGLE_API_KEY or GEMINI_API_KEY")
        async with self._opening:
            if self._connection is None:
                # The SDK takes most of a second to import: long enough to hold up every other call of this loop.
                self._connection = await asyncio.to_thread(_open, self._settings, key)
            return self._connection


def _open(settings: ModelSettings, key: str) -> "GoogleConnection":
    # Only who asks Gemini pays for the import of its SDK (0.7 s, 50 MB).
    from tarsy_llm.google.sdk_connection import GoogleConnection

    return GoogleConnection(settings, key)


PROVIDER = ProviderType(remote(GoogleLlm), ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL", "gcp.gemini")
