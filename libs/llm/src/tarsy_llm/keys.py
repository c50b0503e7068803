"""API keys of providers."""

from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import LlmCallError

NO_KEY = "no-key"
"""For a server of one's own: its SDK wants to send something."""


def api_key(settings: ModelSettings, provider: str, variable: str) -> str:
    """Raises LlmCallError."""
    key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
    if not key and settings.base_url is None:
        raise LlmCallError(f"there is no API key for {provider}: set {variable}", kind="credentials")
    if not (key.isascii() and key.isprintable()):
        raise LlmCallError(f"the API key for {provider} holds characters that no header can carry", kind="credentials")
    return key or NO_KEY


def secret(settings: ModelSettings) -> str | None:
    """The key, which no message may hold."""
    return (settings.api_key.get_secret_value().strip() if settings.api_key else None) or None
