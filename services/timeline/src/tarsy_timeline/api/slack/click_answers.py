"""Answers to the author of a click: nobody else in the channel sees them."""

from typing import Protocol, override

import httpx2
import structlog

from tarsy_contracts.slack_reviews import CAUSE, LONGEST_CAUSE, Block, button, escape
from tarsy_egress.clients import tls_context
from tarsy_egress.proxies import bypasses_proxy

log = structlog.get_logger(__name__)

CALL_SECONDS = 10.0
QUESTION = "What was the real cause?"

type Answer = dict[str, str | bool | list[Block]]
"""A message, as Slack takes it at the address of a click."""


class AnswerClicks(Protocol):
    """Answers the author of a click."""

    async def send(self, url: str, answer: Answer) -> None:
        """Returns when Slack has it, or does not take it: the click was decided all the same."""
        ...


class SlackAnswers(AnswerClicks):
    """A client for each: clicks are rare."""

    @override
    async def send(self, url: str, answer: Answer) -> None:
        try:
            async with httpx2.AsyncClient(
                timeout=CALL_SECONDS, follow_redirects=False, trust_env=not bypasses_proxy(url), verify=tls_context()
            ) as client:
                (await client.post(url, json=answer)).raise_for_status()
        except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
            # Not the problem's own text: the address is a secret while it lasts.
            log.warning("slack.answer_lost", reason=type(problem).__name__)


def say(text: str) -> Answer:
    return {"response_type": "ephemeral", "replace_original": False, "text": escape(text)}


def in_place_of_form(text: str) -> Answer:
    """In the place of the form that somebody has filled in."""
    return {"replace_original": True, "text": escape(text)}


def cause_form(session_id: str) -> Answer:
    """A message with a field, and no modal: that would need the app's token in this service."""
    blocks: list[Block] = [
        {
            "type": "input",
            "block_id": CAUSE,
            "optional": True,
            "label": {"type": "plain_text", "text": QUESTION},
            "element": {
                "type": "plain_text_input",
                "action_id": CAUSE,
                "multiline": True,
                "max_length": LONGEST_CAUSE,
            },
        },
        {"type": "actions", "elements": [button("wrong_because", "Rate it as wrong", session_id)]},
    ]
    return {**say(QUESTION), "blocks": blocks}
