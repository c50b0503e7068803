"""`tarsy lab list`, what `tarsy lab run` refuses, and when an analysis names the root cause."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.lab.root_cause import judge
from tarsy_lab.incidents import read_incident
from tarsy_testing.story.incident import EVERY_INCIDENT, INCIDENTS

MARKS = ("OOMKilled", "tax table", "256Mi")


def test_the_list_tells_name_title_alert_and_what_each_incident_shows() -> None:
    ran = CliRunner().invoke(cli, ["lab", "list", "--incidents", str(INCIDENTS)])
    assert ran.exit_code == 0
    said = " ".join(ran.output.split())
    for folder in EVERY_INCIDENT:
        incident = read_incident(folder)
        assert f"{incident.name}: {incident.title} alert: " in said
        assert incident.description in said
    assert "alert: KubeDeploymentRolloutStuck" in said


@pytest.mark.parametrize("command", [["list"], ["run", "crash-loop"]])
def test_a_folder_without_incidents_is_refused_with_a_sentence(tmp_path: Path, command: list[str]) -> None:
    ran = CliRunner().invoke(cli, ["lab", *command, "--incidents", str(tmp_path)])
    assert ran.exit_code == 1
    assert "is not an incident: it has no incident.yaml, and no folder in it has one" in ran.output


def test_an_incident_that_says_too_little_of_itself_is_refused_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "half" / "incident.yaml"
    file.parent.mkdir()
    file.write_text("name: half\ntitle: A half one\n", encoding="utf-8")
    ran = CliRunner().invoke(cli, ["lab", "list", "--incidents", str(tmp_path)])
    assert ran.exit_code == 1
    assert f"{file}: description: Field required" in ran.output


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "name: [\n"])
def test_a_description_that_is_none_is_refused_with_its_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "half" / "incident.yaml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    ran = CliRunner().invoke(cli, ["demo", "--incident", str(file.parent)])
    assert ran.exit_code == 1
    assert str(file) in ran.output


def test_a_name_that_is_none_brings_the_names_that_there_are() -> None:
    ran = CliRunner().invoke(cli, ["lab", "run", "crashloop", "--incidents", str(INCIDENTS)])
    assert ran.exit_code == 1
    names = ", ".join(folder.name for folder in EVERY_INCIDENT)
    assert f"No incident is called crashloop; there are: {names}." in ran.output


def test_an_analysis_with_every_mark_names_the_root_cause() -> None:
    verdict = judge("The kernel: oomkilled. The **tax\n`table`** needs more than `256Mi`.", MARKS)
    assert verdict.complete
    assert verdict.line() == "names the root cause: 3 of 3 marks (OOMKilled, tax table, 256Mi)"


def test_a_mark_that_the_analysis_lacks_is_told() -> None:
    verdict = judge("Something was OOMKilled.", MARKS)
    assert not verdict.complete
    assert verdict.line() == "names the root cause: 1 of 3 marks (OOMKilled); missing: tax table, 256Mi"


def test_an_empty_analysis_names_nothing() -> None:
    assert judge("", MARKS).line() == "names the root cause: 0 of 3 marks; missing: OOMKilled, tax table, 256Mi"
