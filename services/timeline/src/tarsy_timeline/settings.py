"""Settings of this service."""

from pydantic import Field, SecretStr

from tarsy_service.settings import MaskingSettings

DEFAULT_SCHEMA = "tarsy"


class TimelineSettings(MaskingSettings):
    database: SecretStr = Field(description="PostgreSQL, postgresql://USER:PASSWORD@HOST:PORT/NAME")
    database_schema: str = Field(
        DEFAULT_SCHEMA,
        pattern=r"^[a-z_][a-z0-9_]{0,40}$",
        description="the schema of all tables; a fresh one is a rebuild beside the live one",
    )
    database_connections: int = Field(10, ge=3, description="how many connections the service opens at most")
    wait_seconds: float = Field(5.0, gt=0, description="how long a request waits for the projection or for an answer")
