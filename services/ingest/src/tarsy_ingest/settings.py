"""Settings of the ingest."""

from tarsy_service.settings import ServiceSettings


class IngestSettings(ServiceSettings):
    """None of its own yet: what it needs to know of alert types and chains is in `tarsy.yaml`."""
