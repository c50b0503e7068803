"""Login of the page: to the provider and back, and the end of it."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from tarsy_auth.auth_config import CALLBACK_PATH
from tarsy_auth.login import Callback, Login, LoginFailedError
from tarsy_auth.login_attempt import LoginAttempt
from tarsy_auth.return_path import HOME
from tarsy_service.access.denial_log import DenialLog
from tarsy_service.access.session_cookie import CookieTooLargeError
from tarsy_service.http.base_path import base_path_of, without_base_path
from tarsy_websocket_gateway.errors import LoginNotRecordedError
from tarsy_websocket_gateway.login.cookie import attempt_in, clear_attempt, set_attempt
from tarsy_websocket_gateway.login.failure import STATUSES, failure_page
from tarsy_websocket_gateway.login.records import LoginRecords
from tarsy_websocket_gateway.login.renewal import FoundLogin, refresh_of, renewal_routes, set_cookies

SEE_OTHER = 303
NOT_CONFIGURED = "Nobody can log in here: the file of TARSY_AUTH_FILE has no section `login`."

log = structlog.get_logger(__name__)

type Parameter = Annotated[str, Query(max_length=4_000)]


def _parse_callback(
    state: Parameter = "", code: Parameter = "", error: Parameter = "", iss: Parameter = ""
) -> Callback:
    """Providers add parameters of their own, which count for nothing."""
    return Callback(state, code, error, iss)


def login_routes(
    version: str, records: LoginRecords, now: Callable[[], float], monotonic: Callable[[], float]
) -> APIRouter:
    """`version`: that of the page's assets."""
    router, failures = APIRouter(include_in_schema=False), DenialLog("login.failed", monotonic)

    @router.get("/login")
    async def begin(request: Request, login: FoundLogin, to: str = "/") -> Response:
        base_path = base_path_of(request.scope)
        if login is None:
            return failure_page(404, NOT_CONFIGURED, version=version, base_path=base_path)
        attempt, address = login.begin(without_base_path(to, base_path))
        response = RedirectResponse(address, SEE_OTHER)
        set_attempt(response, attempt, secure=login.settings.is_secure, base_path=base_path)
        return response

    @router.get("/login/available")
    async def available(request: Request, login: FoundLogin) -> dict[str, bool]:
        """For the page, before anybody is known. `renewable`: this browser's login can be renewed."""
        return {"available": login is not None, "renewable": refresh_of(request, login) is not None}

    @router.get("/login/callback")
    async def finish(
        request: Request, login: FoundLogin, callback: Annotated[Callback, Depends(_parse_callback)]
    ) -> Response:
        base_path = base_path_of(request.scope)
        failed = partial(failure_page, version=version, base_path=base_path)
        if login is None:
            return failed(404, NOT_CONFIGURED)
        secure = login.settings.is_secure
        attempt = attempt_in(request.scope, secure=secure)
        try:
            if attempt is None:
                raise LoginFailedError("attempt", "no cookie")
            logged_in = await login.finish(attempt, callback)
            await records.record_login(request, logged_in.identity)
            response: Response = RedirectResponse(f"{base_path}{attempt.to}", SEE_OTHER)
            set_cookies(response, login, logged_in, now, base_path)
            log.info("login.succeeded", credential=logged_in.identity.credential)
        except LoginFailedError as problem:
            failures.write(problem.failure, {"detail": problem.detail})
            await records.record_refusal(request, problem)
            sentence = f"{problem}{_explain_login_address(login)}" if problem.failure == "attempt" else str(problem)
            response = failed(STATUSES[problem.failure], sentence, to=_address_to_return_to(attempt))
        except LoginNotRecordedError as problem:
            response = failed(503, str(problem), to=_address_to_return_to(attempt))
        except CookieTooLargeError as problem:
            failures.write("too_large", {"detail": str(problem)})
            response = failed(502, str(problem), to=_address_to_return_to(attempt))
        # It counts once, however it ends.
        clear_attempt(response, secure=secure, base_path=base_path)
        return response

    router.include_router(renewal_routes(failures, records, now))
    return router


def _address_to_return_to(attempt: LoginAttempt | None) -> str:
    return HOME if attempt is None else attempt.to


def _explain_login_address(login: Login) -> str:
    """A cookie is for one name: that of the address at which the provider lets the login end."""
    return f" Log in at {login.settings.redirect_uri.removesuffix(CALLBACK_PATH)}/ only."
