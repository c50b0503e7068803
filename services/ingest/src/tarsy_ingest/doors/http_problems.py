"""Errors of the HTTP routes as problems (RFC 9457)."""

from collections.abc import Callable
from typing import override

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from tarsy_bus.client.publisher import NotWrittenError, TooLargeError
from tarsy_ingest.doors.refusal_log import MOST_MISTAKES, RefusalLog
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.formats.pagerduty import SignatureError
from tarsy_ingest.intake.pending_sessions import QueueFullError
from tarsy_ingest.intake.sender_rates import TooManyAlertsError, sender_of
from tarsy_ingest.raw_alert import AlertRejectedError, AlertTooLargeError, FieldPath, json_pointer
from tarsy_service.http.direct_calls import DirectRoute, Handle
from tarsy_service.http.problems import ProblemError, problem_response

DOORS = frozenset(path for form in FORMATS for path in form.paths)
INTERNAL = 500
RETRY_AFTER_SECONDS = 5
LATER_SECONDS = 30
"""While as many sessions wait as may: investigations take minutes."""


def alert_route(mask: Callable[[str], str], refusals: RefusalLog) -> type[APIRoute]:
    """Turns the errors of a handler into problems, and notes each. Names in them are the sender's, and masked."""

    class AlertRoute(DirectRoute):
        @override
        def guard(self, handle: Handle) -> Handle:
            door = self.name.partition("/")[0] if self.name in DOORS else "api"

            async def answer(request: Request) -> Response:
                try:
                    return await _translate_errors(handle, request, mask)
                except (RequestValidationError, ProblemError) as problem:
                    status, reason = _status_and_reason(problem)
                    if status < INTERNAL:
                        refusals.note(door, sender_of(request.scope), status, reason)
                    raise
                except TooManyAlertsError as problem:
                    refusals.note(door, sender_of(request.scope), 429, "more alerts a second than one sender may send")
                    return _too_many_response(problem)

            return answer

    return AlertRoute


async def _translate_errors(handle: Handle, request: Request, mask: Callable[[str], str]) -> Response:
    try:
        return await handle(request)
    except AlertTooLargeError as problem:
        field_path, text = problem.mistakes[0]
        raise ProblemError(413, "Too large", text, pointer=json_pointer(field_path)) from None
    except TooLargeError:
        raise ProblemError(413, "Too large", "the alert is too large once it is masked and written down") from None
    except AlertRejectedError as problem:
        raise RequestValidationError(
            [_mistake_row(field_path, text, mask) for field_path, text in problem.mistakes]
        ) from None
    except SignatureError as problem:
        raise ProblemError(401, "Unauthorized", str(problem)) from None
    except NotWrittenError:
        return _not_written_response()
    except QueueFullError:
        return _queue_full_response()


def _status_and_reason(problem: RequestValidationError | ProblemError) -> tuple[int, str]:
    """The status, and a reason without values."""
    if isinstance(problem, ProblemError):
        return problem.status, problem.detail
    rows = list(problem.errors())[:MOST_MISTAKES]
    return 400, "; ".join(f"{json_pointer(row['loc'][1:]) or '/'}: {row['msg']}" for row in rows)


def _mistake_row(field_path: FieldPath, text: str, mask: Callable[[str], str]) -> dict[str, object]:
    shown = (mask(part) if isinstance(part, str) else part for part in field_path)
    return {"loc": ("body", *shown), "msg": mask(text)}


def _too_many_response(problem: TooManyAlertsError) -> Response:
    """Nothing was read."""
    response = problem_response(429, "Too many requests", f"{problem} (TARSY_ALERTS_PER_SECOND).")
    response.headers["Retry-After"] = str(problem.seconds)
    return response


def _queue_full_response() -> Response:
    """Nothing was written."""
    detail = "The queue is full (queue.max_pending). Send the alert again later."
    response = problem_response(503, "Queue full", detail)
    response.headers["Retry-After"] = str(LATER_SECONDS)
    return response


def _not_written_response() -> Response:
    """The alert may be written all the same: who sends it again with the same identity meets the same session."""
    detail = "The alert was not acknowledged by Kafka. Send it again."
    response = problem_response(503, "Not written", detail)
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
