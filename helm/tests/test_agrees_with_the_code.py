"""Variables, modules, ports, probes, groups and metrics of the chart are those of the code."""

import importlib.util
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.routing import APIRoute
from pydantic import ValidationError
from typer.core import TyperCommand
from typer.main import get_command

from tarsy_cli.app import cli
from tarsy_cli.command_group import TableGroup
from tarsy_contracts.wire.topics import Topics
from tarsy_docgen.metrics_page import all_metrics
from tarsy_local.service_settings import SETTINGS
from tarsy_service.access.allowed_hosts import parse_allowed_hosts
from tarsy_service.settings.kafka import KafkaConnectionSettings
from tarsy_service.settings.secret_files import SUFFIX, is_secret, variable_of, variables_of
from tarsy_service.settings.service_settings import ServiceSettings, mistakes_in_settings
from tarsy_summarizer import service as summarizer
from tarsy_testing.chart import (
    CHART,
    FRONT_DOOR,
    VALUE_FILES,
    Manifest,
    at,
    container_of,
    of_kind,
    pods_of,
    rendered,
    services_of,
    template,
    variables_of_container,
)
from tarsy_testing.servers.certificates import Authority
from tarsy_tool_gateway import service as tool_gateway

SECRETS = "/run/secrets/tarsy"


@pytest.mark.parametrize("name", VALUE_FILES)
def test_each_service_has_a_deployment_that_runs_its_module(name: str) -> None:
    deployments = services_of(name)
    assert deployments.keys() == SETTINGS.keys()
    for service, one in deployments.items():
        *python, module = at(one, "spec.template.spec.containers.0.args", list)
        assert python == ["python", "-m"]
        assert SETTINGS[service].__module__.startswith(f"{module}.")
        assert importlib.util.find_spec(f"{module}.__main__") is not None


@pytest.mark.parametrize("name", VALUE_FILES)
def test_every_variable_of_ours_is_one_that_the_service_reads(name: str) -> None:
    for component, pod in pods_of(name):
        known = _known(component)
        ours = {variable for variable in variables_of_container(pod) if variable.startswith("TARSY_")}
        assert ours <= known, f"{component} does not read {sorted(ours - known)}"


def _known(component: str) -> set[str]:
    if component in SETTINGS:
        return set(variables_of(SETTINGS[component]))
    kafka = {*variables_of(KafkaConnectionSettings), "TARSY_TOPIC_PREFIX", "TARSY_CA_FILE"}
    database = {"TARSY_DATABASE_FILE", "TARSY_DATABASE_SCHEMA", "TARSY_CA_FILE"}
    jobs = {
        "topics": kafka,
        "migrations": database,
        "retention": {*kafka, *database, "TARSY_URL", "TARSY_API_KEY_FILE", "TARSY_CA_FILE"},
        "config-check": {"TARSY_CA_FILE"},
        "check": set(),
        FRONT_DOOR: set(),
    }
    return jobs[component]


