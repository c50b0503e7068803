"""Token exchange: the code of a login for an ID token, at the provider's token endpoint (RFC 6749, OpenID Connect)."""

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
    if settings.client_secret is None:
        return TokenRequest(settings.token_endpoint, {**form, "client_id": settings.client_id}, {})
    pair = f"{quote_plus(settings.client_id)}:{quote_plus(settings.client_secret.get_secret_value())}"
    return TokenRequest(settings.token_endpoint, form, {"authorization": f"Basic {b64encode(pair.encode()).decode()}"})


def id_token_in(answer: TokenAnswer) -> str:
    """Not checked yet. Raises NoIdTokenError."""
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
    return token


def error_code(said: JsonValue) -> str:
    """A code as the standards have them; UNKNOWN_CODE for anything else."""
    return said if isinstance(said, str) and ERROR_CODE.fullmatch(said) else UNKNOWN_CODE
