"""Renewal of the page's login, and its end: what becomes of the cookies of a person who has logged in."""

from collections.abc import Callable
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tarsy_auth.identity import Identity
from tarsy_auth.login import LoggedIn, Login, LoginFailedError, LoginFailure
from tarsy_service.access.denial_log import DenialLog
from tarsy_service.access.page_login import login_of
from tarsy_service.access.session_cookie import (
    CookieTooLargeError,
    SeveralCookiesError,
    clear_sessions,
    refresh_in,
    session_token,
    set_refresh,
    set_session,
)
from tarsy_service.http.base_path import base_path_of
from tarsy_service.http.problems import problem_response
from tarsy_websocket_gateway.login.failure import STATUSES
from tarsy_websocket_gateway.login.records import LoginRecords

TROUBLE: frozenset[LoginFailure] = frozenset({"unavailable", "provider"})
RETRY_AFTER_SECONDS = 5
NOTHING_TO_RENEW = "There is no login to renew. Log in again."

log = structlog.get_logger(__name__)

type FoundLogin = Annotated[Login | None, Depends(login_of)]


def renewal_routes(failures: DenialLog, records: LoginRecords, now: Callable[[], float]) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.post("/login/renew")
    async def renew(request: Request, login: FoundLogin) -> Response:
        """New cookies in place of those that end. A login that the provider ended is logged out here, too."""
        sealed = refresh_of(request, login)
        if login is None or sealed is None:
            return problem_response(401, "Unauthorized", NOTHING_TO_RENEW)
        try:
            renewed = await login.renew(sealed)
            response = Response(status_code=204)
            set_cookies(response, login, renewed, now, base_path_of(request.scope))
        except LoginFailedError as problem:
            failures.write(problem.failure, {"detail": problem.detail})
            await records.record_refusal(request, problem)
            response = _not_renewed_response(problem, base_path_of(request.scope))
        except CookieTooLargeError as problem:
            failures.write("too_large", {"detail": str(problem)})
            response = problem_response(502, "Bad Gateway", str(problem))
        return response

    @router.post("/logout")
    async def end(request: Request, login: FoundLogin) -> Response:
        """The cookies go. The ID token counts elsewhere until it ends, as every token does; the refresh token is
        revoked where the provider takes it back."""
        if login is not None:
            await records.record_logout(request, await _identify_caller(request, login))
            await _revoke_token(request, login, failures)
        response = Response(status_code=204)
        clear_sessions(response, base_path_of(request.scope))
        return response

    return router


def refresh_of(request: Request, login: Login | None) -> str | None:
    return None if login is None else refresh_in(request.scope, secure=login.settings.is_secure)


def set_cookies(
    response: Response, login: Login, logged_in: LoggedIn, now: Callable[[], float], base_path: str
) -> None:
    """Raises CookieTooLargeError."""
    secure = login.settings.is_secure
    set_session(response, logged_in.token, seconds=_seconds_left(logged_in, now), secure=secure, base_path=base_path)
    if logged_in.refresh is None:
        return
    try:
        set_refresh(response, logged_in.refresh, secure=secure, base_path=base_path)
    except CookieTooLargeError as problem:
        # The login is one all the same, until its ID token ends.
        log.warning("login.not_renewable", reason=str(problem))


async def _identify_caller(request: Request, login: Login) -> Identity | None:
    try:
        token = session_token(request.scope)
    except SeveralCookiesError:
        return None
    return None if token is None else await login.who(token)


async def _revoke_token(request: Request, login: Login, failures: DenialLog) -> None:
    """Best effort: the cookies go in any case."""
    sealed = refresh_of(request, login)
    if sealed is None:
        return
    try:
        await login.revoke(sealed)
    except LoginFailedError as problem:
        failures.write(problem.failure, {"detail": problem.detail})


def _not_renewed_response(problem: LoginFailedError, base_path: str) -> Response:
    """A refusal of the person ends the login. Trouble at the provider does not."""
    status = STATUSES[problem.failure]
    if problem.failure in TROUBLE:
        response = problem_response(status, "Not renewed", str(problem))
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    response = problem_response(401, "Unauthorized", str(problem))
    clear_sessions(response, base_path)
    return response


def _seconds_left(logged_in: LoggedIn, now: Callable[[], float]) -> int:
    """Lasts until the token expires."""
    ends = logged_in.identity.expires_at
    return max(0, int(ends - now())) if ends is not None else 0
