"""The HTTP API keeps its contract, whatever it is asked: no answer that openapi.json does not say, no failure of ours.

The requests are made from the document, valid ones and others, always the same (schemathesis, derandomized); those that
no document leads to are written down here.
"""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tarsy_auth.api_keys import digest_of, new_key
from tarsy_local.front_door.routes import OUTSIDE, service_of
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually
from tarsy_testing.system.system import ROOT, System


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "schemas/openapi.json").read_text("utf-8"))
    return found


KEY = new_key(lambda count: b"k" * count)
CREDENTIAL = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
async def running(system: System, tmp_path: Path) -> System:
    """The services that answer HTTP, and the owner of sessions. Only who has the key may ask."""
    file = tmp_path / "auth.yaml"
    await asyncio.to_thread(
        file.write_text, f"keys: [{{name: ann, role: admin, sha256: {digest_of(KEY)}}}]", encoding="utf-8"
    )
    system.environment |= {"TARSY_WAIT_SECONDS": "20", "TARSY_AUTH_FILE": str(file), "TARSY_API_KEY": KEY}
    port = free_port()
    system.environment["TARSY_INGEST_URL"] = f"http://127.0.0.1:{port}"
    system.start("timeline")
    system.start("ingest", port=port)
    system.start("orchestrator")
    for process in system.processes:
        await system.until_ready(process)
    await until_the_configuration_is_read(system)
    return system


async def until_the_configuration_is_read(system: System) -> None:
    """The timeline is ready before the ingest has told it the budgets: until then it answers 503."""
    async with httpx2.AsyncClient(base_url=system.of("timeline").url, headers=CREDENTIAL, timeout=90) as client:

        async def answered() -> bool:
            return (await client.get("/api/v1/budgets")).status_code == 200

        await eventually(answered, "the budgets of the configuration")


def url_of(system: System, path: str) -> str:
    service = service_of(path, OUTSIDE)
    assert service is not None, path
    return system.of(service).url


async def test_every_operation_keeps_its_promise(running: System, document: dict[str, Any]) -> None:
    # Here, as each process of a test run imports this file, and schemathesis takes a second.
    from api_promises import broken_promises

    wrong = await asyncio.to_thread(broken_promises, document, partial(url_of, running), CREDENTIAL)
    wrong += await answers_to_strangers(running, document)
    wrong += await odd_answers(running)
    wrong += await other_documents(running, document)
    await until_a_joined_alert_is_answered_with_its_sessions_state(running)
    assert wrong == [], "\n\n".join(wrong)


async def until_a_joined_alert_is_answered_with_its_sessions_state(running: System) -> None:
    """The owner's heads reach the answers of ingest."""
    ingest = running.of("ingest").url
    async with httpx2.AsyncClient(base_url=ingest, headers=CREDENTIAL, timeout=90, trust_env=False) as client:

        async def answered() -> bool:
            answer = await client.post("/api/v1/alerts", json={"data": "the same, again and again"})
            return answer.json().get("session_status") is not None

        await eventually(answered, "the state of the session that an alert joined")


