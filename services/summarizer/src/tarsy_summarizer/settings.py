"""Settings of the summarizer."""

from pydantic import Field

from tarsy_service.settings.service_settings import ConfigSettings, MaskingSettings
from tarsy_summary_prompt.excerpt import LEAST_BUDGET


class SummarizerSettings(ConfigSettings, MaskingSettings):
    summaries_at_once: int = Field(
        8, ge=1, description="how many summaries one summarizer writes at a time; as many wait there, the oldest first"
    )
    summary_input_bytes: int = Field(
        75_000, ge=LEAST_BUDGET, description="how much of a result a model is given at most; longer ones are excerpted"
    )
