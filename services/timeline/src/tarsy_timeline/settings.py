"""Settings of this service."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from tarsy_service.settings.secret_files import SettingsWithSecretFiles
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


class TimelineSettings(DatabaseSettings, AskingSettings, MaskingSettings, SlackSettings):
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
