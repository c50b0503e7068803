"""Session cookie: the ID token of whoever logged in at the page. JavaScript cannot read it, other sites cannot send it.

With https its name begins with `__Host-`: browsers let no other host, such as one below the same domain, set it. Plain
http is for loopback only, and so is the name that it has there.
"""

import re
from collections.abc import Iterator, Sequence

from starlette.responses import Response

from tarsy_auth.loopback import is_loopback_host
from tarsy_service.allowed_hosts import authority_of
from tarsy_service.errors import ServiceError

SECURE_NAME = "__Host-tarsy"
LOOPBACK_NAME = "tarsy"
MOST_BYTES = 4_000
"""Limit of name and value. Browsers keep 4,096 with the attributes, and drop what is longer without a word."""
JWT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""The form of a token. An API key has no dots: it never counts from a cookie."""

type RawHeaders = Sequence[tuple[bytes, bytes]]


class SeveralCookiesError(ServiceError):
    """The request has two session cookies of one name, set for different paths. The caller removes them."""


class CookieTooLargeError(ServiceError):
    """The browser would not keep it. The operator makes the provider put less into its ID tokens."""


def session_token(headers: RawHeaders) -> str | None:
    """None without a cookie that counts. Raises SeveralCookiesError."""
    cookies = list(cookies_in(headers))
    names = (SECURE_NAME, LOOPBACK_NAME) if _asks_loopback(headers) else (SECURE_NAME,)
    for name in names:
        found = [value for one, value in cookies if one == name]
        if len(found) > 1:
            raise SeveralCookiesError
        if found and JWT.fullmatch(found[0]):
            return found[0]
    return None


def cookies_in(headers: RawHeaders) -> Iterator[tuple[str, str]]:
    """Name and value of each cookie, as the browser sent them."""
    for header, value in headers:
        if header == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                name, equals, content = pair.strip().partition("=")
                if equals:
                    yield name, content


def set_session(response: Response, token: str, *, seconds: int, secure: bool) -> None:
    """Raises CookieTooLargeError."""
    name = SECURE_NAME if secure else LOOPBACK_NAME
    if (size := len(name) + 1 + len(token)) > MOST_BYTES:
        raise CookieTooLargeError(
            f"The provider's ID token makes a cookie of {size} bytes, and browsers keep {MOST_BYTES}. "
            "It has to hold less, such as fewer groups."
        )
    response.set_cookie(name, token, max_age=seconds, secure=secure, httponly=True, samesite="strict")


def clear_sessions(response: Response) -> None:
    """Under both names: how the browser came in is not known."""
    for name, secure in ((SECURE_NAME, True), (LOOPBACK_NAME, False)):
        response.delete_cookie(name, secure=secure, httponly=True, samesite="strict")


def _asks_loopback(headers: RawHeaders) -> bool:
    asked = [authority_of(value.decode("latin-1")) for name, value in headers if name == b"host"]
    names = [one.name for one in asked if one is not None]
    return len(names) == 1 and (is_loopback_host(names[0]) or names[0].endswith(".localhost"))
