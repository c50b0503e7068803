"""Reviews by clicks: the same request as over REST, decided by the same owner, and answered to its author alone."""

from collections.abc import Callable, Mapping

from fastapi import Request

from tarsy_audit.requested_act import act_of
from tarsy_audit.trail import NOT_RECORDED, AuditTrail
from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_contracts.api.reviews import ReviewOrder
from tarsy_contracts.messages.inputs import ReviewRequested
from tarsy_contracts.slack_reviews import SlackReviewAct
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import Caller
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.requests.review_routes import REVIEW, compose_request
from tarsy_timeline.api.requests.session_commands import SessionCommands, request_id
from tarsy_timeline.api.slack.answers import Answer, AnswerClicks, cause_form, in_place_of_form, say
from tarsy_timeline.api.slack.click import Click

CLAIMED = "You review this investigation now."
RATED = "It is on record: {rating}."
NOT_ANSWERED_YET = "Your review is taken in, and not decided yet: the session's page will show it."
NOT_HERE = "Nobody may review from this channel: TARSY_SLACK_REVIEW_CHANNELS does not name {channel}."
ORDERS: Mapping[SlackReviewAct, ReviewOrder] = {
    "claim": ReviewOrder(action="claim"),
    "accurate": ReviewOrder(action="complete", rating="accurate"),
    "partly": ReviewOrder(action="complete", rating="partly"),
    "wrong_because": ReviewOrder(action="complete", rating="wrong"),
}


class SlackReviews:
    def __init__(
        self,
        commands: SessionCommands,
        masker: Masker,
        trail: AuditTrail,
        answers: AnswerClicks,
        takes_reviews_in: Callable[[str], bool],
    ) -> None:
        self._commands = commands
        self._masker = masker
        self._trail = trail
        self._answers = answers
        self._takes_reviews_in = takes_reviews_in

    async def take(self, request: Request, click: Click) -> None:
        """Its author is told what became of it. `request` brought the click."""
        await self._answers.send(click.answer_url, await self._answer(request, click))

    async def _answer(self, request: Request, click: Click) -> Answer:
        if not self._takes_reviews_in(click.channel):
            return say(NOT_HERE.format(channel=click.channel))
        if click.act == "wrong":
            return cause_form(click.session_id)
        order = ORDERS[click.act].model_copy(update={"cause": click.cause})
        try:
            outcome = await self._ask_owner(request, click, order)
        except NotWrittenError:
            return say(NOT_RECORDED)
        except ProblemError as problem:
            return say(problem.detail)
        return in_place_of_form(outcome) if click.act == "wrong_because" else say(outcome)

    async def _ask_owner(self, request: Request, click: Click, order: ReviewOrder) -> str:
        """Raises ProblemError for a refusal; NotWrittenError where the act is not on record, and so not done."""
        caller = Caller(click.author, click.key)
        signer = Identity(click.author, Role.RESPONDER, "webhook", "slack")
        about = {"session_id": click.session_id, "action": order.action}
        await self._trail.record_act(act_of(request, self._masker.mask, click.author, signer, about))
        message = await self._compose(click, order, caller)
        answer = await self._commands.ask(click.session_id, REVIEW, message)
        if answer is None:
            return NOT_ANSWERED_YET
        return RATED.format(rating=order.rating) if order.rating else CLAIMED

    async def _compose(self, click: Click, order: ReviewOrder, caller: Caller) -> ReviewRequested:
        make = await compose_request(self._masker, click.session_id, order)
        author = caller.author(self._masker.for_session(click.session_id).mask)
        return make(request_id(REVIEW, caller, click.session_id), author)
