"""A whole TARSy for benchmarks: Kafka, PostgreSQL, every service in processes of its own, a model and an MCP server."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from outside import TURNS, Outside, ToolKind, outside
from saying import say

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))

from tarsy_testing.system.system import System  # noqa: E402 - it lies beside the tests

LEAST_ITERATIONS, MORE_ITERATIONS = 20, 5
"""Limit of iterations, which is above the turns of a session: it is not told to conclude."""
AT_ONCE = 5_000
"""No limit of the configuration is to be met: sessions, calls of the model, calls of the tool."""
CONFIG = """
defaults:
  alert_type: bench
  llm_provider: bench
  max_iterations: {most_iterations}
llm_providers:
  bench: {{type: openai, model: bench, base_url: "{model_url}"}}
mcp_servers:
  bench:
    transport: {{type: http, url: "{tools_url}"}}
    allow: all
    max_concurrent_calls: {at_once}
    queue_size: {at_once}
agents:
  BenchAgent:
    mcp_servers: [bench]
agent_chains:
  bench:
    alert_types: [bench]
    stages:
      - name: investigation
        agents: [{{name: BenchAgent}}]
{more}"""


@dataclass(frozen=True, slots=True)
class Plan:
    """Seconds of an answer and of a tool call; how many processes of the services that can have several.

    `turns` tools are asked for in a session. `noting`: the model notes when it was asked, and when it had answered.
    """

    model_seconds: float
    tool_seconds: float
    orchestrators: int = 1
    gateways: int = 1
    turns: int = TURNS
    noting: bool = False
    tool: ToolKind = "reads"
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Whole:
    system: System
    around: Outside
    kafka: int
    postgres: int

    @property
    def bus(self) -> Bus:
        return self.system.bus

    def processes(self) -> dict[str, int]:
        services = {one.name: one.process.pid for one in self.system.processes if one.process.poll() is None}
        return {**services, "Kafka": self.kafka, "PostgreSQL": self.postgres, **self.around.processes}


@contextmanager
def servers(folder: Path) -> Iterator[tuple[EmbeddedKafka, EmbeddedPostgres]]:
    """As `tarsy up` starts them."""
    kafka = EmbeddedKafka(folder / "kafka", port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None)
    postgres = EmbeddedPostgres(folder / "postgres", port=free_port(), progress=lambda _: None)
    with postgres, kafka:
        yield kafka, postgres


@contextmanager
def prepared(plan: Plan) -> Iterator[Whole]:
    """All but the services runs. It is on the main thread, with which Kafka and PostgreSQL end."""
    with (
        tempfile.TemporaryDirectory(prefix="tarsy-bench-", ignore_cleanup_errors=True) as name,
        outside(
            model_seconds=plan.model_seconds,
            tool_seconds=plan.tool_seconds,
            turns=plan.turns,
            noting=plan.noting,
            tool=plan.tool,
        ) as around,
        servers(Path(name)) as (kafka, postgres),
    ):
        folder = Path(name)
        (folder / "config").mkdir()
        (folder / "config" / "tarsy.yaml").write_text(
            CONFIG.format(
                model_url=around.model_url,
                tools_url=around.tools_url,
                at_once=AT_ONCE,
                most_iterations=max(LEAST_ITERATIONS, plan.turns + MORE_ITERATIONS),
                more=_more(),
            )
        )
        bus = Bus(
            bootstrap=kafka.bootstrap,
            topics=Topics("tarsy"),
            client="benchmark",
            session_timeout_ms=3_000,
            heartbeat_ms=500,
        )
        system = System(
            bus=bus,
            folder=folder,
            config_dir=folder / "config",
            database_url=postgres.url,
            database_schema="tarsy",
            environment={"TARSY_LLM_CALLS_AT_ONCE": str(AT_ONCE), "TARSY_LOG_LEVEL": "WARNING", **plan.environment},
        )
        yield Whole(system, around, kafka=kafka.pid, postgres=postgres.pid)


@asynccontextmanager
async def serving(whole: Whole, plan: Plan) -> AsyncIterator[None]:
    """The services run in the body."""
    await apply_topics(whole.bus)
    system = whole.system
    try:
        timeline = system.start("timeline", name="timeline")
        system.environment["TARSY_TIMELINE_URL"] = timeline.url
        for service in ("websocket-gateway", "summarizer", "ingest"):
            system.start(service, name=service)
        for number in range(1, plan.gateways + 1):
            system.start("tool-gateway", name=f"tool-gateway-{number}")
        for number in range(1, plan.orchestrators + 1):
            system.start("orchestrator", name=f"orchestrator-{number}")
        for process in list(system.processes):
            await system.until_ready(process)
        yield
    finally:
        await asyncio.to_thread(system.stop_all)
        for process in system.processes:
            tell_of_complaints(process.name, process.log)


def tell_of_complaints(name: str, log: Path) -> None:
    """How often a service warned, and of what."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    if lines:
        say(f"{name} logged {len(lines)} lines, the last: {lines[-1][:300]}")


def _more() -> str:
    """A limit of sessions, once the configuration knows one."""
    from tarsy_config.config import Config

    return f"queue: {{max_concurrent_sessions: {AT_ONCE}}}\n" if "queue" in Config.model_fields else ""
