"""The door for what people do with buttons in Slack."""

from collections.abc import Callable, Sequence

from fastapi import APIRouter, Request, Response
from pydantic import JsonValue
from starlette.background import BackgroundTask

from tarsy_service.http.bounded_body import read_at_most
from tarsy_service.http.described_routes import describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.slack.click import NotAnInteractionError, read_click
from tarsy_timeline.api.slack.reviews import SlackReviews
from tarsy_timeline.api.slack.signature import SlackSignatureError, check_signature

BODY_LIMIT_BYTES = 256 * 1024
"""Slack sends the message along."""
NOT_CONFIGURED = "Nobody reviews from Slack here: TARSY_SLACK_SIGNING_SECRETS is not set."
FULL = "Too many clicks wait for their answers. Click again."
FIELDS: JsonValue = {"type": "object", "properties": {"payload": {"type": "string"}}}
FORM: JsonValue = {"application/x-www-form-urlencoded": {"schema": FIELDS}}


def slack_routes(
    reviews: SlackReviews, secrets: Sequence[bytes], hooks_url: str, now: Callable[[], float]
) -> APIRouter:
    """`secrets`: those of the app; without one the door is shut. `now`: in seconds since 1970."""
    router = APIRouter(prefix="/api/v1/slack", tags=["reviews"])

    @router.post(
        "/interactions",
        response_model=None,
        summary="Take a click on a button of a message in Slack",
        responses=describe_answers(
            "It is taken; its author is told in Slack what became of it.",
            {
                400: "The body is not what Slack sends of a click.",
                401: "Slack did not sign it, or not in the last five minutes.",
                404: "No signing secret is configured.",
                413: "The body is too large.",
                503: "Too many clicks wait for their answers.",
            },
        ),
        openapi_extra={"requestBody": {"required": True, "content": FORM}},
    )
    async def take(request: Request) -> Response:
        """Only Slack can use it. It answers at once, as Slack waits 3 seconds; the act follows."""
        if not secrets:
            raise ProblemError(404, "Not Found", NOT_CONFIGURED)
        body = await read_at_most(request, BODY_LIMIT_BYTES)
        if body is None:
            raise ProblemError(413, "Too large", f"the body is larger than {BODY_LIMIT_BYTES} bytes")
        try:
            check_signature(body, request.headers, secrets, now())
            click = read_click(body, hooks_url)
        except SlackSignatureError as problem:
            raise ProblemError(401, "Unauthorized", str(problem)) from problem
        except NotAnInteractionError as problem:
            raise ProblemError(400, "Invalid request", str(problem)) from problem
        if click is None:
            return Response()
        if reviews.is_full:
            raise ProblemError(503, "Service unavailable", FULL)
        return Response(background=BackgroundTask(reviews.take, request, click))

    return router
