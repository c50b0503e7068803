"""The alert formats that are known, in the order in which a record of the alerts topic is compared with them."""

from tarsy_ingest.formats import alertmanager, cloud_event, grafana, json_alert, pagerduty, pagerduty_events, plain_text
from tarsy_ingest.formats.alert_format import AlertFormat

FORMATS: tuple[AlertFormat, ...] = (
    cloud_event.FORMAT,
    grafana.FORMAT,
    alertmanager.FORMAT,
    pagerduty.FORMAT,
    pagerduty_events.FORMAT,
    plain_text.FORMAT,
    json_alert.FORMAT,
)
