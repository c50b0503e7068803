"""Requests that Go TARSy's clients make of the ingest, and ours in its shapes; the rest is the timeline's."""

from typing import Any

import httpx2
import pytest
from ingest_running import Ingest

from tarsy_testing.go_tarsy import differences, go_answer

ALERTS = "/api/v1/alerts"


@pytest.mark.parametrize(
    ("note", "body"),
    [
        ("ok", {"alert_type": "kubernetes", "data": "it is full"}),
        ("with mcp override", {"data": "it is full", "mcp": {"servers": [{"name": "kubernetes"}]}}),
    ],
)
async def test_an_alert_is_taken_as_go_takes_it(ingest: Ingest, note: str, body: object) -> None:
    recorded = go_answer("POST", ALERTS, note)
    answer = await ingest.client.post(ALERTS, json=body)
    assert answer.status_code == recorded.status
    assert differences(recorded.shape, answer.json()) == set()


@pytest.mark.parametrize(
    ("note", "body"),
    [
        ("unknown type", {"alert_type": "nope", "data": "x"}),
        ("no data", {"alert_type": "kubernetes"}),
        ("data > 1 MiB", {"data": "x" * (1024 * 1024 + 1)}),
        ("unknown MCP server", {"data": "x", "mcp": {"servers": [{"name": "nope"}]}}),
        ("runbook host not allowed", {"data": "x", "runbook": "https://evil.example/r.md"}),
        ("JSON string as body", "x"),
    ],
)
async def test_an_alert_is_refused_as_go_refuses_it(unconnected: httpx2.AsyncClient, note: str, body: object) -> None:
    recorded = go_answer("POST", ALERTS, note)
    answer = await unconnected.post(ALERTS, json=body)
    assert answer.status_code == recorded.status
    assert differences(recorded.shape, answer.json()) == set()


CONFIGURATION = {
    "defaults.llm_backend: missing",
    "defaults.scoring.enabled: missing",  # where it is not set
    "defaults.max_iterations: missing",  # it is not set, and there is no other default than that of agents
    "defaults.llm_provider: list, not str",  # the first that can be used
    "queue.worker_count: missing",
    "queue.poll_interval: missing",
    "queue.poll_interval_jitter: missing",
    "queue.graceful_shutdown_timeout: missing",
    "queue.scoring_shutdown_timeout: missing",
    "queue.orphan_detection_interval: missing",
    "queue.orphan_threshold: missing",
    "queue.heartbeat_interval: missing",
    "system.retention.session_retention_days: missing",  # where it is not set
    "system.retention.event_ttl: missing",
    "system.retention.cleanup_interval: missing",
    "system.cost_estimation: missing",
    "system.allowed_ws_origins: missing",
    "agents.NAME.orchestrator: missing",
    "agents.NAME.skills: missing",
    "agents.NAME.mcp_servers: missing",  # where it is not set
    "chains.NAME.chat: missing",
    "chains.NAME.scoring.enabled: missing",  # where it is not set
    "mcp_servers.NAME.transport.url: missing",  # of a program that is started
    "mcp_servers.NAME.transport.bearer_token_set: missing",
    "llm_providers.NAME.model: missing",  # of a script
    "llm_providers.NAME.api_key_env: missing",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/v1/alert-types", set()),
        ("/api/v1/system/default-tools", {"mcp_servers[]: none"}),  # its agents have none
        ("/api/v1/system/config", CONFIGURATION),
        ("/api/v1/system/config/skills/nope", set()),
    ],
)
async def test_the_configuration_has_gos_keys_and_types(
    unconnected: httpx2.AsyncClient, path: str, expected: set[str]
) -> None:
    recorded = go_answer("GET", path)
    answer = await unconnected.get(path)
    assert answer.status_code == recorded.status
    told: Any = answer.json()
    assert differences(recorded.shape, told) == expected
