"""Session groups of the caller: routes of lists ask only for his sessions, and routes of one session find no other."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute

from tarsy_auth.session_groups import GroupLabels, labels_of
from tarsy_service.access.caller import visible_groups_of
from tarsy_timeline.api.alias_route import ASKED_AS
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.queries.session_reads import no_session

LONGEST_NUMBER = 19

type Handler = Callable[[Request], Coroutine[Any, Any, Response]]


async def groups_of(request: Request) -> GroupLabels | None:
    """The groups as a parameter of PostgreSQL; None for callers who see all sessions.

    Asynchronous, though it waits for nothing: FastAPI would run it in a thread otherwise, for each list.
    """
    groups = visible_groups_of(request)
    return None if groups is None else labels_of(groups)


type CallerGroups = Annotated[GroupLabels | None, Depends(groups_of)]


def visible_route(queries: SessionQueries, route: type[APIRoute] = APIRoute) -> type[APIRoute]:
    """A route class on top of another one. For callers who may not see a session it does not exist."""

    class VisibleRoute(route):  # type: ignore[misc, valid-type] # the class is a parameter
        checks_visibility = True

        def get_route_handler(self) -> Handler:
            handle: Handler = super().get_route_handler()

            async def handle_visible(request: Request) -> Response:
                groups, session_id = await groups_of(request), request.path_params.get("session_id")
                if groups is not None and session_id is not None:
                    at_least = _parse_number(request.query_params.get("at_least"))
                    if not await queries.is_visible(session_id, groups, at_least=at_least):
                        raise no_session(request.scope.get(ASKED_AS, session_id))
                return await handle(request)

            return handle_visible

    return VisibleRoute


def _parse_number(text: str | None) -> int:
    """0 for what is none: the route itself refuses it."""
    return int(text) if text is not None and text.isdecimal() and len(text) < LONGEST_NUMBER else 0
