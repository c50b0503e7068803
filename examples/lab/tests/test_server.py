"""The lab's server, driven by the official client: over stdio, as the tool gateway drives it, or in memory.

A process of the server imports the SDK for a second and more, so only those tests start one that are about it.
"""

import asyncio
import json
import sys
from functools import cache
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.server import MCPServer
from mcp_types import CallToolResult, TextContent

from tarsy_lab.calls import CallLog
from tarsy_lab.cluster import Cluster
from tarsy_lab.evidence import Evidence
from tarsy_lab.server import build

INCIDENTS = Path(__file__).parents[2] / "incidents"
CRASH_LOOP = INCIDENTS / "crash-loop"
POD = {"namespace": "shop", "name": "checkout-7c9d6f5b84-x2x7k"}
READ_ONLY = {
    "namespaces_list",
    "pods_list",
    "pods_get",
    "pods_log",
    "resources_list",
    "resources_get",
    "events_list",
    "helm_history",
    "prometheus_query",
}
CHANGING = {"pods_delete", "helm_rollback"}


def lab(*folders: Path, **environment: str) -> Client:
    command = ["-m", "tarsy_lab", *map(str, folders or [CRASH_LOOP])]
    return Client(StdioServerParameters(command=sys.executable, args=command, env=environment), read_timeout_seconds=90)


@cache
def in_memory() -> MCPServer:
    return build(Cluster([Evidence(CRASH_LOOP)]), CallLog())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def answer(tool: str, **arguments: object) -> str:
    async with Client(in_memory()) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def complaint(tool: str, **arguments: object) -> str:
    async with Client(in_memory()) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


def recorded(calls: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines()]


async def test_only_two_tools_may_change_anything_and_every_parameter_is_described() -> None:
    async with lab() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert tools.keys() == READ_ONLY | CHANGING
    for name, tool in tools.items():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name in READ_ONLY)
        assert tool.annotations.destructive_hint is (name in CHANGING)
        assert tool.annotations.idempotent_hint is (name in READ_ONLY)
        assert tool.description
        assert all("description" in schema for schema in tool.input_schema["properties"].values())


async def test_the_list_of_pods_shows_which_one_crashes() -> None:
    lines = (await answer("pods_list", namespace="shop")).splitlines()

    crashing = [line.split() for line in lines if "CrashLoopBackOff" in line]
    assert [(row[1], row[4]) for row in crashing] == [(POD["name"], "7")]
    assert len(lines) == 6


async def test_a_pod_is_shown_with_the_reason_of_its_last_end() -> None:
    assert "reason: OOMKilled" in await answer("pods_get", **POD)


async def test_the_whole_log_arrives_over_stdio_and_holds_the_cause_deep_inside() -> None:
    async with lab() as client:
        lines = text_of(await client.call_tool("pods_log", POD)).splitlines()

    assert len(lines) == 100_000
    assert "memory limit reached in tax.loadAll" in lines[61_000]


async def test_a_tail_is_the_last_lines_of_the_log() -> None:
    whole = await answer("pods_log", **POD, container="app")

    assert (await answer("pods_log", **POD, tail=3)).splitlines() == whole.splitlines()[-3:]


async def test_a_pod_without_a_recorded_log_says_so() -> None:
    assert "no log" in await answer("pods_log", namespace="shop", name="orders-db-0")


async def test_objects_are_listed_by_kind_and_read_by_name() -> None:
    listed = await answer("resources_list", apiVersion="apps/v1", kind="ReplicaSet", namespace="shop")
    read = await answer("resources_get", apiVersion="apps/v1", kind="Deployment", namespace="shop", name="checkout")
    node = await answer("resources_get", apiVersion="v1", kind="Node", name="worker-3.shop-eu-1.example.com")

    assert "checkout-7c9d6f5b84" in listed
    assert "checkout-5d8f7c6b9d" in listed
    assert "memory: 256Mi" in read
    assert "MemoryPressure" in node


async def test_namespaces_and_events_are_listed() -> None:
    assert await answer("namespaces_list") == "shop"
    assert "SystemOOM" in await answer("events_list", namespace="shop")


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("pods_get", {"namespace": "shop", "name": "nobody"}, "its pods are: checkout-7c9d6f5b84-x2x7k"),
        ("pods_delete", {"namespace": "shop", "name": "nobody"}, "not found in namespace shop"),
        ("pods_list", {"namespace": "nowhere"}, "there are: shop"),
        ("pods_log", {**POD, "container": "sidecar"}, "its containers are: app"),
        ("resources_list", {"apiVersion": "v1", "kind": "Gateway"}, "v1 ConfigMap"),
        ("resources_get", {"apiVersion": "v1", "kind": "Service", "name": "nothing"}, "resources_list shows"),
    ],
)
async def test_what_does_not_exist_is_an_error_that_says_what_does(
    tool: str, arguments: dict[str, object], hint: str
) -> None:
    assert hint in await complaint(tool, **arguments)


