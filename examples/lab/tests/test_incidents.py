"""What every incident holds: an alert in Alertmanager's form, secrets that are there, a log that can be made again."""

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tarsy_lab.evidence import Evidence
from tarsy_lab.incidents import incident_folders, read_incident
from tarsy_lab.logs import log_bytes, read_story

INCIDENTS = Path(__file__).parents[2] / "incidents"
EVERY_INCIDENT = incident_folders(INCIDENTS)

pytestmark = pytest.mark.parametrize("incident", EVERY_INCIDENT, ids=lambda path: path.name)


def test_the_log_in_the_repository_is_what_its_story_makes(incident: Path) -> None:
    story = read_story(incident)

    recorded = gzip.decompress((incident / "logs" / f"{story.log}.gz").read_bytes())

    assert recorded.count(b"\n") == story.lines
    assert log_bytes(story) == recorded


def test_the_long_log_has_to_be_summarised(incident: Path) -> None:
    assert len(log_bytes(read_story(incident))) > 1_000_000


def test_no_scene_of_the_story_hides_another(incident: Path) -> None:
    places = read_story(incident).positions()

    ends_before_next = [a + len(scene.lines) <= b for (a, scene), (b, _) in pairwise(places)]

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
    evidence = "".join(_texts(incident))

    assert [words for words in read_incident(incident).expected_root_cause if words not in evidence] == []


def test_the_last_answer_of_the_agent_names_the_root_cause_and_it_is_summed_up(incident: Path) -> None:
    script = yaml.safe_load((incident / "script.yaml").read_text(encoding="utf-8"))
    *answers, summary = [turn for turn in script["turns"] if turn["agent"] not in ("Summarizer", "ChatAgent")]
    *_, last = [turn for turn in answers if turn["agent"] != "ExecSummaryAgent"]

    assert summary["agent"] == "ExecSummaryAgent"
    assert 1 <= len(summary["text"].splitlines()) <= 4
    assert "tool_calls" not in last
    assert [words for words in read_incident(incident).expected_root_cause if words not in last["text"]] == []


def test_the_script_answers_the_question_of_the_incident_after_looking_again(incident: Path) -> None:
    script = yaml.safe_load((incident / "script.yaml").read_text(encoding="utf-8"))
    looks, answers, _ = [turn for turn in script["turns"] if turn["agent"] == "ChatAgent"]

    assert any(need.endswith(f"asks:\n\n{read_incident(incident).question}") for need in looks["needs"])
    assert looks["tool_calls"]
    assert "tool_calls" not in answers


def test_every_turn_needs_something_that_no_other_incident_has(incident: Path) -> None:
    """All scripts are played as one: a turn that fits two incidents would answer for the wrong one."""
    others = [other for other in EVERY_INCIDENT if other != incident]
    scripts = [(other / "script.yaml").read_text(encoding="utf-8") for other in others]
    elsewhere = "".join([*scripts, *(text for other in others for text in _texts(other))])
    turns = yaml.safe_load((incident / "script.yaml").read_text(encoding="utf-8"))["turns"]

    assert [turn["iteration"] for turn in turns if all(need in elsewhere for need in turn.get("needs", []))] == []


def test_the_incident_is_called_as_its_folder_is(incident: Path) -> None:
    assert read_incident(incident).name == incident.name


def test_every_recorded_object_has_a_kind_and_a_name(incident: Path) -> None:
    evidence = Evidence(incident)

    assert all(each.kind and each.name for each in (*evidence.resources, *evidence.events))


def test_an_owner_that_is_named_by_its_uid_is_in_the_evidence(incident: Path) -> None:
    bodies = [each.body for each in Evidence(incident).resources]
    known = {(body["kind"], _metadata(body)["name"], _metadata(body).get("uid")) for body in bodies}
    owners = [owner for body in bodies for owner in _metadata(body).get("ownerReferences", [])]
    named = {(owner["kind"], owner["name"], owner["uid"]) for owner in owners if "uid" in owner}

    assert named <= known


def test_an_event_is_about_the_object_whose_uid_it_names(incident: Path) -> None:
    evidence = Evidence(incident)
    known = {(each.kind, each.name, _metadata(each.body).get("uid")) for each in evidence.resources}
    about = [cast(dict[str, Any], each.body["involvedObject"]) for each in evidence.events]
    named = {(one["kind"], one["name"], one["uid"]) for one in about if "uid" in one}

    assert named <= known


def _metadata(body: dict[str, object]) -> dict[str, Any]:
    return cast(dict[str, Any], body["metadata"])


def _planted(incident: Path) -> list[str]:
    lines = (incident / "planted-secrets.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _texts(incident: Path) -> list[str]:
    objects, short = (incident / "objects").glob("*.yaml"), (incident / "logs").glob("*.log")
    plain = [incident / "alert.json", incident / "events.yaml", *objects, *short]
    logs = [gzip.decompress(path.read_bytes()).decode() for path in (incident / "logs").glob("*.log.gz")]
    return [path.read_text(encoding="utf-8") for path in plain] + logs
