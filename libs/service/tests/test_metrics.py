"""What a process shows of itself and of its HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from fastapi import APIRouter, WebSocket
from fastapi.responses import StreamingResponse
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect

from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_service.telemetry.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.telemetry.process_metrics import exposition
from tarsy_testing.real_servers import eventually

WAIT_SECONDS = 90.0


class Running:
    def __init__(self) -> None:
        self.registry, self.port = CollectorRegistry(), free_port()
        self.go, self.talked = asyncio.Event(), asyncio.Event()

    def requests(self, method: str, route: str, status: int) -> float | None:
        labels = {"method": method, "route": route, "status": str(status)}
        return self.registry.get_sample_value("tarsy_http_requests_total", labels)

    @property
    def all_requests(self) -> float:
        samples = [one for metric in self.registry.collect() for one in metric.samples]
        return sum(one.value for one in samples if one.name == "tarsy_http_requests_total")

    def ready(self, service: str) -> float | None:
        return self.registry.get_sample_value("tarsy_process_ready", {"service": service})


def router(running: Running) -> APIRouter:
    inner, outer = APIRouter(prefix="/sessions"), APIRouter(prefix="/api/v1")

    @inner.get("/{session_id}")
    async def session(session_id: str) -> str:
        return session_id

    @outer.post("/broken")
    async def broken() -> None:
        raise LookupError("a mistake of ours")

    @outer.get("/stream")
    async def stream() -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"first"
            await running.go.wait()
            yield b"last"

        return StreamingResponse(pieces())

    @outer.websocket("/ws")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text(await websocket.receive_text())
        running.talked.set()

    outer.include_router(inner)
    return outer


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[Running, httpx2.AsyncClient]]:
    running, stop, began = Running(), asyncio.Event(), asyncio.Event()

    async def late(ready: Ready) -> None:
        began.set()
        await running.go.wait()
        ready()
        await asyncio.Event().wait()

    services = [Service("ingest", late, router(running))]
    task = asyncio.create_task(
        run_services(
            services, host="127.0.0.1", port=running.port, registry=running.registry, shutdown_seconds=1, stop=stop
        )
    )
    url = f"http://127.0.0.1:{running.port}"
    async with asyncio.timeout(WAIT_SECONDS), httpx2.AsyncClient(base_url=url, timeout=WAIT_SECONDS) as client:
        await began.wait()
        yield running, client
        stop.set()
        await task


async def test_requests_are_counted_by_the_template_of_their_route() -> None:
    async with serving() as (running, client):
        for session in ("one", "another"):
            await client.get(f"/api/v1/sessions/{session}")
        await client.get("/api/v1/sessions/one?token=secret")
        await client.get("/health")
        assert running.requests("GET", "/api/v1/sessions/{session_id}", 200) == 2
        assert running.requests("GET", "/api/v1/sessions/{session_id}", 400) == 1
        assert running.requests("GET", "/health", 200) == 1
        labels = {"method": "GET", "route": "/api/v1/sessions/{session_id}"}
        assert running.registry.get_sample_value("tarsy_http_request_duration_seconds_count", labels) == 3


async def test_what_nobody_serves_is_one_route_and_what_nobody_knows_one_method() -> None:
    async with serving() as (running, client):
        for path in ("/wp-login.php", "/.env", "/api/v1/nothing"):
            await client.get(path)
        await client.request("PURGE", "/coffee")
        assert running.requests("GET", "other", 404) == 3
        assert running.requests("other", "other", 404) == 1
        shown = exposition(running.registry).decode()
        assert not [word for word in ("wp-login", ".env", "PURGE", "coffee") if word in shown]


async def test_errors_are_counted_by_their_status_also_those_that_nobody_answered() -> None:
    async with serving() as (running, client):
        assert (await client.post("/api/v1/sessions/one")).status_code == 405
        assert (await client.post("/api/v1/broken")).status_code == 500
        assert running.requests("POST", "/api/v1/sessions/{session_id}", 405) == 1
        assert running.requests("POST", "/api/v1/broken", 500) == 1


async def test_a_websocket_works_and_is_no_request(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as (running, client_of_http):
        async with connect(f"ws://127.0.0.1:{running.port}/api/v1/ws") as client:
            await client.send("hello")
            assert await client.recv() == "hello"
        await running.talked.wait()
        await client_of_http.get("/health")
        assert running.all_requests == running.requests("GET", "/health", 200) == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_stream_arrives_piece_by_piece_and_is_counted_at_its_end() -> None:
    async with serving() as (running, client), client.stream("GET", "/api/v1/stream") as answer:
        pieces = answer.aiter_raw()
        assert await anext(pieces) == b"first"
        assert running.all_requests == 0
        running.go.set()
        assert await anext(pieces) == b"last"
        with pytest.raises(StopAsyncIteration):
            await anext(pieces)
        assert running.requests("GET", "/api/v1/stream", 200) == 1


async def test_a_service_is_shown_as_ready_when_it_is() -> None:
    async with serving() as (running, client):
        assert running.ready("ingest") == 0
        running.go.set()

        async def works() -> bool:
            return (await client.get("/ready")).status_code == 200

        await eventually(works, "the service does its work")
        assert running.ready("ingest") == 1


async def test_the_page_of_metrics_can_be_parsed_and_says_what_runs_there() -> None:
    async with serving() as (_, client):
        await client.get("/health")
        answer = await client.get("/metrics")
    assert answer.headers["content-type"] == CONTENT_TYPE_LATEST
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    (info,) = families["tarsy_process_info"].samples
    assert (info.labels["service"], info.value) == ("ingest", 1)
    assert info.labels["version"][0].isdigit()
    assert {"process_resident_memory_bytes", "python_info", "python_gc_collections"} <= families.keys()
    assert not [name for name in families if name.endswith("_created")]


def test_services_of_one_process_share_what_they_tell_of_kafka() -> None:
    registry = CollectorRegistry()
    for service in ("ingest", "timeline"):
        kafka_writes(registry, service)("inbox", "ok", 2, 0.01)
    for service in ("ingest", "timeline"):
        labels = {"service": service, "topic": "inbox"}
        assert registry.get_sample_value("tarsy_kafka_records_total", {**labels, "outcome": "ok"}) == 2
        assert registry.get_sample_value("tarsy_kafka_write_duration_seconds_count", labels) == 1


def test_records_that_cannot_be_parsed_count_from_zero_for_each_topic_that_is_read() -> None:
    registry = CollectorRegistry()
    count = unparsable_records(registry, "orchestrator", ("inbox", "sessions"))
    labels = {"service": "orchestrator", "topic": "inbox"}
    assert registry.get_sample_value("tarsy_kafka_unparsable_records_total", labels) == 0
    count("inbox")
    assert registry.get_sample_value("tarsy_kafka_unparsable_records_total", labels) == 1


def test_a_metric_of_somebody_else_by_the_same_name_is_not_taken_for_ours() -> None:
    registry = CollectorRegistry()
    Counter("tarsy_kafka_write_duration_seconds", "not a histogram", registry=registry)
    with pytest.raises(ValueError, match="Duplicated"):
        kafka_writes(registry, "ingest")
