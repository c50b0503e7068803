"""Addresses of Kafka, PostgreSQL and HTTP, and the environment that gives them to the services."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tarsy_auth.loopback import is_loopback_host
from tarsy_bus.client.security import PLAINTEXT, KafkaSecurity
from tarsy_contracts.wire.topics import Topics
from tarsy_local.door_settings import HOSTS, door_settings, list_allowed_names
from tarsy_local.kept_keys import MASKING_KEY, TOKEN_KEY
from tarsy_local.own_kafka import own_kafka_environment
from tarsy_service.settings.http import HttpSettings
from tarsy_service.settings.kafka import SECURITY_VARIABLES

OWN_BROKER_TIMEOUTS = {"TARSY_GROUP_SESSION_TIMEOUT_MS": "3000"}
"""A stock broker refuses sessions below 6,000 ms, the services' default. Ours allows less, so that a dead owner is
replaced sooner.
"""
SECRET_FILES = ("TARSY_DATABASE_FILE", f"{MASKING_KEY.variable}_FILE", f"{TOKEN_KEY.variable}_FILE")
"""Services get the values themselves."""
HOST = "127.0.0.1"
AUTH_FILE = "TARSY_AUTH_FILE"
OPEN_ACCESS = "TARSY_OPEN_ACCESS"
REACHABLE = {"0.0.0.0": HOST, "::": "::1"}
"""The local address of a server that listens on all addresses."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """`own_broker` and `own_database` say that `tarsy up` has started them. The URL may hold a password.

    `masking_key`, `token_key`: see kept_keys.py. `http_host` is the address that the HTTP server, or the front door,
    listens on; with processes of their own, services listen on HOST. `base_path`: as `read_base_path` returns it.
    `kafka_password_file` is that of our own broker.
    """

    kafka: str
    database: str = field(repr=False)
    http_port: int
    config_dir: Path
    topic_prefix: str
    own_broker: bool
    own_database: bool
    masking_key: str = field(repr=False)
    token_key: str = field(repr=False)
    http_host: str = HOST
    base_path: str = ""
    kafka_security: KafkaSecurity = field(default=PLAINTEXT, repr=False)
    kafka_password_file: Path | None = None

    @property
    def http_url(self) -> str:
        """For clients on this machine."""
        return f"http://{self._reachable_address}{self.base_path}"

    @property
    def websocket_url(self) -> str:
        return f"ws://{self._reachable_address}{self.base_path}"

    @property
    def _reachable_address(self) -> str:
        return host_and_port(REACHABLE.get(self.http_host, self.http_host), self.http_port)

    def warnings(self, around: Mapping[str, str]) -> list[str]:
        """Sentences about who else may connect. `around` is the environment."""
        if is_loopback_host(self.http_host):
            return []
        if around.get(AUTH_FILE):
            return [
                f"Warning: TARSy listens on {self.http_host} without TLS: whoever is on the way reads keys and tokens. "
                "A proxy with TLS belongs in front of it"
            ]
        shown = socket.gethostname() if self.http_host in REACHABLE else self.http_host
        return [
            f"Warning: whoever reaches http://{host_and_port(shown, self.http_port)}/ may read, submit and cancel "
            f"everything: TARSy listens on {self.http_host}, and {OPEN_ACCESS}=yes lets everybody in"
        ]

    @property
    def topics(self) -> Topics:
        return Topics(self.topic_prefix)

    def http_settings(self, around: Mapping[str, str]) -> HttpSettings:
        return door_settings(self.http_host, self.base_path, around)

    def environment(self, around: Mapping[str, str]) -> dict[str, str]:
        """The settings that `tarsy up` knows better than whoever set the environment; group timeouts, a name, and
        who may read raw dead letters unless set. A variable that must not count is empty."""
        timeouts = OWN_BROKER_TIMEOUTS if self.own_broker else {}
        raw = "on" if is_loopback_host(self.http_host) else "off"
        own = {**timeouts, "TARSY_CLIENT": own_name(), "TARSY_RAW_DEAD_LETTERS": raw}
        unused = {*SECRET_FILES, *(SECURITY_VARIABLES if self.own_broker else ())}
        return {name: value for name, value in own.items() if name not in around} | {
            **{name: "" for name in unused if name in around},
            "TARSY_KAFKA": self.kafka,
            "TARSY_TOPIC_PREFIX": self.topic_prefix,
            "TARSY_DATABASE": self.database,
            "TARSY_TIMELINE_URL": self.http_url,
            "TARSY_INGEST_URL": self.http_url,
            "TARSY_HTTP_HOST": HOST,
            HOSTS: list_allowed_names(self.http_host, around),
            "TARSY_HTTP_PORT": str(self.http_port),
            "TARSY_BASE_PATH": self.base_path,
            "TARSY_CONFIG_DIR": str(self.config_dir),
            MASKING_KEY.variable: self.masking_key,
            TOKEN_KEY.variable: self.token_key,
            **(own_kafka_environment(self.kafka_password_file) if self.kafka_password_file is not None else {}),
        }


def own_name() -> str:
    """Names the one process, also when it is started again: its calls are then free at once (announcements)."""
    return f"{socket.gethostname()}-up"


def host_and_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
