"""Services in one process: ready, stopped in time, and never silently dead."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

import httpx2
import pytest
import uvicorn
from prometheus_client import CollectorRegistry

from tarsy_processes.ports import free_port
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import TaskEndedError

WAIT_SECONDS = 90.0


def asking(port: int) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=WAIT_SECONDS)


async def run(
    services: list[Service],
    stop: asyncio.Event,
    *,
    port: int | None = None,
    seconds: float = 60.0,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    async with asyncio.timeout(120):
        await run_services(
            services,
            host="127.0.0.1",
            port=port or free_port(),
            registry=CollectorRegistry(),
            shutdown_seconds=seconds,
            on_ready=on_ready,
            stop=stop,
        )


async def for_ever(ready: Ready) -> None:
    ready()
    await asyncio.Event().wait()


async def test_ready_says_what_it_waits_for_until_all_services_work() -> None:
    began, go, all_ready, stop, port = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event(), free_port()

    async def late(ready: Ready) -> None:
        began.set()
        await go.wait()
        await for_ever(ready)

    services = [Service("early", for_ever), Service("late", late)]
    running = asyncio.create_task(run(services, stop, port=port, on_ready=all_ready.set))
    async with asking(port) as client:
        await began.wait()
        waiting = await client.get("/ready")
        assert (waiting.status_code, waiting.json()["waiting_for"]) == (503, ["late"])
        go.set()
        await all_ready.wait()
        assert (await client.get("/ready")).status_code == 200
        assert (await client.get("/health")).status_code == 200
        missing = await client.get("/nothing")
        assert missing.headers["content-type"] == "application/problem+json"
    stop.set()
    await running


async def test_a_service_that_works_and_is_not_to_be_counted_on_says_why_on_the_readiness_page() -> None:
    all_ready, stop, port = asyncio.Event(), asyncio.Event(), free_port()
    unready_reasons = ["MCP server a: it answered HTTP 401"]
    services = [Service("whole", for_ever), Service("unready", for_ever, unready_reasons=lambda: unready_reasons)]
    running = asyncio.create_task(run(services, stop, port=port, on_ready=all_ready.set))
    async with asking(port) as client:
        await all_ready.wait()
        refused = await client.get("/ready")
        assert (refused.status_code, refused.json()) == (
            503,
            {
                "ready": False,
                "waiting_for": ["unready"],
                "starting": [],
                "reasons": {"unready": unready_reasons},
                "degraded": {},
                "config": {},
            },
        )
        metrics = (await client.get("/metrics")).text
        assert 'tarsy_process_ready{service="unready"} 0.0' in metrics
        assert 'tarsy_process_ready{service="whole"} 1.0' in metrics
        unready_reasons = []
        assert (await client.get("/ready")).status_code == 200
    stop.set()
    await running


async def test_a_service_that_stops_is_not_to_be_counted_on_any_longer() -> None:
    all_ready, stop, told, go, port = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event(), free_port()

    async def drained(ready: Ready) -> None:
        try:
            await for_ever(ready)
        finally:
            told.set()
            await go.wait()

    running = asyncio.create_task(run([Service("ingest", drained)], stop, port=port, on_ready=all_ready.set))
    async with asking(port) as client:
        await all_ready.wait()
        stop.set()
        await told.wait()
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()["reasons"]) == (503, {"ingest": ["it is stopping"]})
        assert (await client.get("/health")).status_code == 200
    go.set()
    await running


async def test_a_service_that_works_in_part_says_so_and_is_counted_on() -> None:
    all_ready, stop, port = asyncio.Event(), asyncio.Event(), free_port()
    services = [Service("ingest", for_ever, degraded_reasons=lambda: ["The alerts topic is not read."])]
    running = asyncio.create_task(run(services, stop, port=port, on_ready=all_ready.set))
    async with asking(port) as client:
        await all_ready.wait()
        answer = await client.get("/ready")
        assert answer.status_code == 200
        assert answer.json()["degraded"] == {"ingest": ["The alerts topic is not read."]}
    stop.set()
    await running


async def test_a_service_that_dies_ends_the_others_and_says_what_it_died_of() -> None:
    ended = asyncio.Event()

    async def orderly(ready: Ready) -> None:
        try:
            await for_ever(ready)
        finally:
            ended.set()

    async def dying(ready: Ready) -> None:
        raise LookupError("no such log")

    with pytest.raises(ExceptionGroup) as died:
        await run([Service("orderly", orderly), Service("dying", dying)], asyncio.Event())
    assert [str(problem) for problem in died.value.exceptions] == ["no such log"]
    assert ended.is_set()


async def test_a_service_that_does_not_end_is_told_again_and_does_not_hold_the_stop_up_for_ever() -> None:
    stop = asyncio.Event()

    async def stubborn(ready: Ready) -> None:
        ready()
        stop.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()

    await run([Service("stubborn", stubborn)], stop, seconds=0.1)


async def test_a_taken_port_is_an_error_before_any_service_runs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        await run([Service("never", for_ever)], asyncio.Event(), port=taken.getsockname()[1])


async def test_a_service_that_is_cancelled_from_inside_has_failed() -> None:
    """As by a Kafka client whose stop raises CancelledError: nobody asked for the end of the service."""

    async def cancelled(ready: Ready) -> None:
        ready()
        own = asyncio.create_task(asyncio.Event().wait())
        own.cancel()
        await own

    with pytest.RaisesGroup(pytest.RaisesExc(TaskEndedError, match="cancelled was cancelled")):
        await run([Service("orderly", for_ever), Service("cancelled", cancelled)], asyncio.Event())


async def test_a_service_that_returns_has_failed() -> None:
    async def returning(ready: Ready) -> None:
        ready()

    with pytest.RaisesGroup(pytest.RaisesExc(TaskEndedError, match="returning ended")):
        await run([Service("returning", returning)], asyncio.Event())


async def test_a_service_that_returns_when_it_is_told_to_stop_has_not_failed() -> None:
    stop = asyncio.Event()

    async def draining(ready: Ready) -> None:
        ready()
        stop.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    await run([Service("draining", draining)], stop)


async def test_an_http_server_that_ends_by_itself_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    async def dying(self: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(uvicorn.Server, "serve", dying)
    with pytest.RaisesGroup(pytest.RaisesExc(TaskEndedError, match="http-.* ended")):
        await run([Service("service", for_ever)], asyncio.Event())
