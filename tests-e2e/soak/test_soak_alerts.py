"""The soak knows the session of each alert that it writes to Kafka, as ingest derives it."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_cli.config.alerts_of_file import NOWHERE
from tarsy_cli.lab.demo import restart_alerts
from tarsy_config.loading.load import load_config
from tarsy_contracts.wire.ids import deduplication_key, session_beside
from tarsy_ingest.alert_rules import rules_of
from tarsy_ingest.raw_alert import RawAlert
from tarsy_ingest.topic.record_parser import read_record
from tarsy_soak.alert_load import sessions_of
from tarsy_testing.system.up import ROOT

PARTITIONS = 12
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
ALERT = {"status": "firing", "labels": {"alertname": "KubePodCrashLooping"}, "fingerprint": "c0ffee"}


@pytest.mark.parametrize("milliseconds", [0, 7, 390, 400, 999])
def test_the_soak_expects_the_session_that_ingest_begins_at_any_millisecond(milliseconds: int) -> None:
    webhook = restart_alerts(
        json.dumps({"version": "4", "status": "firing", "alerts": [ALERT]}).encode(),
        NOON + timedelta(milliseconds=milliseconds),
    )
    (notice,) = read_record(webhook, (), NOWHERE, rules_of(load_config(ROOT / "config", {}))).notices
    assert isinstance(notice.alert, RawAlert)
    key = deduplication_key("alertmanager", json.loads(webhook)["alerts"][0]["fingerprint"])
    assert sessions_of(webhook, PARTITIONS) == [session_beside(notice.alert.session_id, key, PARTITIONS)]
