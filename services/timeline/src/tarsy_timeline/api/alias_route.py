"""Routes of a session that also find it by the ids that senders of joined alerts were given.

The answer is that of the session that has the alert, and names it. A session's own id always comes first.
"""

from collections.abc import Awaitable, Callable, Coroutine
from http import HTTPStatus
from typing import Any, TypeGuard
from uuid import UUID

from fastapi import Request, Response
from fastapi.routing import APIRoute

from tarsy_service.http.problems import ProblemError

UNKNOWN = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE})
"""503: it waited for an event of a session that never began."""

ASKED_AS = "tarsy.asked-as"
"""In a scope: the id that the caller knows a session by, where it is not the session's own."""

type Handler = Callable[[Request], Coroutine[Any, Any, Response]]
type FindAlias = Callable[[str], Awaitable[str | None]]


def _is_id(session_id: object) -> TypeGuard[str]:
    """A text that somebody pasted by mistake goes nowhere."""
    try:
        return isinstance(session_id, str) and bool(UUID(session_id))
    except ValueError:
        return False


def alias_route(find: FindAlias, route: type[APIRoute] = APIRoute) -> type[APIRoute]:
    """A route class on top of another one."""

    class AliasRoute(route):  # type: ignore[misc, valid-type] # the class is a parameter
        def get_route_handler(self) -> Handler:
            handle: Handler = super().get_route_handler()

            async def handle_alias(request: Request) -> Response:
                try:
                    return await handle(request)
                except ProblemError as problem:
                    asked = request.path_params.get("session_id")
                    found = await find(asked) if problem.status in UNKNOWN and _is_id(asked) else None
                    if found is None:
                        raise
                    request.scope[ASKED_AS] = asked
                    request.scope["path_params"] = {**request.path_params, "session_id": found}
                    return await handle(request)

            return handle_alias

    return AliasRoute
