"""Routes of JSON with a limit for their bodies."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from tarsy_service.http.bounded_body import read_again, read_at_most
from tarsy_service.http.problems import ProblemError

type Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def create_bounded_route(limit_bytes: int, route: type[APIRoute] = APIRoute) -> type[APIRoute]:
    """Routes of JSON that answer 413 to a longer body, and 415 to one of another type.

    Any other is treated as `route` does, which may read it again.
    """

    class BoundedRoute(route):  # type: ignore[misc, valid-type] # the class is a parameter
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle: Handler = super().get_route_handler()

            async def answer(request: Request) -> Response:
                body = await read_at_most(request, limit_bytes)
                if body is None:
                    text = f"the body is larger than {limit_bytes} bytes"
                    raise ProblemError(413, "Too large", text, pointer="")
                if body:
                    require_json(request)
                return await handle(_with_body(request, body))

            return answer

    return BoundedRoute


def require_json(request: Request) -> None:
    """Raises ProblemError. A form of any page can send other types to any host without asking it first."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise ProblemError(415, "Unsupported Media Type", "The body is JSON: send Content-Type: application/json.")


def _with_body(request: Request, body: bytes) -> Request:
    """The request, whose body was read already."""
    return Request(request.scope, read_again(body, request.receive))
