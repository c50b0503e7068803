"""docker-compose.yml and the files beside it name what the code has."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tarsy_compose import ROOT, compose_services, tarsy_services
from tarsy_config.notifications import SLACK_TOKEN
from tarsy_docgen.openapi import openapi_document
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_local.instance_counts import SERVICES
from tarsy_local.service_settings import SETTINGS
from tarsy_programs import required_program
from tarsy_service.allowed_hosts import allowed_hosts
from tarsy_service.secret_files import variable_of

COMPOSE = ROOT / "deploy/compose"
BUILD_SECONDS = 900
LOCATION = re.compile(r"location (\S+)\s*\{([^}]*)\}")
MODEL_VARIABLES = {
    name for one in PROVIDER_TYPES.values() for name in (*one.key_variables, one.address_variable) if name
}


@pytest.fixture(scope="module")
def composecheck(work_folder: Path) -> Path:
    """Docker Compose's own reader of such files."""
    go, program = required_program("go"), work_folder / "composecheck"
    subprocess.run(
        [go, "build", "-o", program, "."], cwd=ROOT / "tools/composecheck", check=True, timeout=BUILD_SECONDS
    )
    return program


@pytest.mark.timeout(BUILD_SECONDS)
def test_docker_compose_takes_it(composecheck: Path) -> None:
    done = subprocess.run([composecheck, ROOT / "docker-compose.yml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(BUILD_SECONDS)
def test_docker_compose_refuses_a_mistake(composecheck: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text((ROOT / "docker-compose.yml").read_text("utf-8").replace("read_only:", "read_olny:"), "utf-8")
    done = subprocess.run([composecheck, wrong], capture_output=True, text=True, check=False)
    assert "read_olny" in done.stderr


def test_every_service_runs() -> None:
    modules = {one.command[2] for one in tarsy_services().values() if one.command[0] == "python"}
    assert modules == {f"tarsy_{name.replace('-', '_')}" for name in SERVICES}


def test_every_variable_is_one_that_we_read() -> None:
    given = {name for one in tarsy_services().values() for name in one.environment}
    read = {variable_of(name) for settings in SETTINGS.values() for name in settings.model_fields}
    assert given <= read | MODEL_VARIABLES | {SLACK_TOKEN}


def test_whoever_asks_a_model_gets_its_key() -> None:
    for name in ("orchestrator", "summarizer"):
        assert {"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} <= tarsy_services()[name].environment.keys()


def test_an_engine_older_than_25_takes_every_health_check() -> None:
    document = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    checks = [service["healthcheck"] for service in document["services"].values() if "healthcheck" in service]
    assert checks
    assert [one for one in checks if "start_interval" in one] == []


def test_every_mounted_file_exists() -> None:
    assert [own for one in compose_services().values() for own in one.mounts.values() if not own.exists()] == []


def test_every_image_has_a_version() -> None:
    assert [one.image for one in compose_services().values() if not re.search(r":v?\d", one.image)] == []


def test_the_front_door_has_the_routes_of_ours() -> None:
    found = {}
    for path, body in LOCATION.findall((COMPOSE / "front-door.conf").read_text("utf-8")):
        upstream = re.search(r"proxy_pass \$(\w+);", body)
        found[path] = upstream[1].replace("_", "-") if upstream else None
    assert found == {route.prefix: route.service for route in OUTSIDE}


def test_alertmanager_sends_to_the_ingest() -> None:
    document = yaml.safe_load((COMPOSE / "alertmanager.yaml").read_text("utf-8"))
    (url,) = (hook["url"] for one in document["receivers"] for hook in one["webhook_configs"])
    assert url.removeprefix("http://ingest:8080") in json.loads(openapi_document())["paths"]


def test_prometheus_scrapes_every_service() -> None:
    document = yaml.safe_load((COMPOSE / "prometheus.yaml").read_text("utf-8"))
    (job,) = document["scrape_configs"]
    assert {name for found in job["dns_sd_configs"] for name in found["names"]} == set(SERVICES)


def test_prometheus_takes_its_configuration(tmp_path: Path) -> None:
    for file in (COMPOSE / "prometheus.yaml", ROOT / "deploy/prometheus/tarsy-rules.yaml"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    done = subprocess.run(
        [required_program("promtool"), "check", "config", tmp_path / "prometheus.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_grafana_finds_the_dashboards_where_they_are_mounted() -> None:
    mounts = compose_services()["grafana"].mounts
    for file in (ROOT / "deploy/grafana/provisioning/dashboards").iterdir():
        for provider in yaml.safe_load(file.read_text("utf-8"))["providers"]:
            assert list(mounts[provider["options"]["path"]].glob("tarsy-*.json"))


def test_every_service_starts_with_what_it_is_told_and_access_is_open_on_purpose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TARSY_HTTP_HOST", "0.0.0.0")
    for name in SERVICES:
        with monkeypatch.context() as told:
            for variable, value in tarsy_services()[name].environment.items():
                told.setenv(variable, value)
            assert SETTINGS[name]().is_open


def test_the_image_itself_does_not_open_access() -> None:
    dockerfile = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    assert "TARSY_HTTP_HOST=0.0.0.0" in dockerfile
    assert "TARSY_OPEN_ACCESS" not in dockerfile


def test_every_port_is_published_on_this_machine_alone() -> None:
    document = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    ports = [port for one in document["services"].values() for port in one.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []
    assert len(ports) == 4


@pytest.mark.parametrize("name", SERVICES)
def test_authentication_is_turned_on_by_variables(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(f"keys: [{{name: services, role: admin, sha256: {'0' * 64}}}]\n", "utf-8")
    given = tarsy_services()[name].environment
    ours = {"TARSY_OPEN_ACCESS": "no", "TARSY_AUTH_FILE": str(file), "TARSY_API_KEY": "key"}
    for variable, value in {**given, **{one: ours[one] for one in ours if one in given}}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("TARSY_HTTP_HOST", "0.0.0.0")
    assert SETTINGS[name]().http_policy.authenticate is not None


def test_every_service_answers_to_the_names_of_all_of_them() -> None:
    asked = {*SERVICES, "front-door"}
    for name, service in tarsy_services().items():
        names = allowed_hosts(service.environment["TARSY_HOSTS"])
        assert {host for host in asked if not names.includes(host)} == set(), name
