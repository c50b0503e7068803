"""Settings of the ingest."""

from tarsy_service.settings import ConfigSettings, MaskingSettings


class IngestSettings(ConfigSettings, MaskingSettings):
    """None of its own yet: what it needs to know of alert types and chains is in `tarsy.yaml`."""
