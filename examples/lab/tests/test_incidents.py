"""What every incident holds: an alert in Alertmanager's form, secrets that are there, a log that can be made again."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tarsy_lab.evidence import Evidence
from tarsy_lab.logs import log_bytes, read_story

INCIDENTS = Path(__file__).parents[2] / "incidents"
EVERY_INCIDENT = sorted(path.parent for path in INCIDENTS.glob("*/incident.yaml"))

pytestmark = pytest.mark.parametrize("incident", EVERY_INCIDENT, ids=lambda path: path.name)


def test_the_log_in_the_repository_is_what_its_story_makes(incident: Path) -> None:
    story = read_story(incident)

    recorded = gzip.decompress((incident / "logs" / f"{story.log}.gz").read_bytes())

    assert recorded.count(b"\n") == story.lines
    assert log_bytes(story) == recorded


def test_no_scene_of_the_story_hides_another(incident: Path) -> None:
    scenes = read_story(incident).scenes

    ends_before_next = [a.at + len(a.lines) <= b.at for a, b in pairwise(scenes)]

    assert all(ends_before_next)


def test_every_planted_secret_stands_in_the_evidence(incident: Path) -> None:
    evidence = "".join(_texts(incident))

    assert [secret for secret in _planted(incident) if secret not in evidence] == []


def test_at_least_eight_secrets_are_planted_and_the_alert_holds_one_of_them(incident: Path) -> None:
    planted = _planted(incident)
    alert = (incident / "alert.json").read_text(encoding="utf-8")

    assert len(planted) >= 8
    assert any(secret in alert for secret in planted)


def test_the_alert_is_one_firing_alert_of_webhook_version_4(incident: Path) -> None:
    alert = json.loads((incident / "alert.json").read_text(encoding="utf-8"))

    assert alert["version"] == "4"
    assert [each["status"] for each in alert["alerts"]] == ["firing"]
    assert {"fingerprint", "startsAt", "labels", "annotations"} <= alert["alerts"][0].keys()


def test_the_expected_root_cause_can_be_found_in_the_evidence(incident: Path) -> None:
    described = yaml.safe_load((incident / "incident.yaml").read_text(encoding="utf-8"))
    evidence = "".join(_texts(incident))

    assert [words for words in described["expected_root_cause"] if words not in evidence] == []


def test_every_recorded_object_has_a_kind_and_a_name(incident: Path) -> None:
    evidence = Evidence(incident)

    assert all(each.kind and each.name for each in (*evidence.resources, *evidence.events))


def _planted(incident: Path) -> list[str]:
    lines = (incident / "planted-secrets.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _texts(incident: Path) -> list[str]:
    plain = [incident / "alert.json", incident / "events.yaml", *(incident / "objects").glob("*.yaml")]
    logs = [gzip.decompress(path.read_bytes()).decode() for path in (incident / "logs").glob("*.log.gz")]
    return [path.read_text(encoding="utf-8") for path in plain] + logs