async def test_every_execution_is_on_record_when_it_starts_and_when_it_ends(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    async with lab(TARSY_LAB_CALLS=str(calls)) as client:
        deleted = await client.call_tool("pods_delete", POD)
        await client.call_tool("pods_get", {"namespace": "shop", "name": "nobody"})

    assert text_of(deleted) == f'pod "{POD["name"]}" deleted from shop namespace'
    assert [(line["tool"], line["phase"], line.get("outcome")) for line in recorded(calls)] == [
        ("pods_delete", "started", None),
        ("pods_delete", "finished", "ok"),
        ("pods_get", "started", None),
        ("pods_get", "finished", "error"),
    ]
    assert recorded(calls)[0]["arguments"] == POD


async def test_a_delay_for_one_tool_holds_only_that_tool_after_its_start_is_on_record(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    environment = {"TARSY_LAB_CALLS": str(calls), "TARSY_LAB_DELAY_SECONDS_pods_delete": "600"}
    async with asyncio.timeout(90), lab(**environment) as client:
        held = asyncio.create_task(client.call_tool("pods_delete", POD))
        while not (calls.exists() and recorded(calls)):  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.02)
        await client.call_tool("namespaces_list", {})
        assert not held.done()
        held.cancel()
        await asyncio.wait([held])

    assert [(line["tool"], line["phase"]) for line in recorded(calls)] == [
        ("pods_delete", "started"),
        ("namespaces_list", "started"),
        ("namespaces_list", "finished"),
    ]


async def test_tools_wait_as_long_as_the_file_that_holds_them_exists(tmp_path: Path) -> None:
    calls, hold = tmp_path / "calls.jsonl", tmp_path / "hold"
    hold.touch()
    server = build(Cluster([Evidence(CRASH_LOOP)]), CallLog(path=calls, hold=hold))
    async with asyncio.timeout(90), Client(server) as client:
        held = asyncio.create_task(client.call_tool("namespaces_list", {}))
        while not (calls.exists() and recorded(calls)):  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.02)
        assert not held.done()
        hold.unlink()
        await held
    assert [line["phase"] for line in recorded(calls)] == ["started", "finished"]


async def test_a_file_that_names_tools_holds_only_those(tmp_path: Path) -> None:
    calls, hold = tmp_path / "calls.jsonl", tmp_path / "hold"
    hold.write_text("pods_log pods_delete\n", "utf-8")
    server = build(Cluster([Evidence(CRASH_LOOP)]), CallLog(path=calls, hold=hold))
    async with asyncio.timeout(90), Client(server) as client:
        held = asyncio.create_task(client.call_tool("pods_delete", POD))
        await client.call_tool("namespaces_list", {})
        while len(recorded(calls)) < 3:  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0.02)
        assert not held.done()
        hold.unlink()
        await held


@pytest.mark.parametrize(
    "folders", [[INCIDENTS], sorted(file.parent for file in INCIDENTS.glob("*/incident.yaml"))], ids=["whole", "each"]
)
async def test_several_incidents_are_one_cluster(folders: list[Path]) -> None:
    log_of = {"namespace": "storefront", "name": "mobile-gateway-59c7b4d8f6-8hz2r"}
    async with lab(*folders) as client:
        namespaces = text_of(await client.call_tool("namespaces_list", {})).split()
        pods = text_of(await client.call_tool("pods_list", {}))
        nodes = text_of(await client.call_tool("resources_list", {"apiVersion": "v1", "kind": "Node"}))
        of_one = text_of(await client.call_tool("events_list", {"namespace": "warehouse"}))
        log = text_of(await client.call_tool("pods_log", log_of))

    assert namespaces == ["cert-manager", "dns", "fulfilment", "shop", "storefront", "warehouse"]
    assert {"checkout-7c9d6f5b84-x2x7k", "stock-reindex-29918220-7m2xk", log_of["name"]} <= set(pods.split())
    assert "worker-3.shop-eu-1.example.com" in nodes
    assert "worker-5.shop-eu-1.example.com" in nodes
    assert "exceeded quota" in of_one
    assert "checkout" not in of_one
    assert "x509: certificate has expired" in log


CONNECTIONS = 'sum by (namespace) (pg_stat_activity_count{namespace="fulfilment"}) / 200 > 0.9'
SETTINGS = {"namespace": "fulfilment", "name": "fulfilment-settings", "revision": 17}


async def test_a_rollback_shows_in_the_metrics_and_its_dry_run_does_not(tmp_path: Path) -> None:
    cluster = Cluster([Evidence(INCIDENTS / "connection-exhaustion")])
    for calls in (CallLog(), CallLog(path=tmp_path / "calls.jsonl")):
        async with Client(build(cluster, calls)) as client:
            history = text_of(await client.call_tool("helm_history", {k: SETTINGS[k] for k in ("namespace", "name")}))
            assert "keep connections warm for the sale" in history
            tried = text_of(await client.call_tool("helm_rollback", {**SETTINGS, "dry_run": True}))
            assert '+ POOL_MIN_IDLE: "5"' in tried
            assert "0.985" in text_of(await client.call_tool("prometheus_query", {"query": CONNECTIONS}))
            await client.call_tool("helm_rollback", SETTINGS)
            assert '"result":[]' in text_of(await client.call_tool("prometheus_query", {"query": f" {CONNECTIONS}\n"}))
            unknown = await client.call_tool("helm_rollback", {**SETTINGS, "revision": 3})
            assert "it can be rolled back to: 17" in text_of(unknown)
            assert CONNECTIONS in text_of(await client.call_tool("prometheus_query", {"query": "up"}))


async def refusal(*folders: Path) -> str:
    """What the server says when it does not start."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tarsy_lab", *map(str, folders), stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(90):
        _, said = await process.communicate()
    assert process.returncode == 2
    return said.decode()


async def test_a_folder_that_is_no_incident_is_refused_with_a_sentence(tmp_path: Path) -> None:
    said = await refusal(CRASH_LOOP, tmp_path)
    assert f"{tmp_path} is not an incident: it has no incident.yaml, and no folder in it has one" in said


async def test_two_incidents_with_the_same_object_are_refused_with_its_name(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "objects").mkdir(parents=True)
    for file in ("incident.yaml", "objects/service.yaml"):
        (other / file).write_bytes((CRASH_LOOP / file).read_bytes())
    (other / "events.yaml").write_text("", encoding="utf-8")

    said = await refusal(INCIDENTS, tmp_path)

    assert f'Service "checkout" in namespace shop is in {CRASH_LOOP} and in {other}' in said
    assert "Traceback" not in said
