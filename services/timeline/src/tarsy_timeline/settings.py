"""Settings of this service."""

from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from tarsy_auth.loopback import is_loopback
from tarsy_service.settings.secret_files import SettingsWithSecretFiles, split_secrets
from tarsy_service.settings.service_settings import AskingSettings, MaskingSettings
from tarsy_service.settings.slack import SlackSettings
from tarsy_timeline.database.url import tls_mistakes

DEFAULT_SCHEMA = "tarsy"


class DatabaseSettings(SettingsWithSecretFiles):
    """Where the tables are: for the service, and for who migrates them."""

    database: SecretStr = Field(description="PostgreSQL, postgresql://USER:PASSWORD@HOST:PORT/NAME")
    database_schema: str = Field(
        DEFAULT_SCHEMA,
        pattern=r"^[a-z_][a-z0-9_]{0,40}$",
        description="the schema of all tables; a fresh one is a rebuild beside the live one",
    )

    @field_validator("database")
    @classmethod
    def _require_usable_tls(cls, value: SecretStr) -> SecretStr:
        if mistakes := list(tls_mistakes(value.get_secret_value())):
            raise ValueError("; ".join(mistakes))
        return value


class SlackDoorSettings(SlackSettings):
    """Settings of the door for clicks in Slack."""

    slack_signing_secrets: SecretStr = Field(
        SecretStr(""),
        description="the signing secret of the Slack app, which proves that a click comes from Slack; several with "
        "commas between them while one is replaced. Needed with `TARSY_SLACK_REVIEW_CHANNELS`, and only then",
    )
    slack_hooks_url: str = Field(
        "https://hooks.slack.com",
        description="where people who clicked are answered: no address that begins otherwise is ever asked",
    )

    @field_validator("slack_signing_secrets")
    @classmethod
    def _require_with_channels(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        if bool(split_secrets(value)) != bool(info.data.get("slack_review_channels", "").strip(" ,")):
            raise ValueError(
                "set it together with TARSY_SLACK_REVIEW_CHANNELS: one without the other lets nobody review"
            )
        return value

    @field_validator("slack_hooks_url")
    @classmethod
    def _require_private_way(cls, value: str) -> str:
        if not value.startswith("https://") and not is_loopback(value):
            raise ValueError("an https:// address: who reads an answer's address could answer, too")
        return value.rstrip("/")

    @property
    def slack_secrets(self) -> tuple[bytes, ...]:
        return split_secrets(self.slack_signing_secrets)


class TimelineSettings(DatabaseSettings, AskingSettings, MaskingSettings, SlackDoorSettings):
    raw_dead_letters: Literal["off", "on"] = Field(
        "off",
        description="`on` shows the raw, unmasked bytes of dead letters to operators, and to whoever reaches the API "
        "without `TARSY_AUTH_FILE`; `tarsy up` sets it where it listens on this machine alone",
    )
    publish_events: Literal["off", "on"] = Field(
        "on",
        description="`off` writes nothing to the public topic, `tarsy.events`; events that pass meanwhile are never "
        "published",
    )
    ingest_url: str = Field(
        "http://127.0.0.1:8080",
        description="where the ingest answers, which checks names of the configuration, and takes alerts that came "
        "over MCP",
    )
    database_connections: int = Field(10, ge=3, description="how many connections the service opens at most")
    wait_seconds: float = Field(5.0, gt=0, description="how long a request waits for the projection or for an answer")
