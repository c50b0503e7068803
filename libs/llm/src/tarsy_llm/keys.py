"""The key that goes to a provider."""

from tarsy_llm.protocol import LlmError
from tarsy_llm.remote import RemoteModel

NO_KEY = "no-key"
"""For a server of one's own: its SDK wants to send something."""


def api_key(remote: RemoteModel, provider: str, variable: str) -> str:
    """Raises LlmError."""
    key = remote.api_key.get_secret_value().strip() if remote.api_key else ""
    if not key and remote.base_url is None:
        raise LlmError(f"there is no API key for {provider}: set {variable}", kind="credentials")
    if not (key.isascii() and key.isprintable()):
        raise LlmError(f"the API key for {provider} holds characters that no header can carry", kind="credentials")
    return key or NO_KEY


def secret(remote: RemoteModel) -> str | None:
    """What no sentence may hold."""
    return (remote.api_key.get_secret_value().strip() if remote.api_key else None) or None
