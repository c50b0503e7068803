"""How the HTTP side answers what goes wrong: one place for both routes."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from tarsy_bus.publisher import NotWritten, TooLarge
from tarsy_ingest.incoming import Refused, TooMuch
from tarsy_service.problems import Problem, problem_response

RETRY_AFTER_SECONDS = 5


class AlertRoute(APIRoute):
    """Turns the errors of a handler into problems."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except TooMuch as problem:
                ((place, text),) = problem.mistakes
                raise Problem(413, "Too large", text, pointer=_pointer(place)) from None
            except TooLarge:
                raise Problem(413, "Too large", "the alert is too large once it is masked and written down") from None
            except Refused as problem:
                raise RequestValidationError([_row(place, text) for place, text in problem.mistakes]) from None
            except NotWritten:
                return _try_again()

        return answer


def _row(place: tuple[str | int, ...], text: str) -> dict[str, object]:
    return {"loc": ("body", *place), "msg": text}


def _pointer(place: tuple[str | int, ...]) -> str:
    return "".join(f"/{part}" for part in place)


def _try_again() -> Response:
    """The alert may be written all the same: who sends it again with the same identity meets the same session."""
    detail = "The alert was not acknowledged by Kafka. Send it again."
    response = problem_response(503, "Not written", detail)
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
