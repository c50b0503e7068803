"""Settings of the ingest."""

from pydantic import Field, SecretStr

from tarsy_service.settings import ConfigSettings, MaskingSettings


class IngestSettings(ConfigSettings, MaskingSettings):
    """Alert types and chains are in `tarsy.yaml`."""

    pagerduty_webhook_secrets: SecretStr = Field(
        SecretStr(""),
        description="the secrets with which PagerDuty signs its webhooks, with commas between them; a webhook that "
        "none of them signed is refused. Without one, none is asked for a signature",
    )

    @property
    def pagerduty_secrets(self) -> tuple[bytes, ...]:
        names = self.pagerduty_webhook_secrets.get_secret_value().split(",")
        return tuple(name.strip().encode(errors="surrogateescape") for name in names if name.strip())
