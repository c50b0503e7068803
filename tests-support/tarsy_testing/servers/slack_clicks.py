"""Clicks of people on buttons that Slack shows them: signed, and sent to the app as Slack does it."""

import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx2
from pydantic import JsonValue

from tarsy_testing.servers.slack_server import CHANNEL, Message, SlackServer

INTERACTIONS = "/api/v1/slack/interactions"
SIGNING_SECRET = "8f742231b10e8888abcd99baac88d8e1"
WORKSPACE = "T0001"
FORM_TYPE = "application/x-www-form-urlencoded"
CLICKS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class SlackPerson:
    id: str
    name: str
    workspace: str = WORKSPACE

    @property
    def author(self) -> str:
        """The name on our record."""
        return f"slack:{self.id}/{self.name}"


ANN, BEN = SlackPerson("U01ANN", "ann"), SlackPerson("U02BEN", "ben")


@dataclass(frozen=True, slots=True)
class SlackRequest:
    """A request to the app; a test changes it to forge one."""

    body: bytes
    secret: str = SIGNING_SECRET
    at: float = field(default_factory=time.time)

    @property
    def headers(self) -> dict[str, str]:
        at = f"{self.at:.0f}"
        digest = hmac.new(self.secret.encode(), f"v0:{at}:".encode() + self.body, hashlib.sha256).hexdigest()
        return {"Content-Type": FORM_TYPE, "X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={digest}"}

    async def send(self, client: httpx2.AsyncClient) -> httpx2.Response:
        return await client.post(INTERACTIONS, content=self.body, headers=self.headers)


def form_of(payload: Mapping[str, JsonValue]) -> bytes:
    return urlencode({"payload": json.dumps(payload)}).encode()


def clicked(slack: SlackServer, message: Message, text: str, by: SlackPerson, typed: str = "") -> dict[str, JsonValue]:
    """The payload of a click on the button with this text. `typed`: into each field of the message."""
    (button,) = [one for one in _elements(message) if one["type"] == "button" and _text_of(one) == text]
    number = next(CLICKS)
    return {
        "type": "block_actions",
        "user": {"id": by.id, "username": by.name, "name": by.name, "team_id": by.workspace},
        "api_app_id": "A02",
        "token": "verification-token",
        "container": {"type": "message", "message_ts": message.get("ts"), "channel_id": CHANNEL},
        "trigger_id": f"{number}.{number}.trigger",
        "team": {"id": WORKSPACE, "domain": "example"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": CHANNEL, "name": "alerts"},
        "message": message,
        "state": {"values": _typed_into(message, typed)},
        "response_url": f"{slack.hooks_url}/actions/{WORKSPACE}/{number}/secret{number}",
        "actions": [{**button, "block_id": "b1", "action_ts": f"{time.time():.3f}{number}"}],
    }


async def click(
    slack: SlackServer, client: httpx2.AsyncClient, message: Message, text: str, by: SlackPerson, typed: str = ""
) -> None:
    """A person clicks, and the app takes it; what it answers to the person stands in `slack.answers`, sooner or later.

    `client`: of the app.
    """
    taken = await SlackRequest(form_of(clicked(slack, message, text, by, typed))).send(client)
    assert taken.status_code == 200, taken.text


def _blocks(message: Message) -> Iterator[dict[str, JsonValue]]:
    blocks = message.get("blocks")
    assert isinstance(blocks, list), message
    yield from (block for block in blocks if isinstance(block, dict))


def _elements(message: Message) -> Iterator[dict[str, JsonValue]]:
    for block in _blocks(message):
        elements = block.get("elements")
        yield from (one for one in elements if isinstance(one, dict)) if isinstance(elements, list) else ()


def _text_of(button: Mapping[str, JsonValue]) -> JsonValue:
    text = button["text"]
    return text["text"] if isinstance(text, dict) else None


def _typed_into(message: Message, typed: str) -> dict[str, JsonValue]:
    """Each field by block and name, as Slack sends it: null where nothing was typed."""
    values: dict[str, JsonValue] = {}
    for block in _blocks(message):
        if block["type"] == "input" and isinstance(field := block["element"], dict):
            values[str(block["block_id"])] = {str(field["action_id"]): {"type": field["type"], "value": typed or None}}
    return values
