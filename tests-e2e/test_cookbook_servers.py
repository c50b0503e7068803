"""Each server of the cookbook that a registry has: started as its entry says, listed, and asked one thing.

Nobody is behind most of them: addresses lead to a port of this machine where nobody listens, or through a proxy to a
server that answers `{}` in every host's name. The test wants that the server takes its flags and variables, that the
tools which the entry names are there, and that a call comes back.
"""

import asyncio
import fnmatch
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from pydantic import JsonValue
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.servers.cookbook import Recipe, read_cookbook
from tarsy_config.config import Config
from tarsy_config.loading.load import load_config
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_egress.authorities import trust_authorities
from tarsy_testing.servers.connect_proxy import Edge, running_edge
from tarsy_testing.servers.mcp_install import Era, cookbook_packages, node_programs, python_programs
from tarsy_testing.servers.mcp_kubernetes import NAMESPACE, POD
from tarsy_testing.servers.mcp_servers import Surroundings
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck
from tarsy_tool_gateway.mcp.server_plan import plan_of
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

SECONDS = 120.0
NOWHERE = "http://127.0.0.1:9"
LOGS_OF_AWS, PAGERDUTY = "logs.eu-central-1.amazonaws.com", "api.pagerduty.com"
DATADOG, SLACK, WORKSPACE = "api.datadoghq.eu", "slack.com", "sre.slack.com"
ANSWERED: JsonValue = {
    "ok": True,
    "url": "https://sre.slack.com/",
    "team_id": "T1",
    "user_id": "U1",
    "channels": [{"id": "C1", "name": "checkout", "is_channel": True}],
    "members": [{"id": "U1", "name": "ann", "profile": {}}],
}
"""For everybody; Slack's server asks who it is before it starts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`answer`: what stands in what comes back. `hosts`: whom the server asks for it by the proxy, and nobody else.

    `variables`: instead of an address where nobody listens.
    """

    tool: str
    answer: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()


ASKED: Mapping[str, Asked] = {
    "argocd": Asked("list_applications", "fetch failed"),
    "aws": Asked("describe_log_groups", "", variables={"AWS_REGION": "eu-central-1"}, hosts=(LOGS_OF_AWS,)),
    "azure": Asked("subscription_list", "EnvironmentCredential", variables={"AZURE_TENANT_ID": "t"}),
    "datadog": Asked("get_monitors", "", variables={"DATADOG_SITE": "datadoghq.eu"}, hosts=(DATADOG,)),
    "gcp": Asked(
        "list_log_names",
        "Unable to read the credential file",
        {"parent": "projects/shop"},
        {"GOOGLE_APPLICATION_CREDENTIALS": "/nonexistent"},
    ),
    "gitlab": Asked("list_commits", "fetch failed", {"project_id": "1"}),
    "grafana": Asked("list_datasources", "connection refused"),
    "kubernetes": Asked("pods_get", "restartCount: 17", {"namespace": NAMESPACE, "name": POD}),
    "loki": Asked("list_datasources", "connection refused"),
    "opensearch": Asked("ListIndexTool", "Error listing indices", variables={"OPENSEARCH_USERNAME": "u"}),
    "pagerduty": Asked("list_services", "api.pagerduty.com/services", hosts=(PAGERDUTY,)),
    "postgres": Asked("execute_sql", '"answer": 42', {"sql": "select 6 * 7 as answer"}),
    "prometheus": Asked("execute_query", "vector", {"query": "up"}),
    "slack": Asked(
        "channels_list",
        "C1,",
        {"channel_types": "public_channel"},
        {"SLACK_READ_TOKEN": "xoxb-planted"},
        (SLACK, WORKSPACE),
    ),
}


NOT_STARTED = {"kafka": "a part of it is fetched from GitHub by a script of its installation, and none is run here"}


def test_each_server_of_a_registry_is_asked_or_the_page_says_that_it_was_not() -> None:
    found = {name: one for name, one in read_cookbook().items() if not one.package.startswith("hosted by")}
    assert found.keys() == ASKED.keys() | NOT_STARTED.keys()
    assert {name for name, one in found.items() if one.tested == "started and asked"} == set(ASKED)
    assert all(found[name].unverified for name in NOT_STARTED)


@pytest.fixture(scope="session")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with ExitStack() as stack:
        yield Surroundings(tmp_path_factory.mktemp("around"), stack)


@pytest.fixture(scope="session")
def installed() -> None:
    """What is installed comes from the registries of this machine, not through the proxy that the servers are given."""
    node_programs()
    cookbook_packages()
    python_programs("today")
    python_programs("before")


@pytest.fixture
async def edge(installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Edge]:
    async with running_edge(
        tmp_path, LOGS_OF_AWS, PAGERDUTY, DATADOG, SLACK, WORKSPACE, answered=json.dumps(ANSWERED).encode()
    ) as edge:
        monkeypatch.setenv("HTTPS_PROXY", edge.proxy)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        trusted: dict[str, str] = {}
        trust_authorities(str(edge.authority), trusted)
        for name, value in trusted.items():
            monkeypatch.setenv(name, value)
        yield edge


