"""`transport`: how an MCP server is started, or reached."""

import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from tarsy_config.templates import KEPT
from tarsy_config.values import Name, Seconds, Section, later, wrong

STDIO_KEYS = ("command", "args", "env")
HTTP_KEYS = ("url", "headers", "bearer_token", "verify_ssl", "ca_file")
REQUIRED = {"stdio": "command", "http": "url"}
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")


class Transport(Section):
    """What may hold secrets is not in the repr: arguments and environment, the address, headers, the token.

    `ca_file` stands for the CAs that are trusted otherwise, not beside them. `timeout`: seconds that a single request
    to the server may take, when it is to be less than `limits.tool_call`.

    One section for all types, so that every mistake is told at its own key: pydantic gives up at the first member of a
    union that does not fit, or tells of all of them.
    """

    type: Literal["stdio", "http"]
    command: Name | None = Field(None, validate_default=True)
    args: tuple[str, ...] = Field((), repr=False)
    env: dict[str, SecretStr] = Field(default_factory=dict, repr=False)
    url: Name | None = Field(None, repr=False, validate_default=True)
    headers: dict[Name, SecretStr] = Field(default_factory=dict, repr=False)
    bearer_token: SecretStr | None = Field(None, repr=False)
    verify_ssl: bool = True
    ca_file: Path | None = None
    timeout: Seconds | None = None

    @model_validator(mode="before")
    @classmethod
    def _word_of_go_tarsy(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "custom_headers" not in value or "headers" in value:
            return value
        return {"headers" if key == "custom_headers" else key: inside for key, inside in value.items()}

    @field_validator("type", mode="before")
    @classmethod
    def _known_type(cls, value: Any) -> Any:
        if value == "sse":
            raise later("the transport sse", "use http or stdio")
        return value

    @field_validator(*STDIO_KEYS, *HTTP_KEYS, mode="before")
    @classmethod
    def _key_of_this_type(cls, value: Any, info: ValidationInfo) -> Any:
        kind = info.data.get("type")
        owner = "stdio" if info.field_name in STDIO_KEYS else "http"
        if kind is None or value is None:
            return value
        if kind != owner:
            raise wrong(f"is a key of {owner} transports", f"remove it, or write type: {owner}")
        return value

    @field_validator(*REQUIRED.values())
    @classmethod
    def _is_there(cls, value: str | None, info: ValidationInfo) -> str | None:
        kind = info.data.get("type")
        if value is None and kind is not None and REQUIRED[kind] == info.field_name:
            raise wrong("is missing", "add it")
        return value

    @field_validator("url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        parts = _parts(value) if value is not None else None
        if parts is None:
            return value
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise wrong("is not the address of an HTTP server", "write such as https://HOST/mcp")
        if parts.username is not None:
            raise wrong("holds a user or password", "send it with headers or bearer_token")
        return value

    @field_validator("headers")
    @classmethod
    def _sendable(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, text in value.items():
            if HEADER_NAME.fullmatch(name) is None:
                raise wrong("holds what cannot be the name of a header", "use letters, digits and -")
            _check_header_value(text, name)
        return value

    @field_validator("bearer_token")
    @classmethod
    def _one_authorization(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is None:
            return None
        _check_header_value(value, None)
        if any(name.lower() == "authorization" for name in info.data.get("headers", {})):
            raise wrong("says a second time what headers says with Authorization", "keep one of them")
        return value

    @field_validator("ca_file")
    @classmethod
    def _usable_ca(cls, value: Path | None, info: ValidationInfo) -> Path | None:
        if value is None:
            return None
        if not value.is_absolute():
            raise wrong("is not a whole path", "write it from the root, such as /etc/ssl/own-ca.pem")
        if info.data.get("verify_ssl") is False:
            raise wrong("has no effect beside verify_ssl: false", "remove one of them")
        url = info.data.get("url")
        if url is not None and urlsplit(url).scheme == "http":
            raise wrong("has no effect with an http address", "write https in url, or remove it")
        return value


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for what is no number
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def _check_header_value(value: SecretStr, name: str | None) -> None:
    """`name`: of the header that is meant, where there are several."""
    text = value.get_secret_value()
    if f".{KEPT}}}}}" in text.replace(" ", ""):
        raise later(f"{{{{.{KEPT}}}}} in what is sent to servers", "write a fixed value", key=name)
    if not text:
        raise wrong("is empty", "give it a value, or remove it", key=name)
    if HEADER_VALUE.fullmatch(text) is None:
        raise wrong("holds what no header can carry", "use printable ASCII characters, without blanks around", key=name)
