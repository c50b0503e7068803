"""`transport`: how an MCP server is started, or reached."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from tarsy_config.document.templates import KEPT, names_session
from tarsy_config.sections.oauth_client import OAuthClient
from tarsy_config.values import Name, Seconds, Section, wrong

type Protocol = Literal["auto", "legacy", "modern"]
"""Sessions with a handshake (until 2025-11-25), or none (since 2026-07-28); `auto` asks the server."""

STDIO_KEYS = ("command", "args", "env", "inherit", "cwd")
HTTP_KEYS = ("url", "headers", "bearer_token", "oauth", "verify_ssl", "ca_file", "session_cleanup_url")
REQUIRED = {"stdio": "command", "http": "url", "sse": "url"}
INHERITED = ("PATH", "HOME")
"""Without these npx and uvx find neither their own programs nor what they downloaded before."""
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HOST_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")


class Transport(Section):
    """The repr leaves out all that may hold secrets: arguments, environment, addresses, headers, the token.

    `inherit`: the variables of the tool gateway that the program gets beside `env`; it gets no others but
    proxies and authorities. `ca_file` stands for the CAs that are trusted otherwise, not beside them. `timeout`:
    seconds that a single request to the server may take, when it is to be less than `limits.tool_call`.
    `session_cleanup_url` gets a DELETE at the end of a session.

    One section serves all types, so that each mistake is reported at its own key. With a union, pydantic reports the
    first member or all members.
    """

    type: Literal["stdio", "http", "sse"]
    protocol: Protocol = "auto"
    command: Name | None = Field(None, validate_default=True)
    args: tuple[str, ...] = Field((), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict, repr=False)
    inherit: tuple[Name, ...] = INHERITED
    cwd: Path | None = None
    url: Name | None = Field(None, repr=False, validate_default=True)
    headers: dict[Name, SecretStr] = Field(default_factory=dict, repr=False)
    bearer_token: SecretStr | None = Field(None, repr=False)
    oauth: OAuthClient | None = Field(None, repr=False)
    verify_ssl: bool = True
    ca_file: Path | None = None
    session_cleanup_url: Name | None = Field(None, repr=False)
    timeout: Seconds | None = None

    @property
    def names_session(self) -> bool:
        """Whether something in it is another for each investigation."""
        return any(names_session(text) for text in self._secret_texts())

    def _secret_texts(self) -> Iterator[str]:
        yield from self.args
        yield from (value.get_secret_value() for value in (*self.env.values(), *self.headers.values()))
        yield self.bearer_token.get_secret_value() if self.bearer_token is not None else ""
        yield self.session_cleanup_url or ""

    @model_validator(mode="before")
    @classmethod
    def _rename_go_tarsy_type(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "custom_headers" not in value or "headers" in value:
            return value
        return {"headers" if key == "custom_headers" else key: inside for key, inside in value.items()}

    @field_validator("protocol")
    @classmethod
    def _require_protocol_of_type(cls, value: Protocol, info: ValidationInfo) -> Protocol:
        if value == "modern" and info.data.get("type") == "sse":
            raise wrong("is newer than the transport sse", "remove it, or write type: http")
        return value

    @field_validator(*STDIO_KEYS, *HTTP_KEYS, mode="before")
    @classmethod
    def _require_key_of_type(cls, value: Any, info: ValidationInfo) -> Any:
        kind = info.data.get("type")
        if kind is None or value is None:
            return value
        if info.field_name in STDIO_KEYS and kind != "stdio":
            raise wrong("is a key of stdio transports", "remove it, or write type: stdio")
        if info.field_name in HTTP_KEYS and kind == "stdio":
            raise wrong("is a key of http and sse transports", "remove it, or write type: http")
        return value

    @field_validator(*REQUIRED.values())
    @classmethod
    def _require_present(cls, value: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("type")
        if value is None and kind is not None and REQUIRED[kind] == info.field_name:
            raise wrong("is missing", "add it")
        return value

    @field_validator("command", "url", "cwd")
    @classmethod
    def _require_same_for_all(cls, value: Any) -> Any:
        if value is not None and names_session(str(value)):
            where = "headers, bearer_token, session_cleanup_url, args or env"
            raise wrong(f"cannot hold {{{{.{KEPT}}}}}", f"give the session's id with {where}")
        return value

    @field_validator("inherit")
    @classmethod
    def _require_variable_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(VARIABLE_NAME.fullmatch(name) for name in value):
            raise wrong("holds what cannot be the name of a variable", "write names such as LANG, without values")
        return value

    @field_validator("cwd", "ca_file")
    @classmethod
    def _require_whole_path(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        if value is not None and not value.is_absolute():
            example = {"cwd": "/var/lib/tools", "ca_file": "/etc/ssl/own-ca.pem"}[str(info.field_name)]
            raise wrong("is not a whole path", f"write it from the root, such as {example}")
        return value

    @field_validator("url", "session_cleanup_url")
    @classmethod
    def _require_address(cls, value: str | None) -> str | None:
        parts = _split_url(value) if value is not None else None
        if parts is None:
            return value
        if parts.scheme not in ("http", "https") or not _is_host(parts.hostname or ""):
            raise wrong("is not the address of an HTTP server", "write such as https://HOST/mcp")
        if parts.username is not None:
            raise wrong("holds a user or password", "send it with headers or bearer_token")
        return value

    @field_validator("headers")
    @classmethod
    def _require_sendable(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, text in value.items():
            if HEADER_NAME.fullmatch(name) is None:
                raise wrong("holds what cannot be the name of a header", "use letters, digits and -")
            _check_header_value(text, name)
        return value

    @field_validator("bearer_token")
    @classmethod
    def _require_one_authorization(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is None:
            return None
        _check_header_value(value, None)
        if any(name.lower() == "authorization" for name in info.data.get("headers", {})):
            raise wrong("repeats what headers says with Authorization", "keep one of them")
        return value

    @field_validator("oauth")
    @classmethod
    def _require_one_credential(cls, value: OAuthClient | None, info: ValidationInfo) -> OAuthClient | None:
        if value is None:
            return None
        given = [name for name in info.data.get("headers", {}) if name.lower() == "authorization"]
        if given or info.data.get("bearer_token") is not None:
            other = "headers says with Authorization" if given else "bearer_token says"
            raise wrong(f"repeats what {other}", "keep one of them")
        return value

    @field_validator("ca_file")
    @classmethod
    def _require_usable_ca(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        if value is None:
            return None
        if info.data.get("verify_ssl") is False:
            raise wrong("has no effect beside verify_ssl: false", "remove one of them")
        url = info.data.get("url")
        if url is not None and urlsplit(url).scheme == "http":
            raise wrong("has no effect with an http address", "write https in url, or remove it")
        return value


def _split_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for what is no number
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def _is_host(name: str) -> bool:
    """An address, or what DNS can carry. Nobody would look up anything else, and ask and ask."""
    try:
        ascii = name.encode("idna").decode()
        if ":" in name:
            ip_address(name.partition("%")[0])
            return True
    except ValueError:
        return False
    return len(ascii) <= 253 and all(HOST_LABEL.fullmatch(label) for label in ascii.removesuffix(".").split("."))


def _check_header_value(value: SecretStr, name: str | None) -> None:
    """`name`: of the header that is meant, where there are several."""
    text = value.get_secret_value()
    if not text:
        raise wrong("is empty", "give it a value, or remove it", key=name)
    if HEADER_VALUE.fullmatch(text) is None:
        raise wrong("holds what no header can carry", "use printable ASCII characters, without blanks around", key=name)
