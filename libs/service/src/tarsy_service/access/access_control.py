"""Access control: who a request comes from, and whether a route is for him. Nothing of a body is read before, but for
one that is signed."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.roles import Role
from tarsy_service.access.caller import IDENTITY, STILL_MAY
from tarsy_service.access.credentials import SeveralCredentialsError, credential_of
from tarsy_service.access.denial_log import DenialLog
from tarsy_service.access.rights import WEBSOCKET, RightsTable
from tarsy_service.access.signed_bodies import signer_of
from tarsy_service.http.metrics import CountDenied, Denial
from tarsy_service.http.problems import problem_response

RETRY_AFTER_SECONDS = 5
SEVERAL = Refusal("malformed", "The request has more than one credential: send one.")
NO_ADDRESS = "TARSy has no such address."
OTHER_METHODS = "This address takes {methods}."


class AccessControl:
    """An ASGI middleware for HTTP and WebSockets. Behind it the scope has the caller's identity (`caller_of`)."""

    def __init__(
        self,
        app: ASGIApp,
        authenticate: Authenticate,
        table: RightsTable,
        count: CountDenied = lambda _: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._authenticate = authenticate
        self._table = table
        self._count = count
        self._log = DenialLog("request.denied", monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        method = WEBSOCKET if scope["type"] == "websocket" else scope["method"]
        needed = self._table.strictest_access(method, scope["path"])
        if needed == "open":
            scope[IDENTITY] = None
            await self._app(scope, receive, send)
            return
        found = await self._identify(scope)
        if (refusal := self._find_refusal(found, needed, method, scope["path"])) is not None:
            await refusal(scope, receive, send)
            return
        scope[IDENTITY] = found
        if method == WEBSOCKET:
            scope[STILL_MAY] = partial(self._is_still_admitted, scope, needed)
        await self._app(scope, receive, send)

    async def _is_still_admitted(self, scope: Scope, needed: Role | None) -> bool:
        """A provider that cannot be asked now takes nothing away. A caller whose session groups changed comes again."""
        found, before = await self._identify(scope), scope[IDENTITY]
        if isinstance(found, Refusal):
            return found.reason == "unavailable"
        may = needed is not None and self._table.admits(found.role, WEBSOCKET, scope["path"])
        return may and found.session_groups == before.session_groups

    def _find_refusal(self, found: Identity | Refusal, needed: Role | None, method: str, path: str) -> Response | None:
        """The answer to callers who are not admitted."""
        if isinstance(found, Refusal):
            self._count_and_log(found.reason)
            return _unauthenticated_response(found)
        if needed is None:
            self._count_and_log("no_right", credential=found.credential)
            return _no_address_response(self._table.methods(path))
        if self._table.admits(found.role, method, path):
            return None
        self._count_and_log("role", credential=found.credential)
        sentence = f"This needs the role {needed.label}, and you have the role {found.role.label}."
        return problem_response(403, "Forbidden", sentence)

    async def _identify(self, scope: Scope) -> Identity | Refusal:
        if (signer := signer_of(scope)) is not None:
            return signer
        try:
            credential = credential_of(scope)
        except SeveralCredentialsError:
            return SEVERAL
        return await self._authenticate(credential)

    def _count_and_log(self, reason: Denial, **about: str) -> None:
        self._count(reason)
        self._log.write(reason, about)


def _no_address_response(methods: Sequence[str]) -> Response:
    """As a router answers. A route that no table has is not there, whatever the router says."""
    if not methods:
        return problem_response(404, "Not Found", NO_ADDRESS)
    allowed = ", ".join(methods)
    response = problem_response(405, "Method Not Allowed", OTHER_METHODS.format(methods=allowed))
    response.headers["Allow"] = allowed
    return response


def _unauthenticated_response(refusal: Refusal) -> Response:
    if refusal.reason == "unavailable":
        response = problem_response(503, "Service unavailable", refusal.sentence)
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    response = problem_response(401, "Unauthorized", refusal.sentence)
    response.headers["WWW-Authenticate"] = "Bearer"
    return response
