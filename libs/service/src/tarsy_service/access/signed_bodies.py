"""Signed bodies: webhooks whose sender is known by a signature (HMAC), where a table of rights allows it."""

from collections.abc import Awaitable, Callable, Set

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.webhooks import Webhooks
from tarsy_service.access.rights import RightsTable
from tarsy_service.http.bounded_body import read_again, read_at_most
from tarsy_service.http.problems import CLIENT_GONE, problem_response

SIGNER = "tarsy.signer"
"""A key of the scope: the identity of the body's signer, or a refusal. It is there only if a signature counts."""

type FindWebhooks = Callable[[], Awaitable[Webhooks]]
"""To those who may sign now."""
type Signature = tuple[str, str]
"""The header, and what stands in it."""


class SignedBodies:
    """An ASGI middleware in front of AccessControl, which acts on what is found here."""

    def __init__(self, app: ASGIApp, webhooks: FindWebhooks, table: RightsTable) -> None:
        self._app = app
        self._webhooks = webhooks
        self._table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._table.limit_signed_bytes(scope["method"], scope["path"]) if scope["type"] == "http" else 0
        if not limit:
            await self._app(scope, receive, send)
            return
        webhooks = await self._webhooks()
        signature = _find_signature(scope, webhooks.headers)
        if signature is None:
            await self._app(scope, receive, send)
            return
        try:
            body = await read_at_most(Request(scope, receive), limit)
        except ClientDisconnect:
            await Response(status_code=CLIENT_GONE)(scope, receive, send)  # to nobody: for the metrics
            return
        if body is None:
            refusal = problem_response(413, "Too large", f"The body is larger than {limit} bytes.")
            await refusal(scope, receive, send)
            return
        scope[SIGNER] = webhooks.identify(*signature, body)
        await self._app(scope, read_again(body, receive), send)


def _find_signature(scope: Scope, headers: Set[str]) -> Signature | None:
    """None beside `Authorization`, which counts alone, and of several: which one counts is not for us to choose."""
    names = [name.decode("latin-1") for name, _ in scope["headers"]]
    signed = [index for index, name in enumerate(names) if name in headers]
    if len(signed) != 1 or "authorization" in names:
        return None
    (index,) = signed
    return names[index], scope["headers"][index][1].decode("latin-1")


def signer_of(scope: Scope) -> Identity | Refusal | None:
    """None without a signature that counts."""
    found: Identity | Refusal | None = scope.get(SIGNER)
    return found
