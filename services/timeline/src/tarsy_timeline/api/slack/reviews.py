"""Reviews by clicks: the same request as over REST, decided by the same owner, and answered to its author alone."""

from collections.abc import Callable, Mapping

from fastapi import Request

from tarsy_audit.requested_act import act_of
from tarsy_audit.trail import NOT_RECORDED, AuditTrail
from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.api.reviews import ReviewOrder
from tarsy_contracts.slack_reviews import SlackReviewAct
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import Caller
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.review_routes import REVIEW, compose_request
from tarsy_timeline.api.slack.click import Click
from tarsy_timeline.api.slack.click_answers import Answer, AnswerClicks, cause_form, in_place_of_form, say

CLAIMED = "You review this investigation now."
RATED = "It is on record: {rating}."
NOT_ANSWERED_YET = "Your review is taken in, and not decided yet: the session's page will show it."
NOT_HERE = "Nobody may review from this channel: TARSY_SLACK_REVIEW_CHANNELS does not name {channel}."
NOT_FOREIGNERS = "Only people of this Slack workspace may review, and you are of another one."
ORDERS: Mapping[SlackReviewAct, ReviewOrder] = {
    "claim": ReviewOrder(action="claim"),
    "accurate": ReviewOrder(action="complete", rating="accurate"),
    "partly": ReviewOrder(action="complete", rating="partly"),
    "wrong_because": ReviewOrder(action="complete", rating="wrong"),
}
MOST_AT_ONCE = 100
"""Clicks that wait for their answers."""


class SlackReviews:
    def __init__(
        self,
        handler: RequestHandler,
        masker: Masker,
        trail: AuditTrail,
        answers: AnswerClicks,
        takes_reviews_in: Callable[[str], bool],
    ) -> None:
        self._handler = handler
        self._masker = masker
        self._trail = trail
        self._answers = answers
        self._takes_reviews_in = takes_reviews_in
        self._under_way = 0

    @property
    def is_full(self) -> bool:
        return self._under_way >= MOST_AT_ONCE

    async def take(self, request: Request, click: Click) -> None:
        """Its author is told what became of it. `request` brought the click."""
        self._under_way += 1
        try:
            await self._answers.send(click.answer_url, await self._answer(request, click))
        finally:
            self._under_way -= 1

    async def _answer(self, request: Request, click: Click) -> Answer:
        if not self._takes_reviews_in(click.channel):
            return say(NOT_HERE.format(channel=click.channel))
        if click.is_foreign:
            return say(NOT_FOREIGNERS)
        if click.act == "wrong":
            return cause_form(click.session_id)
        try:
            outcome = await self._ask_owner(request, click, ORDERS[click.act])
        except NotWrittenError:
            return say(NOT_RECORDED)
        except ProblemError as problem:
            # The form stays: nobody types the cause again because Kafka was away.
            return say(problem.detail)
        return in_place_of_form(outcome) if click.act == "wrong_because" else say(outcome)

    async def _ask_owner(self, request: Request, click: Click, order: ReviewOrder) -> str:
        """Raises ProblemError for a refusal; NotWrittenError where the act is not on record, and so not done."""
        # That it is this person is Slack's word alone, which its signature stands for.
        signer = Identity(click.author, Role.RESPONDER, "webhook", "slack")
        about = {"session_id": click.session_id, "action": order.action}
        await self._trail.record_act(act_of(request, self._masker.mask, click.author, signer, about))
        caused = order.model_copy(update={"cause": click.cause})
        message = await compose_request(self._masker, click.session_id, caused)
        caller = Caller(click.author, click.key)
        _, answer = await self._handler.submit_for(caller, REVIEW, click.session_id, message)
        if answer is None:
            return NOT_ANSWERED_YET
        return RATED.format(rating=order.rating) if order.rating else CLAIMED
