"""The configuration, as the API shows it: what an alert may name, and no secret."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry

from tarsy_contracts.budgets import Budget, ConfiguredBudgets
from tarsy_contracts.prices import ModelPrices, TokenPrice
from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.runner import Readiness, build_app

SECRET = "Zq7-hunter2-Zq7"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
CONFIG = f"""
defaults: {{alert_type: kubernetes, llm_provider: gemini, max_iterations: 7, budget: {{calls: 90, at_end: ask}},
  runbook: "Ask {{{{.A_SECRET}}}}."}}
queue: {{session_timeout: 40m, worker_count: 5}}
mcp_servers:
  cluster:
    transport:
      type: stdio
      command: npx
      args: [-y, server, --token, "{SECRET}"]
      env: {{TOKEN: "{SECRET}"}}
  metrics:
    transport:
      type: http
      url: "https://metrics.example.com:8443/{SECRET}/mcp?key={SECRET}"
      headers: {{X-Api-Key: "{SECRET}"}}
      bearer_token: "{SECRET}"
    instructions: "Never say {GITHUB_TOKEN}."
  hidden:
    transport: {{type: http, url: "https://{{{{.A_SECRET}}}}.example.com/mcp"}}
agents:
  Looker: {{mcp_servers: [cluster], custom_instructions: "look"}}
  Other: {{mcp_servers: [metrics, cluster], native_tools: {{google_search: true}}}}
agent_chains:
  pods:
    alert_types: [kubernetes, KubePodCrashLooping]
    description: Pods that crash
    stages: [{{name: look, agents: [{{name: Looker}}]}}, {{name: again, agents: [{{name: Other}}]}}]
  disks:
    alert_types: [disk]
    stages: [{{name: look, agents: [{{name: Looker, llm_provider: own, max_iterations: 3}}]}}]
notifications:
  on-call: {{type: slack, channel: C1, chains: [pods]}}
  other: {{type: webhook, url: "https://hooks.example.com/{SECRET}", secret_env: HOOK_SECRET, give_up_after: 10m}}
links:
  Grafana: {{url: "https://grafana.example.com/d/pods?ns={{namespace}}", before: 1h}}
prices:
  gemini-3.7-flash: {{input: 0.5, output: 3, cached_input: 0.05}}
llm_providers:
  gemini: {{type: google, model: gemini-3.7-flash, api_key: "{SECRET}"}}
  own:
    {{type: openai, model: own, base_url: "https://user:{SECRET}@models.example.com/{SECRET}", api_key_env: A_SECRET}}
