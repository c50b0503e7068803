"""The alert formats that are known, in the order in which a record of the alerts topic is compared with them."""

from tarsy_ingest import alertmanager
from tarsy_ingest.alert_format import AlertFormat

FORMATS: tuple[AlertFormat, ...] = (alertmanager.FORMAT,)