def stand_in(folder: Path, recipe: Recipe) -> None:
    """`npx` and `uvx` that start what is pinned, and nothing else, whatever they are asked for."""
    registry, package, version, *_ = recipe.package.split()
    if registry == "npm":
        wanted, program = f"{package}@{version}", npm_program(package)
    else:
        wanted, program = f"{package}=={version}", str(python_programs(era_of(package)) / package)
    for name in ("npx", "uvx"):
        script = folder / name
        script.write_text(
            f'#!/bin/sh\nwhile [ "$1" != "{wanted}" ]; do [ $# -gt 0 ] || exit 64; shift; done\n'
            f'shift\nexec {program} "$@"\n',
            "utf-8",
        )
        script.chmod(0o755)


def npm_program(package: str) -> str:
    if package == "kubernetes-mcp-server":
        return str(node_programs() / package)
    if package == "slack-mcp-server":
        (program,) = cookbook_packages().glob("slack-mcp-server-linux-*/bin/*")
        return str(program)
    home = cookbook_packages() / package
    programs = json.loads((home / "package.json").read_text("utf-8"))["bin"]
    return f"{node_programs() / 'node'} {home / next(iter(programs.values()))}"


def era_of(package: str) -> Era:
    return "before" if package == "pagerduty-mcp" else "today"


def variables_for(name: str, around: Surroundings, database_url: str) -> dict[str, str]:
    """Servers that are really there have their address."""
    given = dict.fromkeys(read_cookbook()[name].variables, NOWHERE) | dict(ASKED[name].variables)
    match name:
        case "kubernetes":
            return given | {"KUBECONFIG": str(around.kubeconfig)}
        case "prometheus":
            return given | {"PROMETHEUS_URL": around.prometheus}
        case "postgres":
            return given | {"POSTGRES_DSN": database_url}
        case _:
            return given


@asynccontextmanager
async def connected(config: Config, name: str) -> AsyncIterator[McpConnection]:
    connection = McpConnection(
        plan_of(name, config.mcp_servers[name]),
        mask=str,
        connect_seconds=SECONDS,
        connected=lambda: None,
        checking=HealthCheck(within_seconds=60),
    )
    running = asyncio.create_task(connection.run())
    try:
        await connection.wait_ready(SECONDS)
        yield connection
    finally:
        connection.stop()
        await asyncio.wait([running], timeout=SECONDS)


def let_slack_out(file: Path) -> None:
    """Its server looks at no HTTPS_PROXY, and at variables of its own instead, as its entry says."""
    document = yaml.safe_load(file.read_text("utf-8"))
    own = {"SLACK_MCP_PROXY": os.environ["HTTPS_PROXY"], "SLACK_MCP_SERVER_CA": os.environ["SSL_CERT_FILE"]}
    document["mcp_servers"]["slack"]["transport"]["env"] |= own
    file.write_text(yaml.safe_dump(document), "utf-8")


async def answer_to(connection: McpConnection, server: str, asked: Asked) -> ToolOutput:
    request = ToolCallRequest(
        session_id=str(uuid4()),
        call_id=str(uuid4()),
        server=server,
        tool=asked.tool,
        arguments=dict(asked.arguments),
        repeatable=True,
        timeout_seconds=SECONDS,
        not_after=datetime.now(UTC) + timedelta(seconds=SECONDS),
    )
    return await McpToolServer(connection, ready_seconds=SECONDS).call(request)


@pytest.fixture
def home(installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the programs: stand-ins come first in PATH, and AWS finds a key."""
    (tmp_path / ".aws").mkdir()
    keys = "[default]\naws_access_key_id = AKIAPLANTED\naws_secret_access_key = planted\n"
    (tmp_path / ".aws" / "credentials").write_text(keys, "utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}:{node_programs()}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def config_with(name: str, folder: Path, given: Mapping[str, str]) -> Config:
    """As `tarsy servers add` writes it."""
    (folder / "tarsy.yaml").write_text("defaults: {llm_provider: google-default}\n", "utf-8")
    added = CliRunner().invoke(cli, ["servers", "add", name, "--config", str(folder)])
    assert added.exit_code == 0, added.output
    if name == "slack":
        let_slack_out(folder / "tarsy.yaml")
    return load_config(folder, dict(given))


@pytest.mark.parametrize("name", sorted(ASKED))
async def test_it_starts_as_its_entry_says_lists_what_the_entry_names_and_answers(
    name: str, edge: Edge, home: Path, around: Surroundings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, asked = read_cookbook()[name], ASKED[name]
    stand_in(home, recipe)
    given = variables_for(name, around, database_url)
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    async with connected(config_with(name, home, given), name) as connection:
        for pattern in yaml.safe_load(recipe.server).get("read_only_tools", []):
            assert fnmatch.filter(connection.tools, pattern), f"{pattern} names none of {sorted(connection.tools)}"
        output = await answer_to(connection, name, asked)
    assert asked.answer in output.text
    assert {one.removesuffix(":443") for one in edge.connected} == set(asked.hosts)