system: {{budgets: {{time_zone: Europe/Berlin, day: {{tokens: 50, soft: 50%}}, teams: {{shop: {{calls: 9}}}}}}}}
"""


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx2.AsyncClient]:
    """The HTTP side of an ingest that has no Kafka."""
    monkeypatch.setenv("A_SECRET", SECRET)
    (tmp_path / "tarsy.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "skills").mkdir()
    text = f"---\nname: pods\ndescription: When pods restart\n---\nNever say {GITHUB_TOKEN}.\n"
    (tmp_path / "skills/pods.md").write_text(text, encoding="utf-8")
    registry = CollectorRegistry()
    service = build(IngestSettings(config_dir=tmp_path), registry)
    transport = httpx2.ASGITransport(build_app([service], Readiness([service.name]), registry))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def test_alert_types_are_listed_by_their_chains(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/api/v1/alert-types")).json() == {
        "alert_types": [
            {"type": "disk", "chain_id": "disks", "description": ""},
            {"type": "KubePodCrashLooping", "chain_id": "pods", "description": "Pods that crash"},
            {"type": "kubernetes", "chain_id": "pods", "description": "Pods that crash"},
        ],
        "default_chain_id": "pods",
        "default_alert_type": "kubernetes",
    }


async def test_the_tools_of_an_alert_type_are_those_of_all_agents_of_its_chain(client: httpx2.AsyncClient) -> None:
    path = "/api/v1/system/default-tools"
    usual = (await client.get(path)).json()
    assert usual == {
        "alert_type": "kubernetes",
        "mcp_servers": ["cluster", "metrics"],
        "native_tools": {"google_search": True, "code_execution": False, "url_context": False},
    }
    assert (await client.get(f"{path}?alert_type=kubernetes")).json() == usual
    assert (await client.get(f"{path}?alert_type=disk")).json()["mcp_servers"] == ["cluster"]
    unknown = await client.get(f"{path}?alert_type=nope")
    assert (unknown.status_code, unknown.json()["errors"][0]["pointer"]) == (400, "/alert_type")


async def test_the_configuration_is_shown_without_any_secret(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/v1/system/config")

    assert SECRET not in answer.text
    assert GITHUB_TOKEN not in answer.text
    shown = answer.json()
    assert shown["mcp_servers"]["cluster"]["transport"] == {
        "type": "stdio", "protocol": "auto", "command": "npx", "argument_count": 4, "env": ["TOKEN"],
        "inherit": ["PATH", "HOME"],
    }  # fmt: skip
    assert shown["mcp_servers"]["metrics"]["transport"] == {
        "type": "http", "protocol": "auto", "url": "https://metrics.example.com:8443", "bearer_token_set": True,
        "headers": ["X-Api-Key"], "verify_ssl": True,
    }  # fmt: skip
    assert shown["mcp_servers"]["metrics"]["instructions"].startswith("Never say ")
    assert shown["mcp_servers"]["hidden"]["transport"]["url"] == "{{.A_SECRET}}"
    assert shown["defaults"]["runbook"] == "{{.A_SECRET}}"
    assert shown["llm_providers"]["own"]["base_url"] == "https://models.example.com"
    assert shown["llm_providers"]["own"]["api_key_env"] == "A_SECRET"


async def test_what_is_no_default_has_its_origin(client: httpx2.AsyncClient) -> None:
    origins = (await client.get("/api/v1/system/config")).json()["origins"]

    assert origins["/defaults/max_iterations"] == "tarsy.yaml:2"
    assert origins["/queue/session_timeout"] == "tarsy.yaml:4"
    assert "/queue/max_pending" not in origins
    assert origins["/agents/Looker/mcp_servers"] == "tarsy.yaml:22"
    assert origins["/agents/ChatAgent/description"] == "built-in"
    assert origins["/chains/disks/stages/0/agents/0/llm_provider"] == "tarsy.yaml:31"


async def test_keys_that_have_no_effect_are_noted_with_their_line(client: httpx2.AsyncClient) -> None:
    [note] = (await client.get("/api/v1/system/config")).json()["notes"]
    assert note.startswith("tarsy.yaml:4: queue.worker_count: has no effect here")


async def test_receivers_are_shown_by_their_hosts_and_variables(client: httpx2.AsyncClient) -> None:
    ends = ["completed", "failed", "cancelled", "timed_out", "approval", "action", "budget"]
    assert (await client.get("/api/v1/system/config")).json()["notifications"] == {
        "on-call": {
            "type": "slack", "events": ends, "chains": ["pods"], "give_up_after": "3600s", "channel": "C1",
            "token_env": "SLACK_BOT_TOKEN", "api_url": "https://slack.com",
        },
        "other": {
            "type": "webhook", "events": ends, "chains": [], "give_up_after": "600s",
            "url": "https://hooks.example.com", "format": "cloudevents", "secret_env": "HOOK_SECRET",
        },
    }  # fmt: skip


async def test_a_skill_is_answered_masked(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/api/v1/system/config/skills/pods")
    assert answer.json().keys() == {"name", "description", "body"}
    assert answer.json()["description"] == "When pods restart"
    assert answer.json()["body"].startswith("Never say ")
    assert GITHUB_TOKEN not in answer.text
    assert (await client.get("/api/v1/system/config/skills/nope")).status_code == 404
    shown = (await client.get("/api/v1/system/config")).json()["skills"]["pods"]
    assert (shown["file"], shown["files"]) == ("skills/pods.md", [])


async def test_prices_are_shown_and_answered_to_the_timeline(client: httpx2.AsyncClient) -> None:
    price = {"input": 0.5, "output": 3.0, "cached_input": 0.05}
    assert (await client.get("/api/v1/system/config")).json()["prices"] == {"gemini-3.7-flash": price}
    answer = await client.get("/internal/v1/prices")
    assert ModelPrices.model_validate(answer.json()) == ModelPrices(
        prices={"gemini-3.7-flash": TokenPrice.model_validate(price)}
    )


async def test_budgets_are_answered_to_the_timeline(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/internal/v1/budgets")
    found = ConfiguredBudgets.model_validate(answer.json())
    assert [(one.scope, dict(one.budget.list_limits())) for one in found.days.budgets] == [
        ("day", {"tokens": 50.0}), ("team/shop", {"calls": 9.0})
    ]  # fmt: skip
    assert (found.days.time_zone, found.sessions) == ("Europe/Berlin", {"": Budget(calls=90, at_end="ask")})


async def test_the_configuration_is_whole_and_effective(client: httpx2.AsyncClient) -> None:
    shown = (await client.get("/api/v1/system/config")).json()

    assert shown["version"]
    assert shown["queue"] == {"max_concurrent_sessions": 5, "max_pending": 10_000, "session_timeout": "2400s"}
    assert shown["defaults"]["max_iterations"] == 7
    assert shown["agents"].keys() >= {"Looker", "Other", "ChatAgent", "SynthesisAgent"}
    assert shown["agents"]["Looker"] == {
        "description": "", "mcp_servers": ["cluster"], "custom_instructions": "look", "native_tools": {}
    }  # fmt: skip
    [stage] = shown["chains"]["disks"]["stages"]
    assert stage["agents"] == [{"name": "Looker", "llm_provider": "own", "max_iterations": 3}]
    assert shown["llm_providers"]["gemini"]["model"] == "gemini-3.7-flash"


async def test_choices_are_judged_as_those_of_a_submission(client: httpx2.AsyncClient) -> None:
    choices = {"alert_type": "disk", "llm_provider": "own", "mcp": {"servers": [{"name": "cluster"}]}}
    answer = await client.post("/internal/v1/alert-choices", json=choices)
    assert (answer.status_code, answer.json()) == (200, {"alert_type": "disk", "mistakes": []})
    wrong = {"alert_type": "nope", "llm_provider": "nope", "mcp": {"servers": [{"name": "nope"}]}}
    told = (await client.post("/internal/v1/alert-choices", json=wrong)).json()["mistakes"]
    refused = await client.post("/api/v1/alerts", json={"data": "x", "alert_type": "nope"})
    assert [row["place"] for row in told] == [["alert_type"], ["llm_provider"], ["mcp", "servers", 0, "name"]]
    assert told[0]["text"] == refused.json()["errors"][0]["detail"]
    assert told[1]["text"] == "no LLM provider has this name; known: gemini, own"


async def test_links_are_listed_as_they_are_written(client: httpx2.AsyncClient) -> None:
    url = "https://grafana.example.com/d/pods?ns={namespace}"
    assert (await client.get("/api/v1/system/config/links")).json() == [
        {"name": "Grafana", "url": url, "before_seconds": 3600.0, "after_seconds": 600.0}
    ]
    shown = (await client.get("/api/v1/system/config")).json()["links"]
    assert shown == {"Grafana": {"url": url, "before": "3600s", "after": "600s"}}
