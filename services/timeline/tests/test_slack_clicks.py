"""Clicks are read as far as we need them, and nothing of what is wrong is shown."""

import copy
from typing import Any
from urllib.parse import urlencode

import pytest

from tarsy_contracts.slack_reviews import LONGEST_CAUSE, button
from tarsy_testing.servers.slack_clicks import ANN, SlackPerson, clicked, form_of
from tarsy_testing.servers.slack_server import CHANNEL, SlackServer
from tarsy_timeline.api.slack.click import Click, NotAnInteractionError, read_click
from tarsy_timeline.api.slack.click_answers import cause_form

HOOKS = "https://hooks.slack.com"
ANSWERED_AT = f"{HOOKS}/actions/T0001/1/secret1"
BUTTONS: Any = {"ts": "1.0", "blocks": [{"type": "actions", "elements": [button("accurate", "Accurate", "s-1")]}]}


def payload(**changes: Any) -> dict[str, Any]:
    """A click of ann on "Accurate"; each change is at a path with dots."""
    made: dict[str, Any] = copy.deepcopy(clicked(SlackServer(), BUTTONS, "Accurate", ANN))
    made["response_url"] = ANSWERED_AT
    for path, value in changes.items():
        *parents, name = path.split("__")
        inner: Any = made
        for parent in parents:
            inner = inner[int(parent)] if isinstance(inner, list) else inner[parent]
        inner[name] = value
    return made


def read(sent: dict[str, Any]) -> Click | None:
    return read_click(form_of(sent), HOOKS)


def test_a_click_has_its_act_session_author_and_channel() -> None:
    click = read(payload(actions__0__action_ts="1799999999.5"))
    assert click == Click(
        act="accurate", session_id="s-1", author="slack:U01ANN/ann", channel=CHANNEL, is_foreign=False,
        key="tarsy.review.accurate/1799999999.5", cause="", answer_url=ANSWERED_AT,
    )  # fmt: skip
    assert "secret1" not in repr(click)


def test_the_real_cause_is_what_was_typed_into_the_form() -> None:
    form: Any = cause_form("s-1")
    for typed, cause in ((" a full disk\n", "a full disk"), ("", ""), ("x" * 5_000, "x" * LONGEST_CAUSE)):
        sent = clicked(SlackServer(), form, "Rate it as wrong", ANN, typed)
        click = read({**sent, "response_url": ANSWERED_AT})
        assert click is not None
        assert (click.act, click.session_id, click.cause) == ("wrong_because", "s-1", cause)


@pytest.mark.parametrize(
    ("user", "team", "foreign"),
    [
        ({"id": "U1", "team_id": "T0001"}, {"id": "T0001"}, False),
        ({"id": "U1", "team_id": "T0666"}, {"id": "T0001"}, True),
        ({"id": "U1"}, {"id": "T0001"}, False),
        ({"id": "U1", "team_id": "T0001"}, None, False),
    ],
)
def test_who_belongs_to_another_workspace_is_known(user: Any, team: Any, foreign: bool) -> None:
    click = read(payload(user=user, team=team))
    assert click is not None
    assert (click.is_foreign, click.author) == (foreign, "slack:U1")


def test_a_name_that_looks_like_another_persons_does_not_make_one_that_person() -> None:
    click = read(payload(user={"id": "U666", "username": "U01ANN/ann"}))
    assert click is not None
    assert click.author == "slack:U666/U01ANN/ann" != SlackPerson("U01ANN", "ann").author


@pytest.mark.parametrize(
    "sent",
    [
        payload(type="view_submission"),
        {"type": "view_closed", "user": None},
        payload(actions=[]),
        payload(actions__0__action_id="other.app.accurate"),
        payload(actions__0__action_id="tarsy.review.delete"),
        payload(actions__0__action_id="tarsy.review."),
    ],
)
def test_what_is_no_button_of_ours_is_nothing_to_us(sent: dict[str, Any]) -> None:
    assert read(sent) is None


@pytest.mark.parametrize(
    "sent",
    [
        payload(user=None),
        payload(user={"id": ""}),
        payload(user={"id": "U" * 101}),
        payload(actions__0__value="a/../b"),
        payload(actions__0__value="s" * 201),
        payload(actions__0__value=""),
        payload(actions__0__action_ts=""),
        payload(response_url=""),
        payload(response_url="http://hooks.slack.com/actions/1"),
        payload(response_url="https://hooks.slack.com"),
        payload(response_url="https://hooks.slack.com.evil.example/1"),
        payload(response_url="https://hooks.slack.com@evil.example/1"),
        payload(response_url="https://hooks.slack.com\\@evil.example/1"),
        payload(response_url="https://hooks.slack.com:8443/1"),
        payload(response_url="http://169.254.169.254/latest/meta-data/"),
    ],
)
def test_a_click_with_a_part_that_is_wrong_is_refused_without_showing_it(sent: dict[str, Any]) -> None:
    with pytest.raises(NotAnInteractionError) as refused:
        read(sent)
    assert refused.value.__cause__ is None
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"payload", b"payload=", b"payload=%7B", b"payload=[]", b"payload={}&payload={}", b"\xff\xfe",
        urlencode({"payload": "[" * 100_000}).encode(), b"&".join(b"a=1" for _ in range(1_000)),
    ],
)  # fmt: skip
def test_a_body_that_is_no_form_of_slack_is_refused(body: bytes) -> None:
    with pytest.raises(NotAnInteractionError):
        read_click(body, HOOKS)
