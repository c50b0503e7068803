"""Login cookie: the attempt of a login, kept by the browser between its beginning and its callback."""

from starlette.responses import Response

from tarsy_auth.login_attempt import LoginAttempt, read_attempt, write_attempt
from tarsy_service.session_cookie import RawHeaders, cookies_in

SECONDS = 600
SECURE_NAME = "__Host-tarsy-login"
LOOPBACK_NAME = "tarsy-login"


def attempt_in(headers: RawHeaders, *, secure: bool) -> LoginAttempt | None:
    """None without one that can be read."""
    found = [value for name, value in cookies_in(headers) if name == _name(secure)]
    return read_attempt(found[0]) if len(found) == 1 else None


def set_attempt(response: Response, attempt: LoginAttempt, *, secure: bool) -> None:
    # Lax: the provider, another site, sends the browser back. Names with `__Host-` need the path `/`; without one
    # a host below the same domain could put its own attempt here, and log somebody in as somebody else.
    response.set_cookie(
        _name(secure), write_attempt(attempt), max_age=SECONDS, secure=secure, httponly=True, samesite="lax"
    )


def clear_attempt(response: Response, *, secure: bool) -> None:
    response.delete_cookie(_name(secure), secure=secure, httponly=True, samesite="lax")


def _name(secure: bool) -> str:
    return SECURE_NAME if secure else LOOPBACK_NAME
