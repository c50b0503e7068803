"""docker-compose.yml and the files beside it name what the code has. tests-ground/test_compose_up.py runs it."""

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tarsy_config.sections.notifications import SLACK_TOKEN
from tarsy_egress.child_environment import PROXY_VARIABLES
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_local.instance_counts import SERVICES
from tarsy_local.service_settings import SETTINGS
from tarsy_service.access.allowed_hosts import parse_allowed_hosts
from tarsy_service.settings.secret_files import variable_of

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = re.compile(r"\$\{\w+:-([^}]*)\}")
LOCATION = re.compile(r"location (?:~ \^\(\?:BASE_PATH\)\?(?P<path>\S+)\(/\|\$\)|/)\s*\{(?P<body>[^}]*)\}")
MODEL_VARIABLES = {name for kind in PROVIDER_TYPES.values() for name in kind.variables}


@cache
def services() -> Mapping[str, Mapping[str, Any]]:
    document = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return cast(Mapping[str, Mapping[str, Any]], document["services"])


@cache
def environments() -> Mapping[str, Mapping[str, str]]:
    """Those of our own image as they are when no variable is set: each `${NAME:-DEFAULT}` has its default."""
    ours = {name: one["environment"] for name, one in services().items() if "build" in one}
    return {name: {key: DEFAULT.sub(r"\1", str(value)) for key, value in one.items()} for name, one in ours.items()}


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    done = subprocess.run([hadolint, ROOT / "deploy/Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_variable_is_one_that_we_read() -> None:
    given = {name for one in environments().values() for name in one}
    read = {variable_of(name) for settings in SETTINGS.values() for name in settings.model_fields}
    assert given <= read | MODEL_VARIABLES | {SLACK_TOKEN} | set(PROXY_VARIABLES)


def test_our_services_are_asked_without_the_proxy() -> None:
    for name, environment in environments().items():
        assert set(environment) >= {"HTTPS_PROXY", "HTTP_PROXY", "TARSY_CA_FILE"}, name
        assert {"front-door", *SETTINGS} <= set(environment["NO_PROXY"].split(",")), name


def test_services_ask_each_other_by_name() -> None:
    """The names are those of the settings: `TARSY_INGEST_URL` is where the ingest answers."""
    urls = {
        name: {variable_of(one) for one in settings.model_fields if one.endswith("_url")}
        for name, settings in SETTINGS.items()
    }
    for name, environment in environments().items():
        told = {one: url for one, url in environment.items() if one in set().union(*urls.values())}
        assert told == {one: f"http://{one.split('_')[1].lower()}:8080" for one in urls.get(name, ())}, name


def test_whoever_asks_a_model_gets_its_key() -> None:
    for name in ("orchestrator", "summarizer"):
        assert {"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} <= environments()[name].keys()


def test_an_engine_older_than_25_takes_every_health_check() -> None:
    checks = [service["healthcheck"] for service in services().values() if "healthcheck" in service]
    assert checks
    assert [one for one in checks if "start_interval" in one] == []


def test_the_front_door_has_the_routes_of_ours() -> None:
    found = {}
    for location in LOCATION.finditer((ROOT / "deploy/compose/front-door.conf").read_text("utf-8")):
        upstream = re.search(r"proxy_pass \$(\w+);", location["body"])
        path = (location["path"] or "/").replace("\\.", ".")
        found[path] = upstream[1].replace("_", "-") if upstream else None
    # The first expression that fits counts, as the first route.
    assert list(found.items()) == [(route.prefix, route.service) for route in OUTSIDE]


def test_every_port_is_published_on_this_machine_alone() -> None:
    ports = [port for one in services().values() for port in one.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []
    assert len(ports) == 4


@pytest.mark.parametrize("name", SERVICES)
def test_authentication_is_turned_on_by_variables(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(f"keys: [{{name: services, role: admin, sha256: {'0' * 64}}}]\n", "utf-8")
    given = environments()[name]
    ours = {"TARSY_OPEN_ACCESS": "no", "TARSY_AUTH_FILE": str(file), "TARSY_API_KEY": "key"}
    for variable, value in {**given, **{one: ours[one] for one in ours if one in given}}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("TARSY_HTTP_HOST", "0.0.0.0")
    assert SETTINGS[name]().http_policy.authenticate is not None


def test_every_service_answers_to_the_names_of_all_of_them() -> None:
    asked = {*SERVICES, "front-door"}
    for name, environment in environments().items():
        names = parse_allowed_hosts(environment["TARSY_HOSTS"])
        assert {host for host in asked if not names.includes(host)} == set(), name
