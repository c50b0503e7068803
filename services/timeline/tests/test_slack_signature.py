"""A request of Slack is believed by its signature and its time."""

import pytest

from tarsy_testing.servers.slack_clicks import SIGNING_SECRET, SlackRequest
from tarsy_timeline.api.slack.signature import SlackSignatureError, check_signature

NOW = 1_800_000_000.0
SECRETS = (b"another", SIGNING_SECRET.encode())


def signed(at: float = NOW, secret: str = SIGNING_SECRET, **headers: str) -> dict[str, str]:
    sent = {name.lower(): value for name, value in SlackRequest(b"payload=1", secret, at).headers.items()}
    return {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}}


@pytest.mark.parametrize("headers", [signed(), signed(NOW - 299), signed(NOW + 299), signed(secret="another")])
def test_what_slack_signed_just_now_is_taken(headers: dict[str, str]) -> None:
    check_signature(b"payload=1", headers, SECRETS, NOW)


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({}, "Timestamp is missing"),
        (signed(NOW - 301), "five minutes"),
        (signed(NOW + 301), "five minutes"),
        (signed(secret="a secret of somebody else"), "not made with a secret"),
        (signed(x_slack_request_timestamp=f"{NOW + 1:.0f}"), "not made with a secret"),
        (signed(x_slack_request_timestamp="١٨٠٠٠٠٠٠٠٠"), "no time"),
        (signed(x_slack_request_timestamp="9" * 5_000), "no time"),
        (signed(x_slack_request_timestamp="-1"), "no time"),
        (signed(x_slack_request_timestamp="nan"), "no time"),
        (signed(x_slack_signature=""), "not made with a secret"),
        (signed(x_slack_signature="v0="), "not made with a secret"),
        (signed(x_slack_signature="v0=\u00ff"), "not made with a secret"),
        (signed(x_slack_signature=signed()["x-slack-signature"].replace("v0=", "v1=")), "not made with a secret"),
    ],
)
def test_what_slack_did_not_sign_or_not_now_is_refused(headers: dict[str, str], why: str) -> None:
    with pytest.raises(SlackSignatureError, match=why):
        check_signature(b"payload=1", headers, SECRETS, NOW)


def test_another_body_has_another_signature_and_without_a_secret_nothing_is_signed() -> None:
    for body, secrets in ((b"payload=2", SECRETS), (b"payload=1", ())):
        with pytest.raises(SlackSignatureError):
            check_signature(body, signed(), secrets, NOW)
