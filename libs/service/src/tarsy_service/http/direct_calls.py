"""Direct calls of a route's function: for routes that are asked a thousand times a second.

FastAPI resolves dependencies, validates the answer that the function made itself, and encodes it in two steps. For a
function that reads nothing but the request that is a third of a request's CPU. Routers and the exits of dependencies
are another 10 %, and 20 in a process with the routes of all services.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, override

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from tarsy_service.http.known_parameters import refuse_unknown_parameters

type Handle = Callable[[Request], Coroutine[Any, Any, Response]]

MEDIA_TYPE = "application/json"


class DirectRoute(APIRoute):
    """A route whose function may be called directly. FastAPI documents it and calls it as any other."""

    def guard(self, handle: Handle) -> Handle:
        """Around both ways to the function: a route may turn errors of it into answers here."""
        return handle

    @override
    def get_route_handler(self) -> Handle:
        return self.guard(super().get_route_handler())

    def direct_answer(self) -> Handle | None:
        """The call of the function; None where a request leaves something to resolve."""
        parameter = self.dependant.request_param_name
        if parameter is None or not _returns_model(self.response_model) or not _reads_request_only(self.dependant):
            return None
        function, status = self.endpoint, self.status_code or 200

        async def answer(request: Request) -> Response:
            made: BaseModel | Response = await function(**{parameter: request})
            if isinstance(made, Response):
                return made
            text = made.model_dump_json(by_alias=True, exclude_none=self.response_model_exclude_none)
            return Response(text, status, media_type=MEDIA_TYPE)

        return self.guard(answer)


class DirectRouteTable(BaseRoute):
    """The way to direct routes, before all routers: those try their routes one after the other, and each twice.

    A request without a query has no parameters, known or not. Any other goes the usual way.
    """

    def __init__(self, routes: Iterable[DirectRoute]) -> None:
        self._calls: dict[tuple[str, str], tuple[DirectRoute, Handle]] = {}
        for route in routes:
            answer = route.direct_answer()
            if answer is not None and not route.param_convertors:
                self._calls.update({(method, route.path): (route, answer) for method in route.methods or ()})

    @override
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        call = None if scope["type"] != "http" or scope["query_string"] else self._find_call(scope)
        return (Match.NONE, {}) if call is None else (Match.FULL, {"route": call[0], "endpoint": call[0].endpoint})

    @override
    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, answer = self._calls[scope["method"], scope["path"]]
        response = await answer(Request(scope, receive, send))
        await response(scope, receive, send)

    def _find_call(self, scope: Scope) -> tuple[DirectRoute, Handle] | None:
        return self._calls.get((scope["method"], scope["path"]))


def _returns_model(model: object) -> bool:
    return isinstance(model, type) and issubclass(model, BaseModel)


def _reads_request_only(dependant: Dependant) -> bool:
    """It may read parameters of the query that it can do without."""
    others = (dependant.path_params, dependant.header_params, dependant.cookie_params, dependant.body_params)
    depends = any(one.call is not refuse_unknown_parameters for one in dependant.dependencies)
    needed = any(field.field_info.is_required() for field in dependant.query_params)
    return not depends and not needed and not any(others)
