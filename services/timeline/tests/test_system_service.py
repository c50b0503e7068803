"""The service as it is put together: the API and the metric tell of what gateways say."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
import pytest_asyncio
from prometheus_client import CollectorRegistry

from tarsy_bus.beside import beside
from tarsy_bus.connection import Bus
from tarsy_service.running import Readiness, build_app
from tarsy_telling_gateways import TellingGateway, announce_all, publishing
from tarsy_testing import eventually
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(system_bus: Bus, database_url: str, module_schema: str) -> AsyncIterator[httpx2.AsyncClient]:
    settings = TimelineSettings.model_validate(
        {
            "kafka": system_bus.bootstrap,
            "topic_prefix": system_bus.topics.prefix,
            "database": database_url,
            "database_schema": module_schema,
        }
    )
    registry = CollectorRegistry()
    service = build(settings, registry)
    readiness = Readiness([service.name])
    transport = httpx2.ASGITransport(build_app([service], readiness, registry))

    async def running() -> None:
        await service.run(lambda: readiness.ready(service.name))

    async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client, beside(running()):
        async with asyncio.timeout(60):
            await readiness.all.wait()
        yield client


async def test_a_warning_is_told_by_the_api_and_counted_by_the_metric(
    client: httpx2.AsyncClient, system_bus: Bus
) -> None:
    async def has(line: str) -> bool:
        return line in (await client.get("/metrics")).text.splitlines()

    async with publishing(system_bus) as publisher:
        one = TellingGateway(publisher)
        async with beside(announce_all([one])):
            await one.says("git", error="hung")

            async def warned() -> bool:
                body = (await client.get("/api/v1/system/warnings")).json()
                return [each["server_id"] for each in body["warnings"]] == ["git"]

            await eventually(warned, "the warning")
            await eventually(lambda: has('tarsy_timeline_warnings{category="mcp_health"} 1.0'), "the metric says one")
            await one.says("git")
            await eventually(lambda: has('tarsy_timeline_warnings{category="mcp_health"} 0.0'), "the metric says none")
            servers = (await client.get("/api/v1/system/mcp-servers")).json()["servers"]
            assert [each["id"] for each in servers] == ["git"]
