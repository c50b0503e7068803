"""Errors of the HTTP routes as problems (RFC 9457)."""

from collections.abc import Callable
from typing import override

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from tarsy_bus.publisher import NotWrittenError, TooLargeError
from tarsy_ingest.pagerduty import SignatureError
from tarsy_ingest.pending_sessions import QueueFullError
from tarsy_ingest.raw_alert import AlertRejectedError, AlertTooLargeError, FieldPath
from tarsy_ingest.sender_rates import TooManyAlertsError
from tarsy_service.direct_calls import DirectRoute, Handle
from tarsy_service.problems import ProblemError, problem_response

RETRY_AFTER_SECONDS = 5
LATER_SECONDS = 30
"""While as many sessions wait as may: investigations take minutes."""


def alert_route(mask: Callable[[str], str]) -> type[APIRoute]:
    """Turns the errors of a handler into problems. Names in them are the sender's, and masked."""

    class AlertRoute(DirectRoute):
        @override
        def guard(self, handle: Handle) -> Handle:
            async def answer(request: Request) -> Response:
                try:
                    return await handle(request)
                except AlertTooLargeError as problem:
                    ((place, text),) = problem.mistakes
                    raise ProblemError(413, "Too large", text, pointer=_pointer(place)) from None
                except TooLargeError:
                    detail = "the alert is too large once it is masked and written down"
                    raise ProblemError(413, "Too large", detail) from None
                except AlertRejectedError as problem:
                    rows = [_row(place, text, mask) for place, text in problem.mistakes]
                    raise RequestValidationError(rows) from None
                except SignatureError as problem:
                    raise ProblemError(401, "Unauthorized", str(problem)) from None
                except NotWrittenError:
                    return _try_again()
                except QueueFullError:
                    return _later()
                except TooManyAlertsError as problem:
                    return _slower(problem)

            return answer

    return AlertRoute


def _row(place: FieldPath, text: str, mask: Callable[[str], str]) -> dict[str, object]:
    shown = (mask(part) if isinstance(part, str) else part for part in place)
    return {"loc": ("body", *shown), "msg": mask(text)}


def _pointer(place: FieldPath) -> str:
    return "".join(f"/{part}" for part in place)


def _slower(problem: TooManyAlertsError) -> Response:
    """Nothing was read."""
    response = problem_response(429, "Too many requests", f"{problem} (TARSY_ALERTS_PER_SECOND).")
    response.headers["Retry-After"] = str(problem.seconds)
    return response


def _later() -> Response:
    """Nothing was written."""
    detail = "As many investigations wait as may (queue.max_pending). Send the alert again later."
    response = problem_response(503, "Queue full", detail)
    response.headers["Retry-After"] = str(LATER_SECONDS)
    return response


def _try_again() -> Response:
    """The alert may be written all the same: who sends it again with the same identity meets the same session."""
    detail = "The alert was not acknowledged by Kafka. Send it again."
    response = problem_response(503, "Not written", detail)
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
