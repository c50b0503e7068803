"""Direct calls of a route's function: for routes that are asked a thousand times a second.

FastAPI resolves dependencies, validates the answer that the function made itself, and encodes it in two steps. For a
function that reads nothing but the request that is a third of a request's CPU.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from tarsy_service.known_parameters import refuse_unknown_parameters

type Handle = Callable[[Request], Coroutine[Any, Any, Response]]

MEDIA_TYPE = "application/json"


def without_dependencies(route: APIRoute, handle: Handle) -> Handle:
    """Calls the function of a route where a request leaves nothing to resolve, and `handle` where it does.

    A request without a query has no parameters, known or not. Function and route stay as FastAPI documents them.
    """
    parameter, model = route.dependant.request_param_name, route.response_model
    if parameter is None or not _returns_model(model) or not _reads_request_only(route.dependant):
        return handle
    function, status = route.endpoint, route.status_code or 200

    async def answer(request: Request) -> Response:
        if request.scope["query_string"]:
            return await handle(request)
        made: BaseModel | Response = await function(**{parameter: request})
        if isinstance(made, Response):
            return made
        text = made.model_dump_json(by_alias=True, exclude_none=route.response_model_exclude_none)
        return Response(text, status, media_type=MEDIA_TYPE)

    return answer


def _returns_model(model: object) -> bool:
    return isinstance(model, type) and issubclass(model, BaseModel)


def _reads_request_only(dependant: Dependant) -> bool:
    """It may read parameters of the query that it can do without."""
    others = (dependant.path_params, dependant.header_params, dependant.cookie_params, dependant.body_params)
    depends = any(one.call is not refuse_unknown_parameters for one in dependant.dependencies)
    needed = any(field.field_info.is_required() for field in dependant.query_params)
    return not depends and not needed and not any(others)
