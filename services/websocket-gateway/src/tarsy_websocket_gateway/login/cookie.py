"""Login cookie: the attempt of a login, kept by the browser between its beginning and its callback."""

from starlette.responses import Response
from starlette.types import Scope

from tarsy_auth.login_attempt import LoginAttempt, read_attempt, write_attempt
from tarsy_service.access.session_cookie import cookie_name, cookies_in
from tarsy_service.http.base_path import base_path_of

SECONDS = 600
NAME = "tarsy-login"


def attempt_in(scope: Scope, *, secure: bool) -> LoginAttempt | None:
    """None without one that can be read."""
    wanted = cookie_name(NAME, secure=secure, base_path=base_path_of(scope))
    found = [value for name, value in cookies_in(scope["headers"]) if name == wanted]
    return read_attempt(found[0]) if len(found) == 1 else None


def set_attempt(response: Response, attempt: LoginAttempt, *, secure: bool, base_path: str) -> None:
    # Lax: the provider, another site, sends the browser back. Names with `__Host-` need the path `/`. Without the
    # prefix, a host of the same domain could set its own attempt, and log a person in as another.
    name = cookie_name(NAME, secure=secure, base_path=base_path)
    written, path = write_attempt(attempt), base_path or "/"
    response.set_cookie(name, written, max_age=SECONDS, path=path, secure=secure, httponly=True, samesite="lax")


def clear_attempt(response: Response, *, secure: bool, base_path: str) -> None:
    name = cookie_name(NAME, secure=secure, base_path=base_path)
    response.delete_cookie(name, path=base_path or "/", secure=secure, httponly=True, samesite="lax")
