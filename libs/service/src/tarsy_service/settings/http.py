"""HTTP settings of every service, and of the front door of `tarsy up`."""

import socket
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from tarsy_auth.loopback import is_loopback_host
from tarsy_service.access.allowed_hosts import NAME, is_address, parse_allowed_hosts
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.access.open_access import check_access
from tarsy_service.http.base_path import read_base_path
from tarsy_service.http.bounded_http import HttpLimits
from tarsy_service.settings.secret_files import SettingsWithSecretFiles

LIMITS = HttpLimits()


class HttpSettings(SettingsWithSecretFiles):
    http_host: str = Field("127.0.0.1", description="the address that the HTTP server listens on")
    http_port: int = Field(8080, description="the port that the HTTP server listens on")
    hosts: str = Field(
        "",
        description="a comma list of the names that TARSy is asked by, such as `tarsy.example.com` or `*.example.com`; "
        "another name in `Host` is answered with 421. Addresses, `localhost`, and the name that the server listens on "
        "need not be listed",
    )
    base_path: str = Field(
        "",
        description="the path below which TARSy has its addresses, such as `/tarsy` for https://ops.example/tarsy/, "
        "the same for every service; requests without it are answered, too, as a proxy may take it away",
    )
    allowed_origins: tuple[str, ...] = Field(
        (), description="JSON list of origins (https://HOST) whose pages may open the WebSocket, beside our own"
    )
    auth_file: str = Field(
        "",
        description="the file that names who may use TARSY, with which keys and tokens and in which role; without one "
        "nobody is authenticated, and a service listens on loopback only, unless `TARSY_OPEN_ACCESS` lets it",
    )
    open_access: Literal["no", "yes"] = Field(
        "no",
        description="`yes` lets a service listen on other addresses than loopback without `TARSY_AUTH_FILE`: whoever "
        "reaches the port may do everything. For an authenticating proxy before it, or a network of its own",
    )
    http_head_seconds: float = Field(
        LIMITS.head_seconds, gt=0, description="how long a client may take for the head of a request; then 408"
    )
    http_head_bytes: int = Field(
        LIMITS.head_bytes, ge=8 * 1024, description="how long the head of a request may be; a longer one is 431"
    )
    http_body_seconds: float = Field(
        LIMITS.body_seconds, gt=0, description="how long a client may take for the body of a request; then 408"
    )
    http_bodies_bytes: int = Field(
        LIMITS.bodies_bytes,
        ge=4 * 1024 * 1024,
        description="how many bytes the bodies of all requests under way may have together; above it those that are "
        "not whole yet are answered with 503",
    )
    http_connections: int = Field(
        LIMITS.connections,
        ge=1,
        description="how many HTTP connections one process keeps; above it the one that was idle for longest goes",
    )
    websocket_bytes: int = Field(
        LIMITS.websocket_bytes,
        ge=1024,
        description="how long a message of a WebSocket's client may be; a longer one closes it with 1009",
    )

    @field_validator("hosts")
    @classmethod
    def _require_host_names(cls, value: str) -> str:
        parse_allowed_hosts(value)
        return value

    @field_validator("base_path")
    @classmethod
    def _require_usable_path(cls, value: str) -> str:
        return read_base_path(value)

    @field_validator("auth_file")
    @classmethod
    def _require_usable_file(cls, value: str, info: ValidationInfo) -> str:
        # The mistake of a base path that cannot be one is told by itself.
        if value and "base_path" in info.data:
            # Here, as it imports cryptography, which a process that authenticates nobody does without.
            from tarsy_service.access.authentication import check_auth_file

            check_auth_file(Path(value), info.data["base_path"])
        return value

    @field_validator("open_access")
    @classmethod
    def _require_open_on_purpose(cls, value: str, info: ValidationInfo) -> str:
        # A validator of the whole model would not run where another field is wrong, and its mistake would come later.
        if "auth_file" in info.data:
            check_access(info.data["http_host"], auth_file=info.data["auth_file"], open_access=value)
        return value

    @property
    def is_open(self) -> bool:
        """Whether others than this machine may do everything."""
        return self.open_access == "yes" and not is_loopback_host(self.http_host)

    @property
    def http_policy(self) -> HttpPolicy:
        limits = HttpLimits(
            head_seconds=self.http_head_seconds,
            head_bytes=self.http_head_bytes,
            body_seconds=self.http_body_seconds,
            bodies_bytes=self.http_bodies_bytes,
            connections=self.http_connections,
            websocket_bytes=self.websocket_bytes,
        )
        hosts = parse_allowed_hosts(self.hosts).and_names(*names_of(self.http_host))
        if not self.auth_file:
            return HttpPolicy(hosts, self.allowed_origins, limits, base_path=self.base_path)
        # As above.
        from tarsy_service.access.authentication import LiveAuthentication

        live = LiveAuthentication(Path(self.auth_file), self.base_path)
        doors = (live.authenticate, live.webhooks, live.login)
        return HttpPolicy(hosts, self.allowed_origins, limits, *doors, self.base_path)


def names_of(http_host: str) -> tuple[str, ...]:
    """Names of a listener on an address. A listener on all addresses is also reached by the machine's name."""
    name = socket.gethostname() if http_host in ("0.0.0.0", "::") else http_host
    return (name.lower(),) if NAME.fullmatch(name.lower()) and not is_address(name) else ()
