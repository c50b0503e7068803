"""Gateways in processes of their own, on the Kafka of the test, with hostile servers behind them."""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from pydantic import JsonValue

from chaos.hostile import PROGRAM, environment
from tarsy_bus.client.connection import Bus
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import ServiceProcess, System, running

STOP_SECONDS = 90.0

CONFIGURATION: dict[str, JsonValue] = {
    "agent_chains": {"k": {"alert_types": ["kubernetes"], "stages": [{"name": "s", "agents": [{"name": "A"}]}]}},
    "llm_providers": {"scripted": {"type": "scripted", "script": "tarsy.yaml"}},
    "defaults": {"llm_provider": "scripted"},
}

type Servers = Mapping[str, JsonValue]


def over_http(url: str, *, concurrent: int, queue: int = 64) -> JsonValue:
    return {"transport": {"type": "http", "url": url}, "max_concurrent_calls": concurrent, "queue_size": queue}


def over_stdio(calls_file: Path, *, concurrent: int, queue: int = 64) -> JsonValue:
    transport: JsonValue = {
        "type": "stdio",
        "protocol": "legacy",
        "command": sys.executable,
        "args": [str(PROGRAM)],
        "env": {**environment(calls_file)},
    }
    return {"transport": transport, "max_concurrent_calls": concurrent, "queue_size": queue}


class Gateways:
    """`folder` is theirs: the configuration, and their logs."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._names = (f"gateway-{number}" for number in count(1))
        self.bus = system.bus
        self.folder = system.folder

    async def at_least(self, wanted: int) -> list[str]:
        """The names of all that live, once that many do, and are ready."""
        missing = wanted - len(self._alive())
        started = [self._system.start("tool-gateway", name=next(self._names)) for _ in range(missing)]
        await asyncio.gather(*(self._system.until_ready(one) for one in started))
        return [one.name for one in self._alive()]

    def pid(self, name: str) -> int:
        return self._named(name).process.pid

    def kill(self, name: str) -> None:
        self._named(name).kill()

    def terminate(self, name: str) -> None:
        self._named(name).process.terminate()

    async def exit_code(self, name: str) -> int:
        return await asyncio.to_thread(self._named(name).process.wait, STOP_SECONDS)

    def _alive(self) -> list[ServiceProcess]:
        return self._system.alive("tool-gateway")

    def _named(self, name: str) -> ServiceProcess:
        (found,) = [one for one in self._system.processes if one.name == name]
        return found


@contextmanager
def prepared(bus: Bus, folder: Path, servers: Servers, forks: ServiceForks | None = None) -> Iterator[Gateways]:
    """None runs yet; all have ended afterwards. JSON is YAML, too."""
    agents = {"A": {"mcp_servers": list(servers)}}
    configuration = {**CONFIGURATION, "agents": agents, "mcp_servers": dict(servers)}
    (folder / "tarsy.yaml").write_text(json.dumps(configuration), encoding="utf-8")
    with running(System(bus, folder, folder, database_url="", database_schema="", forks=forks)) as system:
        yield Gateways(system)


def source(name: str) -> str:
    """How the reports of the gateway of that name are signed."""
    return f"tool-gateway/{name}"
