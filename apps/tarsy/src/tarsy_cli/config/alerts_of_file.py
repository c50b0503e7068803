"""The alerts of a file, as a record of the alerts topic is read, and masked as they would be."""

from tarsy_config.config import Config
from tarsy_contracts.alert import Alert
from tarsy_contracts.wire.topics import Topics
from tarsy_ingest.alert_rules import rules_of
from tarsy_ingest.intake.alert_masking import AlertMaskers, mask_alert
from tarsy_ingest.raw_alert import RawAlert
from tarsy_ingest.topic.record_parser import RecordPosition, read_record
from tarsy_masking.masker import Masker

NOWHERE = RecordPosition("", Topics().alerts, 0, 0)


def alerts_of(config: Config, raw: bytes) -> list[Alert]:
    """Those that would be investigated. Raises AlertRejectedError."""
    masker = Masker.default(None)
    maskers = AlertMaskers(masker, masker.with_rules(config.defaults.alert_masking.names, ()))
    notices = read_record(raw, (), NOWHERE, rules_of(config)).notices
    return [mask_alert(one.alert, maskers) for one in notices if isinstance(one.alert, RawAlert)]
