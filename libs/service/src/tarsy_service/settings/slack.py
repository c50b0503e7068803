"""Settings of services that let people review from Slack: the notifier shows buttons, the timeline takes clicks."""

import re

from pydantic import Field, SecretStr, field_validator

from tarsy_service.settings.secret_files import split_secrets
from tarsy_service.settings.service_settings import ServiceSettings

CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{2,30}")


class SlackSettings(ServiceSettings):
    slack_signing_secrets: SecretStr = Field(
        SecretStr(""),
        description="the signing secret of the Slack app; several with commas between them while one is replaced. With "
        "one, messages about ended investigations have buttons to review them, and clicks that it signed are taken. "
        "The same for both services",
    )
    slack_review_channels: str = Field(
        "",
        description="with `TARSY_AUTH_FILE`, a comma list of the IDs of channels in which everybody may review what is "
        "told there. None by default: Slack decides who is in a channel, and neither roles nor session groups of the "
        "file limit them. Without `TARSY_AUTH_FILE`, every channel counts",
    )

    @field_validator("slack_review_channels")
    @classmethod
    def _require_channel_ids(cls, value: str) -> str:
        if not all(CHANNEL_ID.fullmatch(one) for one in _split(value)):
            raise ValueError("a comma list of IDs of channels such as C0123456789: they stand at the end of its details")
        return value

    @property
    def slack_secrets(self) -> tuple[bytes, ...]:
        return split_secrets(self.slack_signing_secrets)

    def takes_reviews_in(self, channel: str) -> bool:
        """Whether people in this channel may review; `channel` is its ID."""
        if not self.slack_secrets:
            return False
        return not self.auth_file or channel in _split(self.slack_review_channels)


def _split(listed: str) -> list[str]:
    return [one.strip() for one in listed.split(",") if one.strip()]
