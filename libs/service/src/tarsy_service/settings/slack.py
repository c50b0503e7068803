"""Settings of reviews from Slack: the notifier shows buttons, the timeline takes clicks."""

import re

from pydantic import Field, field_validator

from tarsy_service.settings.service_settings import ServiceSettings

CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{2,30}")
NO_CHANNEL_IDS = "a comma list of IDs of channels such as C0123456789: one stands at the end of a channel's details"


class SlackSettings(ServiceSettings):
    slack_review_channels: str = Field(
        "",
        description="a comma list of the IDs of Slack channels whose members may review the investigations that are "
        "told there, by buttons. Slack decides who is in a channel: neither roles nor session groups limit them. The "
        "same for both services",
    )

    @field_validator("slack_review_channels")
    @classmethod
    def _require_channel_ids(cls, value: str) -> str:
        if not all(CHANNEL_ID.fullmatch(one) for one in _split(value)):
            raise ValueError(NO_CHANNEL_IDS)
        return value

    def takes_reviews_in(self, channel: str) -> bool:
        """Whether people in this channel may review; `channel` is its ID."""
        return channel in _split(self.slack_review_channels)


def _split(listed: str) -> list[str]:
    return [one.strip() for one in listed.split(",") if one.strip()]
