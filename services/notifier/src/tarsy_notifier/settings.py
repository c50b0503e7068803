"""Settings of the notifier."""

from pydantic import Field

from tarsy_service.settings.service_settings import AskingSettings, ConfigSettings
from tarsy_service.settings.slack import SlackSettings


class NotifierSettings(ConfigSettings, AskingSettings, SlackSettings):
    timeline_url: str = Field("http://127.0.0.1:8080", description="where the timeline's API answers")
