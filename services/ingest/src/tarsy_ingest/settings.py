"""Settings of the ingest."""

from pydantic import Field, SecretStr

from tarsy_service.settings.secret_files import split_secrets
from tarsy_service.settings.service_settings import ConfigSettings, MaskingSettings


class IngestSettings(ConfigSettings, MaskingSettings):
    """Alert types and chains are in `tarsy.yaml`."""

    pagerduty_webhook_secrets: SecretStr = Field(
        SecretStr(""),
        description="the secrets with which PagerDuty signs its webhooks, with commas between them; a webhook that "
        "none of them signed is refused. Without one, none is asked for a signature",
    )

    alerts_per_second: float = Field(
        1_000.0,
        ge=0,
        description="how many alerts a second one sender may send over HTTP in the long run; above it 429 with "
        "`Retry-After`. A sender is an address, or a /64 of IPv6. 0 for no limit",
    )
    alerts_burst: int = Field(10_000, ge=1, description="how many alerts one sender may send at once beyond that")

    @property
    def pagerduty_secrets(self) -> tuple[bytes, ...]:
        return split_secrets(self.pagerduty_webhook_secrets)
