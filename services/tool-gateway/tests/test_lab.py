"""The gateway as it is started in earnest: by `build`, from a configuration, with the lab as its server."""

import asyncio
import sys
from pathlib import Path

import pytest
from gateway_owner import Owner, call
from prometheus_client import CollectorRegistry

from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_tool_gateway.app import build
from tarsy_tool_gateway.settings import ToolGatewaySettings

CRASH_LOOP = Path(__file__).parents[3] / "examples" / "incidents" / "crash-loop"
CONFIGURATION = """
mcp_servers:
  lab:
    transport:
      type: stdio
      command: {python}
      args: [-m, tarsy_lab, {incident}]
    max_concurrent_calls: 2
agents:
  KubernetesAgent:
    mcp_servers: [lab]
agent_chains:
  kubernetes:
    alert_types: [kubernetes]
    stages:
      - name: investigation
        agents: [{{name: KubernetesAgent}}]
llm_providers:
  scripted:
    type: scripted
    script: script.yaml
defaults:
  llm_provider: scripted
"""


@pytest.fixture
def settings(owner: Owner, tmp_path: Path) -> ToolGatewaySettings:
    text = CONFIGURATION.format(python=sys.executable, incident=CRASH_LOOP)
    (tmp_path / "tarsy.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "script.yaml").write_text("turns: []", encoding="utf-8")
    return ToolGatewaySettings(
        kafka=owner.bus.bootstrap, topic_prefix=owner.bus.topics.prefix, client="lab", config_dir=tmp_path
    )


async def test_no_planted_secret_of_the_lab_leaves_the_gateway(owner: Owner, settings: ToolGatewaySettings) -> None:
    registry = CollectorRegistry()
    pod = "checkout-7c9d6f5b84-x2x7k"
    requests = [
        call("pods_list", server="lab", repeatable=True),
        call("events_list", server="lab", repeatable=True),
        call("resources_list", server="lab", repeatable=True, apiVersion="v1", kind="Pod"),
        call("pods_log", server="lab", repeatable=True, namespace="shop", name=pod),
        call("pods_get", server="lab", repeatable=True, namespace="shop", name=pod),
    ]
    results: list[ToolCallReported] = []

    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(_run(settings, registry))
        for request in requests:
            await owner.ask(request)
        results += [await owner.result(request) for request in requests]
        running.cancel()

    lines = (CRASH_LOOP / "planted-secrets.txt").read_text(encoding="utf-8").splitlines()
    planted = [line for line in lines if line and not line.startswith("#")]
    assert [result.outcome for result in results] == ["ok"] * len(requests)
    assert len(planted) > 5
    assert not [secret for secret in planted for result in results if secret in result.content]
    server = {"server": "lab"}
    assert registry.get_sample_value("tarsy_tool_gateway_calls_total", {**server, "outcome": "ok"}) == 5
    assert registry.get_sample_value("tarsy_tool_gateway_call_duration_seconds_count", server) == 5
    size = registry.get_sample_value("tarsy_tool_gateway_result_bytes_sum", server)
    assert size == sum(result.size for result in results)


async def _run(settings: ToolGatewaySettings, registry: CollectorRegistry) -> None:
    await build(settings, registry).run(lambda: None)
