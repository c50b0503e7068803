"""The configuration in `docs/how-to/chains.md` is one that loads, and does what the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_contracts.api.requests import RerunRequest
from tarsy_ingest.formats.submission import Submission

PAGE = Path(__file__).parents[3] / "docs/how-to/chains.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REACT = re.compile(r"`react` from line (\d+)")


def blocks(language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(PAGE.read_text("utf-8")) if found == language]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (configuration,) = blocks("yaml")
    (tmp_path / "tarsy.yaml").write_text(configuration, "utf-8")
    return tmp_path


def ran(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["config", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def resolved(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran("show", str(folder), "--json"))
    return found


def test_the_configuration_of_the_page_has_no_mistakes(folder: Path) -> None:
    lines = ran("check", str(folder)).splitlines()
    assert lines[:2] == ["The configuration has no mistakes.", "chain shop: look → doubt"]
    assert "has no effect" not in "\n".join(lines)


def test_it_resolves_to_what_the_page_says(folder: Path) -> None:
    look, doubt = resolved(folder)["chains"]["shop"]["stages"]
    line = REACT.findall(PAGE.read_text("utf-8"))
    assert look["agents"][1]["controller"]["value"] == "react"
    assert look["agents"][1]["controller"]["from"].split()[0] == f"tarsy.yaml:{line[0]}"
    assert look["synthesis"]["fallback_providers"]["value"] == ["gemini"]
    assert [agent["name"] for agent in doubt["agents"]] == ["Reviewer-1", "Reviewer-2"]


def test_the_alert_and_the_rerun_of_the_page_are_for_this_configuration(folder: Path) -> None:
    submission, rerun = (body_of(text) for text in blocks("") if text.startswith("curl"))
    alert = Submission.model_validate_json(submission)
    found = resolved(folder)
    assert alert.mcp is not None
    assert {server.name for server in alert.mcp.servers} <= found["mcp_servers"].keys()
    assert alert.alert_type in found["chains"]["shop"]["alert_types"]
    assert {alert.llm_provider, RerunRequest.model_validate_json(rerun).llm_provider} <= found["llm_providers"].keys()


def body_of(command: str) -> str:
    return command.partition("-d '")[2].rpartition("'")[0]
