"""Settings of this service."""

from pydantic import Field

from tarsy_service.settings.service_settings import AskingSettings


class GatewaySettings(AskingSettings):
    timeline_url: str = Field("http://127.0.0.1:8080", description="where the timeline's API answers")
    client_queue: int = Field(1_000, ge=1, description="how many messages may wait for a client before it is dropped")
    most_clients: int = Field(
        2_000, ge=1, description="how many clients one instance takes; another is refused with 503 before the handshake"
    )
    appear_seconds: float = Field(
        10.0, ge=0, le=300, description="how long a subscription waits for a session that nobody knows yet"
    )
