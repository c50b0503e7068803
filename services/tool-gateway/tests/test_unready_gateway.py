"""A whole gateway with a server that is configured wrongly: it says so on its page, and works all the same."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from gateway_owner import DEAD_AFTER_SECONDS, Owner, call
from prometheus_client import CollectorRegistry

from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.app import build
from tarsy_tool_gateway.settings import ToolGatewaySettings

STOP_SECONDS = 90.0
AROUND = {
    "agents": {"A": {"mcp_servers": ["first"]}},
    "agent_chains": {"k": {"alert_types": ["kubernetes"], "stages": [{"name": "s", "agents": [{"name": "A"}]}]}},
    "llm_providers": {"scripted": {"type": "scripted", "script": "tarsy.yaml"}},
    "defaults": {"llm_provider": "scripted"},
}


def configure(folder: Path, calls_file: Path, *, late: Path) -> None:
    """Two servers: one that is right, and one whose program is not there yet. YAML can be written as JSON."""
    program = str(Path(__file__).with_name("small_server.py"))
    env = {"CALLS": str(calls_file)}
    first = {"transport": {"type": "stdio", "command": sys.executable, "args": [program], "env": env}}
    wrong = {"transport": {"type": "stdio", "command": str(late), "args": [program], "env": env}}
    text = json.dumps({"mcp_servers": {"first": first, "wrong": wrong}, **AROUND})
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")


@asynccontextmanager
async def serving(settings: ToolGatewaySettings) -> AsyncIterator[httpx2.AsyncClient]:
    registry, stop = CollectorRegistry(), asyncio.Event()
    service = build(settings, registry)
    running = asyncio.create_task(
        run_services(
            [service],
            host="127.0.0.1",
            port=settings.http_port,
            registry=registry,
            shutdown_seconds=STOP_SECONDS / 2,
            stop=stop,
        )
    )
    try:
        async with httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{settings.http_port}", timeout=STOP_SECONDS
        ) as client:
            yield client
    finally:
        stop.set()
        await asyncio.wait([running], timeout=STOP_SECONDS)
        running.result()


async def test_a_wrong_server_keeps_the_gateway_unready_with_the_reason_while_calls_to_others_run(
    owner: Owner, tmp_path: Path, calls_file: Path
) -> None:
    late = tmp_path / "late"
    configure(tmp_path, calls_file, late=late)
    settings = ToolGatewaySettings(
        kafka=owner.bus.bootstrap,
        topic_prefix=owner.bus.topics.prefix,
        client="gateway",
        config_dir=tmp_path,
        http_port=free_port(),
        dead_after_seconds=DEAD_AFTER_SECONDS,
    )
    async with serving(settings) as client:

        async def answer() -> dict[str, object] | None:
            try:
                found: dict[str, object] = (await client.get("/ready")).json()
            except httpx2.TransportError:
                return None
            return found

        async def is_refused() -> bool:
            reasons = ((await answer()) or {}).get("reasons")
            told = f"MCP server wrong: the command {late} cannot be started: No such file or directory"
            return reasons == {"tool-gateway": [told]}

        async def is_ready() -> bool:
            return ((await answer()) or {}).get("ready") is True

        await eventually(is_refused, "the readiness page says what is wrong")
        fine = call("echo", repeatable=True, text="fine")
        await owner.ask(fine)
        assert (await owner.result(fine)).content == "fine"
        assert await is_refused()
        assert (await client.get("/health")).status_code == 200

        late.symlink_to(sys.executable)
        await eventually(is_ready, "it is ready once the program is there")
        late.unlink()
        dying = call("die", server="wrong")
        await owner.ask(dying)
        await owner.grant(await owner.claim(dying))
        await owner.result(dying)
        assert await is_ready()
