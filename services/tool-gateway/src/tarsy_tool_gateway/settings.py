"""Settings of the tool gateway."""

import re

from pydantic import Field, SecretStr, field_validator

from tarsy_service.settings.secret_files import SettingsWithSecretFiles
from tarsy_service.settings.service_settings import (
    SHORTEST_KEY_BYTES,
    ConfigSettings,
    DeadAfterSettings,
    MaskingSettings,
    OptionalKeySettings,
)

BETWEEN_KEYS = re.compile(r"[\s,]+")


class TokenKeySettings(SettingsWithSecretFiles):
    """Settings for processes that keep logins at MCP servers: the tool gateway, and `tarsy servers login`."""

    token_key: SecretStr = Field(
        SecretStr(""),
        description="the keys that encrypt logins at MCP servers, with commas between them: the first encrypts, all "
        "decrypt. Each at least 16 random bytes, such as `openssl rand -hex 32` writes; the same in every tool "
        "gateway and for `tarsy servers login`",
    )

    @field_validator("token_key")
    @classmethod
    def _require_each_hard_to_guess(cls, value: SecretStr) -> SecretStr:
        if any(len(key) < SHORTEST_KEY_BYTES for key in _split_keys(value)):
            raise ValueError(
                f"a key is shorter than {SHORTEST_KEY_BYTES} bytes: take one such as `openssl rand -hex 32` writes"
            )
        return value

    @property
    def token_keys(self) -> list[bytes]:
        """The first one encrypts."""
        return _split_keys(self.token_key)


def _split_keys(value: SecretStr) -> list[bytes]:
    parts = BETWEEN_KEYS.split(value.get_secret_value())
    return [part.encode(errors="surrogateescape") for part in parts if part]


class ToolGatewaySettings(ConfigSettings, DeadAfterSettings, MaskingSettings, OptionalKeySettings, TokenKeySettings):
    """Without a key where the timeline wants one, memory is unavailable, and all else goes on."""

    timeline_url: str = Field("http://127.0.0.1:8080", description="where the timeline's API answers")
    mcp_connect_seconds: float = Field(30.0, description="how long an MCP server may take to start and list its tools")
    mcp_ready_seconds: float = Field(
        10.0, description="how long a call waits for an MCP server that was tried, before it is unavailable"
    )
    mcp_sessions: int = Field(
        20,
        description="how many sessions are open at a time with one MCP server that has one for each investigation",
        ge=1,
    )
    mcp_session_idle_seconds: float = Field(
        600.0, description="after how long without a call such a session is closed", gt=0
    )
    tool_gateway_drain_seconds: float = Field(
        6.0, description="how long a stop waits for running calls that must not be made twice"
    )
