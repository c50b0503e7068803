"""Token exchange: the code of a login, or its refresh token, for an ID token, at the provider's token endpoint (RFC
6749, OpenID Connect); and the end of a refresh token (RFC 7009).

Clients of MCP servers are those of the MCP SDK. Authlib has clients for other HTTP libraries than ours only.
"""

import json
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from pydantic import JsonValue

from tarsy_auth.auth_config import LoginSettings
from tarsy_auth.errors import AuthError

FORM_REFUSED = (400, 401)
"""Statuses of an answer with an error code."""
ERROR_CODE = re.compile(r"[a-z_]{1,40}")
"""The form of all codes that are registered. Another text is the provider's, and is shown and logged nowhere."""
UNKNOWN_CODE = "unknown"


class NoIdTokenError(AuthError):
    """The provider gave none. `code` is its error code. The operator corrects the client there, or here."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """It holds secrets."""

    url: str
    form: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """`granted`: the body has tokens; otherwise it says why not."""

    granted: bool
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProviderTokens:
    """Not checked yet. `refresh_token` is None where the provider gave none."""

    id_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)


type Post = Callable[[TokenRequest], Awaitable[TokenAnswer]]
"""Ends by itself, and raises for any other answer."""


def token_request(settings: LoginSettings, code: str, verifier: str) -> TokenRequest:
    """A client with a secret shows it as RFC 6749 has it (`client_secret_basic`); another one only says who it is."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": settings.redirect_uri,
        "code_verifier": verifier,
    }
    return _request_of_client(settings, settings.token_endpoint, form)


def refresh_request(settings: LoginSettings, refresh_token: str) -> TokenRequest:
    return _request_of_client(
        settings, settings.token_endpoint, {"grant_type": "refresh_token", "refresh_token": refresh_token}
    )


def revocation_request(settings: LoginSettings, endpoint: str, refresh_token: str) -> TokenRequest:
    form = {"token": refresh_token, "token_type_hint": "refresh_token"}
    return _request_of_client(settings, endpoint, form)


def _request_of_client(settings: LoginSettings, url: str, form: Mapping[str, str]) -> TokenRequest:
    if settings.client_secret is None:
        return TokenRequest(url, {**form, "client_id": settings.client_id}, {})
    pair = f"{quote_plus(settings.client_id)}:{quote_plus(settings.client_secret.get_secret_value())}"
    return TokenRequest(url, form, {"authorization": f"Basic {b64encode(pair.encode()).decode()}"})


def tokens_in(answer: TokenAnswer) -> ProviderTokens:
    """Raises NoIdTokenError."""
    try:
        body: JsonValue = json.loads(answer.body)
    except (ValueError, RecursionError):
        body = None
    members = body if isinstance(body, dict) else {}
    if not answer.granted:
        raise NoIdTokenError(error_code(members.get("error")))
    token = members.get("id_token")
    if not isinstance(token, str):
        raise NoIdTokenError("no_id_token")
    refresh = members.get("refresh_token")
    return ProviderTokens(token, refresh if isinstance(refresh, str) and refresh else None)


def error_code(answer: JsonValue) -> str:
    """A code as the standards have them; UNKNOWN_CODE for anything else."""
    return answer if isinstance(answer, str) and ERROR_CODE.fullmatch(answer) else UNKNOWN_CODE
