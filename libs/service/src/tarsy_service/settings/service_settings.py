"""Settings that every service has. Each service adds its own in a subclass; all come from `TARSY_*`."""

import os
import socket
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator

from tarsy_egress.authorities import read_authorities
from tarsy_service.access.credentials import bearer
from tarsy_service.settings.http import HttpSettings
from tarsy_service.settings.kafka import KafkaConnectionSettings
from tarsy_service.settings.secret_files import variable_of

SHORTEST_KEY_BYTES = 16
"""A shorter key could be guessed, and with it the secrets that placeholders stand for."""


def mistakes_in_settings(problem: ValidationError) -> list[str]:
    """A line for each variable that is wrong, without its value."""
    rows = problem.errors(include_url=False, include_input=False)
    return [f"{variable_of('_'.join(str(part) for part in row['loc']))}: {row['msg']}" for row in rows]


def default_client() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


class ServiceSettings(HttpSettings, KafkaConnectionSettings):
    """One class a service; `docs/reference/settings.md` is generated from the descriptions."""

    topic_prefix: str = Field("tarsy", description="the prefix of the names of all topics")
    group_session_timeout_ms: int = Field(
        6_000,
        description="after how long a silent member of a consumer group is replaced; brokers refuse less than 6000",
    )
    group_heartbeat_ms: int = Field(1_000, description="how often a member of a consumer group shows that it lives")
    client: str = Field(default_factory=default_client, description="the name of the process in logs and at Kafka")
    ca_file: str = Field(
        "",
        description="a PEM file with certificate authorities that are trusted beside those of the system by whatever "
        "this process asks over TLS (models, MCP servers, runbooks, receivers, the OpenID provider, traces, Kafka), "
        "and by the MCP servers that it starts; read at the start",
    )
    config_dir: Path = Field(Path("config"), description="the folder that holds tarsy.yaml")
    front_door: str = Field(
        "",
        description="the Unix socket of a front door on the same machine, which passes connections to this process; "
        "`tarsy up --processes` sets it",
    )
    niceness: int = Field(
        0,
        description="by how much the priority of the process is lower than that of who starts it; during a flood of "
        "alerts `tarsy up --processes` gives 10 to services that investigate, so that accepting does not wait for them",
        ge=0,
        le=19,
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    otlp_endpoint: str = Field(
        "", description="where traces are sent: the base address of an OTLP/HTTP collector, such as http://HOST:4318"
    )
    trace_ratio: float = Field(1.0, description="which part of the sessions is traced", ge=0, le=1)
    trace_reads: bool = Field(
        False,
        description="whether the trace has a span each time that an event is projected (`project`) and shown (`show`)",
    )
    shutdown_seconds: float = Field(15.0, description="how long a stop may take before what still runs is abandoned")

    @field_validator("ca_file")
    @classmethod
    def _require_certificates(cls, value: str) -> str:
        if value:
            read_authorities(value)
        return value


class ConfigSettings(ServiceSettings):
    """Settings of services that run by tarsy.yaml."""

    config_poll_seconds: float = Field(
        5.0,
        description="how often a service looks whether tarsy.yaml has changed; a change holds after two looks. "
        "0 for never",
        ge=0,
        le=30,
    )


class DeadAfterSettings(ServiceSettings):
    """Settings of services that judge which workers are dead, and of workers that must stop before they are."""

    dead_after_seconds: float = Field(
        8.0,
        description="how many seconds of announcements of a worker may be missing before its calls are taken from it; "
        "the same for all services",
        ge=4,
    )


class OptionalKeySettings(ServiceSettings):
    """Settings of services that go on without what they ask others over HTTP."""

    api_key: SecretStr = Field(
        SecretStr(""),
        description="the key with which a service asks others over HTTP where TARSY_AUTH_FILE is set, of the role "
        "service. The command sends the one of its own environment",
    )

    @field_validator("api_key")
    @classmethod
    def _require_sendable_key(cls, value: SecretStr) -> SecretStr:
        key = SecretStr(value.get_secret_value().strip())
        bearer(key.get_secret_value())
        return key

    @property
    def asking_headers(self) -> dict[str, str]:
        """For each request to another service."""
        return bearer(self.api_key.get_secret_value())


class AskingSettings(OptionalKeySettings):
    """Settings of services that ask other services over HTTP."""

    @field_validator("api_key")
    @classmethod
    def _require_with_authentication(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        if info.data.get("auth_file") and not value.get_secret_value():
            raise ValueError("with TARSY_AUTH_FILE this service needs a key of the role service, to ask other services")
        return value


class MaskingSettings(ServiceSettings):
    """Settings of services that mask what comes from outside."""

    masking_key: SecretStr = Field(
        SecretStr(""),
        description="the key of placeholders: with the same one in every service that masks, a secret gets the same "
        "digits everywhere in a session; without one, placeholders have no digits. At least 16 random bytes, such as "
        "`openssl rand -hex 32` writes",
    )

    masking_most_findings: int = Field(
        200_000,
        ge=1_000,
        description="of a text with more secrets than this the end is redacted: each costs 0.1 ms and a kilobyte",
    )

    @field_validator("masking_key")
    @classmethod
    def _require_hard_to_guess(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value().strip()
        if key and len(_to_raw_bytes(key)) < SHORTEST_KEY_BYTES:
            raise ValueError(
                f"the key is shorter than {SHORTEST_KEY_BYTES} bytes: take one such as `openssl rand -hex 32` writes, "
                "or none"
            )
        return SecretStr(key)

    @property
    def masking_key_bytes(self) -> bytes | None:
        """For the masker."""
        return _to_raw_bytes(self.masking_key.get_secret_value()) or None


def _to_raw_bytes(key: str) -> bytes:
    """The raw values of the environment, text or not."""
    return key.encode(errors="surrogateescape")