JSON = {"Content-Type": "application/json"}
ODD: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/api/v1/sessions/%00", {}, 400),
    ("GET", "/api/v1/sessions/a%00b/status", {}, 400),
    ("GET", "/api/v1/sessions/%ff%fe", {}, 400),
    ("GET", f"/api/v1/sessions/{'a' * 5_000}", {}, 400),
    ("GET", "/api/v1/sessions?page=99999999999999999999999999", {}, 400),
    ("GET", "/api/v1/sessions?page=1e3", {}, 400),
    ("GET", "/api/v1/sessions?page_size=NaN", {}, 400),
    ("GET", "/api/v1/sessions?page=1000000&page_size=100", {}, 200),
    ("GET", "/api/v1/sessions?search=%00%00%00", {}, 400),
    ("GET", "/api/v1/sessions?search=%ff%fe%fd", {}, 200),
    ("GET", "/api/v1/sessions?search=%ed%a0%80abc", {}, 200),
    ("GET", "/api/v1/sessions?alert_type=%00", {}, 400),
    ("GET", "/api/v1/sessions?start_date=0001-01-01T00:00:00Z", {}, 200),
    ("GET", "/api/v1/sessions?end_date=9999-12-31T23:59:59-23:59", {}, 400),
    ("GET", "/api/v1/sessions?start_date=0001-01-01T00:00:00%2B01:00", {}, 400),
    ("GET", "/api/v1/sessions?start_date=99999-01-01T00:00:00Z", {}, 400),
    ("GET", "/api/v1/sessions?nothing=1", {}, 400),
    ("GET", "/api/v1/sessions/some?at_least=99999999999999999999", {}, 400),
    ("GET", "/api/v1/sessions/some/tool-calls/12345678/result?search=(", {}, 400),
    ("GET", "/api/v1/sessions/some/tool-calls/12345678/result?search=%00", {}, 404),
    ("GET", "/api/v1/sessions/some/tool-calls/12345678/result?from=yesterday", {}, 400),
    ("GET", "/api/v1/system/mcp-servers/%00", {}, 404),
    ("GET", "/api/v1/system/default-tools?alert_type=%00", {}, 400),
    ("DELETE", "/api/v1/sessions", {}, 405),
    ("POST", "/api/v1/sessions/some", {}, 405),
    ("PUT", "/api/v1/alerts", {"content": b"{}"}, 405),
    ("GET", "/api/v1/alerts", {}, 405),
    ("POST", "/api/v1/alerts", {"content": b"\xff\xfe{", "headers": JSON}, 400),
    ("POST", "/api/v1/alerts", {"content": b""}, 415),
    ("POST", "/api/v1/alerts", {"content": b"", "headers": JSON}, 400),
    ("POST", "/api/v1/alerts", {"content": b"[" * 100_000, "headers": JSON}, 400),
    ("POST", "/api/v1/alerts", {"content": b'{"data": "x", "priority": 1e400}', "headers": JSON}, 400),
    ("POST", "/api/v1/alerts", {"content": b'{"data": "\\ud800"}', "headers": JSON}, 400),
    ("POST", "/api/v1/alerts", {"content": b"data=x", "headers": {"Content-Type": "image/png"}}, 415),
    ("POST", "/api/v1/alerts/alertmanager", {"content": b"null", "headers": JSON}, 400),
    ("POST", "/api/v1/sessions/some/chat/messages", {"content": b"\xff", "headers": JSON}, 400),
    ("POST", "/api/v1/sessions/some/chat/messages", {"json": {"content": "\0"}}, 404),
    ("POST", "/api/v1/sessions/some/chat/messages", {"content": b"x", "headers": {"Content-Type": "text/xml"}}, 415),
    ("POST", "/api/v1/sessions/some/fail", {"content": b'{"reason": "\\ud800"}', "headers": JSON}, 400),
    ("POST", "/api/v1/sessions/some/fail", {"content": b"[" * 100_000, "headers": JSON}, 400),
    ("POST", "/api/v1/sessions/%00/cancel", {}, 400),
    ("GET", "/docs", {}, 404),
    ("GET", "/redoc", {}, 404),
]


async def answers_to_strangers(running: System, document: dict[str, Any]) -> list[str]:
    """Operations that answer something else than 401 to somebody without a key."""
    wrong = []
    async with httpx2.AsyncClient(timeout=90) as client:
        for path, methods in document["paths"].items():
            for method in methods:
                url = f"{url_of(running, path)}{path.replace('{', '').replace('}', '')}"
                answer = await client.request(method, url)
                if (answer.status_code, answer.headers["content-type"]) != (401, "application/problem+json"):
                    wrong.append(f"{method} {path} without a key: {answer.status_code}: {answer.text[:300]}")
    return wrong


async def odd_answers(running: System) -> list[str]:
    wrong = []
    async with httpx2.AsyncClient(headers=CREDENTIAL, timeout=90) as client:
        for method, path, parts, status in ODD:
            service = service_of(path.partition("?")[0], OUTSIDE) or "timeline"
            answer = await client.request(method, f"{running.of(service).url}{path}", **parts)
            is_problem = answer.status_code < 400 or answer.headers["content-type"] == "application/problem+json"
            if answer.status_code != status or not is_problem:
                wrong.append(
                    f"{method} {path} {str(parts)[:200]}: {answer.status_code}, not {status}: {answer.text[:300]}"
                )
    return wrong


async def other_documents(running: System, document: dict[str, Any]) -> list[str]:
    async with httpx2.AsyncClient(headers=CREDENTIAL, timeout=90) as client:
        served = {one.name: (await client.get(f"{one.url}/openapi.json")).json() for one in running.processes}
    return [f"{name} answers another document than schemas/openapi.json" for name in served if served[name] != document]