@pytest.mark.parametrize("name", VALUE_FILES)
@pytest.mark.parametrize("service", SETTINGS)
def test_a_service_takes_all_that_the_chart_tells_it(
    name: str, service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pod = dict(pods_of(name))[service]
    _lay_secrets(pod, tmp_path)
    for variable, value in variables_of_container(pod).items():
        told = (value or "from-a-secret").replace(SECRETS, str(tmp_path)).replace("/opt/token/get", "/bin/true")
        monkeypatch.setenv(variable, told)
    try:
        settings = SETTINGS[service]()
    except ValidationError as problem:
        pytest.fail("\n".join(mistakes_in_settings(problem)))
    assert settings.http_host == ("::" if name == "ipv6" else "0.0.0.0")


def _lay_secrets(pod: Manifest, folder: Path) -> None:
    """Files as the projected volume of the pod has them."""
    authority = Authority(folder, "authority")
    client = authority.sign("client", password="of the key")
    contents = {
        "ca.crt": authority.file.read_bytes(),
        "tls.crt": client.cert.read_bytes(),
        "tls.key": client.key.read_bytes(),
        "key-password": b"of the key\n",
        "url": b"postgresql://tarsy:secret@db.example/tarsy?sslmode=" + _sslmode(pod) + b"\n",
        "auth.yaml": b"keys: [{name: services, role: admin, sha256: " + b"0" * 64 + b"}]\n",
        "key": b"0123456789abcdef0123456789abcdef\n",
    }
    for path in _secret_paths(pod):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(contents.get(Path(path).name, b"secret\n"))


def _sslmode(pod: Manifest) -> bytes:
    return b"verify-full" if "PGSSLROOTCERT" in variables_of_container(pod) else b"require"


def _secret_paths(pod: Manifest) -> Iterator[str]:
    for volume in at(pod, "volumes", list):
        for source in volume.get("projected", {}).get("sources", []):
            (kind,) = source
            for item in at(source, f"{kind}.items", list):
                yield at(item, "path", str)


@pytest.mark.parametrize("name", VALUE_FILES)
def test_every_file_that_a_variable_names_is_mounted(name: str) -> None:
    for component, pod in pods_of(name):
        named = {value for value in variables_of_container(pod).values() if value and value.startswith(SECRETS)}
        mounted = {f"{SECRETS}/{path}" for path in _secret_paths(pod)} if "volumes" in pod else set()
        assert named == mounted, component


@pytest.mark.parametrize("service", SETTINGS)
def test_who_reads_the_configuration_has_it_and_nobody_else(service: str) -> None:
    package = importlib.import_module(f"{SETTINGS[service].__module__.rpartition('.')[0]}.app")
    pod = dict(pods_of("default"))[service]
    assert ("TARSY_CONFIG_DIR" in variables_of_container(pod)) == ("ConfigSource(" in inspect.getsource(package))


@pytest.mark.parametrize("service", SETTINGS)
def test_who_asks_models_has_their_keys_and_nobody_else(service: str) -> None:
    package = importlib.import_module(f"{SETTINGS[service].__module__.rpartition('.')[0]}.app")
    pod = dict(pods_of("default"))[service]
    assert ("GOOGLE_API_KEY" in variables_of_container(pod)) == ("keys_are_set" in inspect.getsource(package))


@pytest.mark.parametrize("service", SETTINGS)
def test_who_masks_has_the_key_of_placeholders(service: str) -> None:
    pod = dict(pods_of("secured-kafka"))[service]
    assert ("TARSY_MASKING_KEY_FILE" in variables_of_container(pod)) == (
        "masking_key" in SETTINGS[service].model_fields
    )


@pytest.mark.parametrize("service", SETTINGS)
def test_who_keeps_logins_has_the_key_of_tokens(service: str) -> None:
    pod = dict(pods_of("secured-kafka"))[service]
    assert ("TARSY_TOKEN_KEY_FILE" in variables_of_container(pod)) == ("token_key" in SETTINGS[service].model_fields)


@pytest.mark.parametrize("service", SETTINGS)
def test_who_takes_clicks_of_slack_alone_has_its_secret_and_who_shows_buttons_the_channels(service: str) -> None:
    told, read = variables_of_container(dict(pods_of("everything"))[service]), SETTINGS[service].model_fields
    assert ("TARSY_SLACK_SIGNING_SECRETS_FILE" in told) == ("slack_signing_secrets" in read)
    channels = "C0123456789,C9876543210" if "slack_review_channels" in read else None
    assert told.get("TARSY_SLACK_REVIEW_CHANNELS") == channels


@pytest.mark.parametrize("name", ["everything", "secured-kafka"])
@pytest.mark.parametrize("service", SETTINGS)
def test_every_service_knows_who_may_ask_and_only_who_asks_has_a_key(name: str, service: str) -> None:
    told = variables_of_container(dict(pods_of(name))[service])
    assert ("TARSY_AUTH_FILE" in told, "TARSY_OPEN_ACCESS" in told) == (True, False)
    assert ("TARSY_API_KEY_FILE" in told) == ("api_key" in SETTINGS[service].model_fields)


@pytest.mark.parametrize("service", SETTINGS)
def test_every_service_is_told_that_access_is_open(service: str) -> None:
    told = variables_of_container(dict(pods_of("default"))[service])
    assert told["TARSY_OPEN_ACCESS"] == "yes"
    assert not {"TARSY_AUTH_FILE", "TARSY_API_KEY_FILE"} & told.keys()


@pytest.mark.parametrize("service", SETTINGS)
def test_each_variable_of_a_service_can_be_told_by_a_value(service: str) -> None:
    told = {variable for name in VALUE_FILES for _, pod in pods_of(name) for variable in variables_of_container(pod)}
    schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
    first, *others = service.split("-")
    values = first + "".join(other.title() for other in others)
    for settings in ("settings", f"{values}.properties.settings"):
        told |= at(schema, f"properties.{settings}.properties", dict).keys()
    wanted = {
        f"{variable_of(name)}{SUFFIX if is_secret(field) else ''}"
        for name, field in SETTINGS[service].model_fields.items()
    }
    # Each process makes a name for itself, which begins with that of its pod. A front door is on the same machine. The
    # secrets of webhooks come by `ingest.extraEnv` and `ingest.extraVolumes`.
    elsewhere = {"TARSY_CLIENT", "TARSY_FRONT_DOOR", "TARSY_PAGERDUTY_WEBHOOK_SECRETS_FILE"}
    assert wanted - told == elsewhere & wanted


@pytest.mark.parametrize("name", VALUE_FILES)
def test_probes_ask_the_paths_and_the_port_of_every_service(name: str) -> None:
    from prometheus_client import CollectorRegistry

    from tarsy_service.process.runner import Readiness, build_app

    app = build_app([], Readiness([]), CollectorRegistry())
    paths = {route.path for route in app.routes if isinstance(route, APIRoute)}
    for service, one in services_of(name).items():
        container = at(one, "spec.template.spec.containers.0", dict)
        for probe, path in (("startupProbe", "/health"), ("livenessProbe", "/health"), ("readinessProbe", "/ready")):
            assert at(container, f"{probe}.httpGet.path", str) == path
            assert at(container, f"{probe}.httpGet.port", str) == "http"
            assert path in paths
        port = at(container, "ports.0.containerPort", int)
        assert variables_of_container(at(one, "spec.template.spec", dict))["TARSY_HTTP_PORT"] == str(port), service


@pytest.mark.parametrize(
    ("asking", "variable", "asked"),
    [
        ("websocket-gateway", "TARSY_TIMELINE_URL", "timeline"),
        ("notifier", "TARSY_TIMELINE_URL", "timeline"),
        ("timeline", "TARSY_INGEST_URL", "ingest"),
        ("retention", "TARSY_URL", "timeline"),
    ],
)
def test_services_reach_another_by_its_service(asking: str, variable: str, asked: str) -> None:
    address = variables_of_container(dict(pods_of("everything"))[asking])[variable]
    service = of_kind("everything", "Service")[asked]
    assert address == f"http://{at(service, 'metadata.name', str)}:{at(service, 'spec.ports.0.port', int)}"


@pytest.mark.parametrize("name", VALUE_FILES)
def test_each_service_answers_to_the_names_of_all_services_and_of_the_ingress(name: str) -> None:
    urls = ("TARSY_TIMELINE_URL", "TARSY_INGEST_URL")
    variables = {service: variables_of_container(pod) for service, pod in pods_of(name) if service in SETTINGS}
    asked = {str(urlsplit(told.get(url) or "").hostname) for told in variables.values() for url in urls if url in told}
    rules = [at(one, "spec.rules", list) for one in of_kind(name, "Ingress").values()]
    asked |= {at(rule, "host", str) for found in rules for rule in found if "host" in rule}
    for service, told in variables.items():
        names = parse_allowed_hosts(told["TARSY_HOSTS"] or "")
        assert {host for host in asked if not names.includes(host)} == set(), service
        assert not names.includes("evil.example")


@pytest.mark.parametrize("component", ["topics", "migrations", "config-check", "retention"])
def test_jobs_run_commands_that_there_are(component: str) -> None:
    program, *words = at(container_of(dict(pods_of("everything"))[component]), "args", list)
    assert program == "tarsy"
    found: object = get_command(cli)
    while isinstance(found, TableGroup):
        word = words.pop(0)
        assert word in _verbs(found), f"`{program} … {word}` is no command"
        found = _verbs(found)[word]
    assert isinstance(found, TyperCommand)
    options = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def _verbs(command: object) -> Mapping[str, object]:
    return command.load_all() if isinstance(command, TableGroup) else {}


@pytest.mark.parametrize(("name", "prefix"), [("everything", "tarsy"), ("secured-kafka", "team-a")])
def test_keda_looks_at_the_queue_and_the_group_of_each_worker(name: str, prefix: str) -> None:
    scaled, topics = of_kind(name, "ScaledObject"), Topics(prefix)
    told = {
        service: (
            at(one, "spec.triggers.0.metadata.topic", str),
            at(one, "spec.triggers.0.metadata.consumerGroup", str),
        )
        for service, one in scaled.items()
    }
    assert told == {
        "tool-gateway": (topics.tool_calls, f"{prefix}.tool-gateway"),
        "summarizer": (topics.summaries, f"{prefix}.summarizer"),
    }
    assert 'group=f"{bus.topics.prefix}.tool-gateway"' in inspect.getsource(tool_gateway)
    assert 'group=f"{bus.topics.prefix}.summarizer"' in inspect.getsource(summarizer)


def test_more_pods_than_partitions_are_not_asked_for() -> None:
    partitions = {topic.name: topic.partitions for topic in Topics().all()}
    for one in of_kind("everything", "ScaledObject").values():
        topic = at(one, "spec.triggers.0.metadata.topic", str)
        assert at(one, "spec.maxReplicaCount", int) <= partitions[topic]


def test_metrics_in_the_chart_are_metrics_of_the_code() -> None:
    named = {
        metric
        for one in rendered("everything")
        if one["kind"] in ("ScaledObject", "ServiceMonitor", "HorizontalPodAutoscaler")
        for metric in re.findall(r"tarsy_[a-z_]+", str(one))
    }
    assert named
    assert named <= all_metrics().keys()


def test_the_settings_of_all_are_those_of_every_service() -> None:
    done = template("default", "--set=settings.TARSY_GROUP_HEARTBEAT_MS=500")
    assert done.stdout.count("TARSY_GROUP_HEARTBEAT_MS") == len(SETTINGS)
    assert "group_heartbeat_ms" in ServiceSettings.model_fields
