"""A system of real processes for each test, on the Kafka and PostgreSQL of the test session."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.append(str(Path(__file__).parent))

from tarsy_bus.client.connection import Bus
from tarsy_testing.story.incident import EVERY_INCIDENT, copy_with_a_short_log, planted_secrets
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, ROOT, System, running
from tarsy_verification.session_log import SessionLog


@pytest.fixture(scope="session")
def incidents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """None of their logs is long. `test_lab.py` reads the long one through the whole command."""
    return copy_with_a_short_log(tmp_path_factory.mktemp("incidents") / "all")


@pytest.fixture
def config_dir(tmp_path: Path, incidents: Path, lab_calls: Path, lab_delays: dict[str, float], lab_hold: Path) -> Path:
    """The demo's configuration, with scripts whose model must never see a planted secret."""
    folder = tmp_path / "config"
    folder.mkdir()
    config = yaml.safe_load((ROOT / "config" / "tarsy.yaml").read_text("utf-8"))
    scripts = {f"{incident.name}.yaml": _script(incident) for incident in EVERY_INCIDENT}
    for name, script in scripts.items():
        (folder / name).write_text(yaml.safe_dump(script), "utf-8")
    provider = config["llm_providers"]["scripted"]
    provider |= {"script": list(scripts), "pace_seconds": 0.015}
    config["skill_folders"] = [str(ROOT / "config" / name) for name in config["skill_folders"]]
    delays = {f"TARSY_LAB_DELAY_SECONDS_{tool}": str(seconds) for tool, seconds in lab_delays.items()}
    transport = config["mcp_servers"]["kubernetes"]["transport"]
    transport["args"] = [str(incidents)]
    transport["env"] = {"TARSY_LAB_CALLS": str(lab_calls), "TARSY_LAB_HOLD": str(lab_hold)} | delays
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return folder


def _script(incident: Path) -> Any:
    script = yaml.safe_load((incident / "script.yaml").read_text("utf-8"))
    for turn in script["turns"]:
        turn["refuses"] = planted_secrets()
    return script


@pytest.fixture
def lab_delays() -> dict[str, float]:
    """Seconds that a tool of the lab takes; tests override it."""
    return {}


@pytest.fixture
def lab_hold(tmp_path: Path) -> Path:
    """While this file exists, the tools of the lab that it names wait."""
    return tmp_path / "lab-hold"


@pytest.fixture(scope="session")
def told_before() -> dict[str, SessionLog]:
    """What the undisturbed investigation told: it is run once a test session."""
    return {}


@pytest.fixture
def lab_calls(tmp_path: Path) -> Path:
    return tmp_path / "lab-calls.jsonl"


@pytest.fixture
def system(
    bus: Bus, tmp_path: Path, config_dir: Path, database_url: str, database_schema: str, forks: ServiceForks
) -> Iterator[System]:
    folder = tmp_path / "system"
    folder.mkdir()
    system = System(bus, folder, config_dir, database_url, database_schema, dict(PATIENT), forks=forks)
    with running(system):
        yield system
    shutil.rmtree(tmp_path, ignore_errors=True)
