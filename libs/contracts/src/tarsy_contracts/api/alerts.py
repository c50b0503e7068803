"""REST answers of the doors for alerts."""

from typing import Literal

from pydantic import ConfigDict

from tarsy_contracts.api.model import ApiModel
from tarsy_contracts.timeline.model import SessionStatus

type AcceptedStatus = Literal["queued", "joined"]
"""joined: the same alert came a while ago, and this one is counted in its session."""

QUEUED = "The alert is queued for investigation."
JOINED = "The same alert came a while ago: this one is counted in its session."


class AlertAccepted(ApiModel):
    """Kafka has the alert. `session_id` is its investigation, as far as the process knows that took it.

    If the session's owner decides otherwise, the API shows the session with the alert under the id that the alert would
    have started. `session_status`: the recent status of the session that it joined, where the process
    knows it. A queued session is `in_progress` too.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    session_id: str
    status: AcceptedStatus
    message: str
    session_status: SessionStatus | None = None


def create_alert_accepted(
    session_id: str, status: AcceptedStatus, session_status: SessionStatus | None = None
) -> AlertAccepted:
    message = JOINED if status == "joined" else QUEUED
    return AlertAccepted(session_id=session_id, status=status, message=message, session_status=session_status)


class AlertMistake(ApiModel):
    """One mistake of an alert that was refused. `pointer`: a JSON pointer into the request's body."""

    pointer: str
    detail: str


class WebhookAlertAccepted(ApiModel):
    """The outcome of one alert of a webhook.

    A resolved alert has no `session_id`, as nothing is investigated: `message` names the session that is told, if there
    is one. One that is ignored changes nothing, such as an acknowledgement. `session_status`: as of AlertAccepted.
    One that is refused is wrong, as `errors` say; the others of the webhook are taken, and the status is 207 then.
    """

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    fingerprint: str
    status: Literal["queued", "joined", "resolved", "ignored", "refused"]
    session_id: str | None = None
    session_status: SessionStatus | None = None
    message: str
    errors: tuple[AlertMistake, ...] | None = None


class WebhookAccepted(ApiModel):
    """`truncated_alerts`: how many alerts of the group Alertmanager did not send."""

    alerts: tuple[WebhookAlertAccepted, ...]
    truncated_alerts: int


class PagerDutyEventAccepted(ApiModel):
    """As the Events API v2 of PagerDuty answers. `dedup_key`: that of the event, or one that was made up."""

    status: Literal["success"] = "success"
    message: str = "Event processed"
    dedup_key: str
