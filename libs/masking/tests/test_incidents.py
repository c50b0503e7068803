"""No planted secret of an incident survives, and nothing else of its log is touched."""

import gzip
import json
from pathlib import Path

import pytest
import yaml

from tarsy_masking.masker import Masker

INCIDENTS = Path(__file__).parents[3] / "examples" / "incidents"
EVERY_INCIDENT = sorted(path.parent for path in INCIDENTS.glob("*/planted-secrets.txt"))
MASKER = Masker.default()

pytestmark = pytest.mark.parametrize("incident", EVERY_INCIDENT, ids=lambda path: path.name)


def test_every_planted_secret_vanishes_from_every_file(incident: Path) -> None:
    survivors = [
        (path.name, secret)
        for path, text in _evidence(incident).items()
        for masked in [MASKER.mask(text)]
        for secret in _planted(incident)
        if secret in masked
    ]

    assert survivors == []


def test_no_planted_secret_survives_in_the_alert_as_json(incident: Path) -> None:
    alert = json.loads((incident / "alert.json").read_text(encoding="utf-8"))

    masked = json.dumps(MASKER.mask_json(alert))

    assert [secret for secret in _planted(incident) if secret in masked] == []
    assert json.loads(masked)["alerts"][0]["labels"] == alert["alerts"][0]["labels"]


def test_only_the_lines_of_a_log_that_hold_a_secret_change(incident: Path) -> None:
    planted = _planted(incident)
    logs = [text for path, text in _evidence(incident).items() if path.suffix in (".gz", ".log")]

    for log in logs:
        before, after = log.splitlines(), MASKER.mask(log).splitlines()
        changed = [old for old, new in zip(before, after, strict=True) if old != new]
        assert changed == [line for line in before if any(secret in line for secret in planted)]


def test_masking_changes_nothing_that_the_scripted_model_says(incident: Path) -> None:
    """Else the analysis that people read would not be the one in the script."""
    turns = yaml.safe_load((incident / "script.yaml").read_text(encoding="utf-8"))["turns"]
    said = [turn.get(part, "") for turn in turns for part in ("thinking", "text")]

    assert [MASKER.mask(text) for text in said] == said


def _planted(incident: Path) -> list[str]:
    lines = (incident / "planted-secrets.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _evidence(incident: Path) -> dict[Path, str]:
    """Everything but the list of secrets itself and the story that the log was made from."""
    files = [
        incident / "alert.json",
        *incident.glob("*.yaml"),
        *incident.glob("objects/*"),
        *incident.glob("logs/*.log"),
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    logs = {path: gzip.decompress(path.read_bytes()).decode() for path in incident.glob("logs/*.gz")}
    return texts | logs
