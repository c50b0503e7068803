"""The chains of tests-e2e/chains/config on a running system: alerts for them, and what the API says of them."""

import asyncio
from pathlib import Path
from uuid import uuid4

import httpx2
from pydantic import JsonValue

from tarsy_contracts.alert import Priority
from tarsy_testing.real_servers import eventually
from tarsy_testing.system.investigation import Investigation, Row
from tarsy_testing.system.system import ROOT, SERVICES, System

CONFIG = ROOT / "tests-e2e" / "chains" / "config"
DATA = "KubePodCrashLooping: pod shop/checkout-7c9d6f5b84-x2x7k restarts again and again."

WHOLE = "crash-loop"
"""The chain that everything happens in."""


def environment(calls: Path, incident: Path) -> dict[str, str]:
    """Variables that the configuration uses. `calls`: where the lab, in `incident`, notes the tools that it runs. While
    there is a file `hold` beside it, tools of the server `slow` that it names wait."""
    return {
        "TARSY_TEST_CALLS": str(calls),
        "TARSY_TEST_HOLD": str(calls.with_name("hold")),
        "TARSY_TEST_INCIDENT": str(incident),
        "TARSY_TEST_RELEASES": str(incident.with_name("connection-exhaustion")),
        "TARSY_TEST_SESSIONS": "100",
        "TARSY_TEST_DELETE_SECONDS": "8",
    }


def ask_for(system: System, alert_type: str, *, priority: Priority = "normal") -> Investigation:
    """Sends an alert for the chain of this name, which joins no other one."""
    body: JsonValue = {"alert_type": alert_type, "data": DATA, "priority": priority}
    answer = system.post("ingest", "/api/v1/alerts", body, key=str(uuid4()))
    return Investigation(system, str(answer["session_id"]))


def cancel(system: System, session_id: str) -> Row:
    return system.post("timeline", f"/api/v1/sessions/{session_id}/cancel", {})


def rows(value: JsonValue) -> list[Row]:
    assert isinstance(value, list)
    return [row for row in value if isinstance(row, dict)]


async def put_in_order(system: System) -> None:
    """One process of each service, all ready, and no session that still runs: as the next test wants it."""
    for service in SERVICES:
        for extra in system.alive(service)[1:]:
            extra.thaw()
            extra.stop()
        for process in system.alive(service) or [system.start(service, port=system.of(service).port)]:
            process.thaw()
            await system.until_ready(process)

    async def look() -> bool:
        found = system.get("/api/v1/sessions/active")
        assert isinstance(found, dict)
        running = [*rows(found["active"]), *rows(found["queued"])]
        for row in running:
            # It may have ended by now: then there is nothing to cancel.
            url = f"{system.of('timeline').url}/api/v1/sessions/{row['id']}/cancel"
            await asyncio.to_thread(httpx2.post, url, timeout=90.0)
        return not running

    await eventually(look, "no session runs any longer")
