"""An alert, as the investigation sees it: masked, and with the identity of its episode already in the session id."""

from typing import Literal

from tarsy_contracts.message import Value

DATA_LIMIT_BYTES = 1024 * 1024

type AlertSource = Literal["api", "alertmanager", "cloudevent", "kafka"]


class Alert(Value):
    """`data` is text for the model, in whatever form the sender chose."""

    alert_type: str
    data: str
    source: AlertSource
    author: str
    title: str = ""
    severity: str | None = None
    runbook_url: str | None = None
