"""Credentials of a request: `Authorization`, a subprotocol of a WebSocket, or the page's cookie; never the query."""

from starlette.types import Scope

from tarsy_service.access.session_cookie import SeveralCookiesError, session_token
from tarsy_service.errors import ServiceError

SUBPROTOCOL = "tarsy.v1"
TOKEN_SUBPROTOCOL = "tarsy.bearer."
"""The prefix of the token in a second subprotocol: a browser can set no header."""


class SeveralCredentialsError(ServiceError):
    """Which of them counts is not for us to choose. The caller sends one."""


def credential_of(scope: Scope) -> str | None:
    """As the value of `Authorization`. Raises SeveralCredentialsError."""
    found = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    offered: list[str] = scope.get("subprotocols", [])
    if SUBPROTOCOL in offered:
        tokens = [name.removeprefix(TOKEN_SUBPROTOCOL) for name in offered if name.startswith(TOKEN_SUBPROTOCOL)]
        found.extend(f"Bearer {token}" for token in tokens)
    if len(found) > 1:
        raise SeveralCredentialsError
    return found[0] if found else _cookie_credential(scope)


def _cookie_credential(scope: Scope) -> str | None:
    """A browser sends its cookie with everything: it counts only where nothing else was sent on purpose.

    Raises SeveralCredentialsError.
    """
    try:
        token = session_token(scope)
    except SeveralCookiesError as problem:
        raise SeveralCredentialsError from problem
    return None if token is None else f"Bearer {token}"


def subprotocol_of(scope: Scope) -> str | None:
    """The subprotocol to answer with: a browser that offers one wants one back, and a token is never repeated."""
    return SUBPROTOCOL if SUBPROTOCOL in scope["subprotocols"] else None


def bearer(key: str) -> dict[str, str]:
    """The header with which a key is sent; none without a key. Raises ValueError for what cannot be one."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("a key has ASCII letters, digits and signs only")
    return {"Authorization": f"Bearer {key}"} if key else {}
