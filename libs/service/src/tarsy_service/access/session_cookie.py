"""Session cookie: the ID token of the person who logged in at the page. JavaScript cannot read it, other sites cannot
send it.

With https its name begins with `__Host-`: browsers let no other host, such as one below the same domain, set it. Such a
cookie goes to every path of its host. Below a base path it is for that path alone, or others on the host would get it,
and its name begins with `__Secure-`. Plain http is for loopback only, and so is the name that it has there.
"""

import re
from collections.abc import Iterator, Sequence

from starlette.responses import Response
from starlette.types import Scope

from tarsy_auth.loopback import is_loopback_host
from tarsy_service.access.allowed_hosts import authority_of
from tarsy_service.errors import ServiceError
from tarsy_service.http.base_path import base_path_of

NAME = "tarsy"
MOST_BYTES = 4_000
"""Limit of name and value. Browsers keep 4,096 with the attributes, and drop what is longer without a word."""
REFRESH_NAME = "tarsy-refresh"
REFRESH_SECONDS = 30 * 24 * 3600
"""The provider ends a login, most of them sooner."""
JWT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
"""The form of a token. An API key has no dots: it never counts from a cookie."""

type RawHeaders = Sequence[tuple[bytes, bytes]]


class SeveralCookiesError(ServiceError):
    """The request has two session cookies of one name, set for different paths. The caller removes them."""


class CookieTooLargeError(ServiceError):
    """The browser would not keep it. The operator makes the provider put less into its ID tokens."""


def session_token(scope: Scope) -> str | None:
    """None without a cookie that counts. Raises SeveralCookiesError."""
    headers, base_path = scope["headers"], base_path_of(scope)
    cookies = list(cookies_in(headers))
    for secure in (True, False) if _asks_loopback(headers) else (True,):
        name = cookie_name(NAME, secure=secure, base_path=base_path)
        found = [value for one, value in cookies if one == name]
        if len(found) > 1:
            raise SeveralCookiesError
        if found and JWT.fullmatch(found[0]):
            return found[0]
    return None


def cookie_name(name: str, *, secure: bool, base_path: str) -> str:
    if not secure:
        return name
    return f"__Secure-{name}" if base_path else f"__Host-{name}"


def cookies_in(headers: RawHeaders) -> Iterator[tuple[str, str]]:
    """Name and value of each cookie, as the browser sent them."""
    for header, value in headers:
        if header == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                name, equals, content = pair.strip().partition("=")
                if equals:
                    yield name, content


def set_session(response: Response, token: str, *, seconds: int, secure: bool, base_path: str) -> None:
    """Raises CookieTooLargeError."""
    name = cookie_name(NAME, secure=secure, base_path=base_path)
    if (size := len(name) + 1 + len(token)) > MOST_BYTES:
        raise CookieTooLargeError(
            f"The provider's ID token makes a cookie of {size} bytes, and browsers keep {MOST_BYTES}. "
            "It has to hold less, for example fewer groups."
        )
    path = base_path or "/"
    response.set_cookie(name, token, max_age=seconds, path=path, secure=secure, httponly=True, samesite="strict")


def refresh_in(scope: Scope, *, secure: bool) -> str | None:
    """The sealed refresh token; None without one, or with several."""
    name = cookie_name(REFRESH_NAME, secure=secure, base_path=base_path_of(scope))
    found = [value for one, value in cookies_in(scope["headers"]) if one == name]
    return found[0] if len(found) == 1 else None


def set_refresh(response: Response, sealed: str, *, secure: bool, base_path: str) -> None:
    """Raises CookieTooLargeError."""
    name = cookie_name(REFRESH_NAME, secure=secure, base_path=base_path)
    if (size := len(name) + 1 + len(sealed)) > MOST_BYTES:
        raise CookieTooLargeError(
            f"The provider's refresh token makes a cookie of {size} bytes, and browsers keep {MOST_BYTES}."
        )
    path = base_path or "/"
    response.set_cookie(
        name, sealed, max_age=REFRESH_SECONDS, path=path, secure=secure, httponly=True, samesite="strict"
    )


def clear_sessions(response: Response, base_path: str) -> None:
    """Under both names: how the browser came in is not known."""
    for secure in (True, False):
        for name in (NAME, REFRESH_NAME):
            written = cookie_name(name, secure=secure, base_path=base_path)
            response.delete_cookie(written, path=base_path or "/", secure=secure, httponly=True, samesite="strict")


def _asks_loopback(headers: RawHeaders) -> bool:
    requested = [authority_of(value.decode("latin-1")) for name, value in headers if name == b"host"]
    names = [one.name for one in requested if one is not None]
    return len(names) == 1 and (is_loopback_host(names[0]) or names[0].endswith(".localhost"))
