"""Settings of reviews from Slack are checked whole at the start."""

import pytest
from pydantic import SecretStr, ValidationError

from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_testing.servers.slack_clicks import SIGNING_SECRET
from tarsy_testing.servers.slack_server import CHANNEL
from tarsy_timeline.settings import TimelineSettings


@pytest.mark.parametrize(
    "wrong",
    [
        {"slack_signing_secrets": SecretStr(SIGNING_SECRET)},
        {"slack_review_channels": CHANNEL},
        {"slack_review_channels": "#alerts"},
        {"slack_hooks_url": "http://hooks.example"},
    ],
)
def test_half_a_configuration_is_refused_without_its_secret(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        TimelineSettings.model_validate({"database": "postgresql://nobody@127.0.0.1:1/none", **wrong})
    (mistake, *_) = mistakes_in_settings(refused.value)
    assert mistake.startswith("TARSY_SLACK_")
    assert SIGNING_SECRET not in str(refused.value)
