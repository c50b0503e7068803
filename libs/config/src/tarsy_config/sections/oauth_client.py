"""`transport.oauth`: the client as which the tool gateway gets tokens for an MCP server."""

import re
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from tarsy_config.values import Name, Section, wrong

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SCOPE = re.compile(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*")
"""As RFC 6749 has it."""


type Grant = Literal["client_credentials", "authorization_code"]
"""By its own secret, or by a person's consent, given once (`tarsy servers login`)."""


class OAuthClient(Section):
    """The secret goes to the authorization server with this issuer, and to nobody else.

    `client_authentication`: how it is sent there, in a header (basic) or in the body (post). Without a `scope`, the one
    that the server asks for. With the grant authorization_code a client without an id is registered at the login, and
    one without a secret is public.
    """

    grant: Grant = "client_credentials"
    issuer: Name
    client_id: Name | None = Field(None, validate_default=True)
    client_secret: SecretStr | None = Field(None, repr=False, validate_default=True)
    client_authentication: Literal["basic", "post"] = "basic"
    scope: Name | None = None

    @field_validator("issuer")
    @classmethod
    def _require_issuer(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            host = parts.hostname or ""
        except ValueError:
            raise wrong("is not an address", "write such as https://login.example.com/realms/sre") from None
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
            raise wrong("is not the address of an issuer", "write such as https://login.example.com/realms/sre")
        if parts.username is not None:
            raise wrong("holds a user or password", "write client_id and client_secret")
        if parts.scheme == "http" and host not in LOOPBACK:
            raise wrong("is http, which anybody on the way may answer", "write https, as this is not loopback")
        return value

    @field_validator("client_id")
    @classmethod
    def _require_client_id(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and info.data.get("grant") == "client_credentials":
            raise wrong("is missing", "add it, or write grant: authorization_code")
        return value

    @field_validator("client_secret")
    @classmethod
    def _require_secret(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is None:
            if info.data.get("grant") == "client_credentials":
                raise wrong("is missing", "add it, or write grant: authorization_code")
            return None
        if not value.get_secret_value():
            raise wrong("is empty", "give it a value, such as {{.MCP_CLIENT_SECRET}}")
        if "client_id" in info.data and info.data["client_id"] is None:
            raise wrong("is of no client", "add its client_id")
        return value

    @field_validator("scope")
    @classmethod
    def _require_scope(cls, value: str | None) -> str | None:
        if value is not None and not SCOPE.fullmatch(value):
            raise wrong("is not a scope", "write names with one space between them")
        return value
