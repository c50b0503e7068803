"""Login of the page at the front door of `tarsy up --processes`: each service behind it knows the cookie by itself."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator

import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tarsy_processes.ports import free_port
from tarsy_testing.browser.login_world import GROUP_KEYS, NAME, SERVICES_KEY, LoginWorld, write_auth_file
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.openid_server import openid_server
from tarsy_testing.story.incident import alert_now
from tarsy_testing.story.projection import once_projected
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import environment, tarsy

pytestmark = pytest.mark.asyncio(loop_scope="module")

WAIT_SECONDS = 90.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory, forks: ServiceForks) -> AsyncIterator[LoginWorld]:
    folder, port = tmp_path_factory.mktemp("login"), free_port()
    async with openid_server(f"http://{NAME}:{port}/login/callback") as provider:
        file = write_auth_file(folder, provider)
        surroundings = environment(TARSY_AUTH_FILE=str(file), TARSY_API_KEY=SERVICES_KEY)
        with tarsy(folder / "tarsy", environment=surroundings, forks=forks) as one:
            one.http_port = port
            await asyncio.to_thread(one.up, "--processes")
            yield LoginWorld(f"http://{NAME}:{port}", port, provider)
    shutil.rmtree(folder, ignore_errors=True)


async def test_whoever_logged_in_reads_submits_and_watches_until_he_logs_out(world: LoginWorld) -> None:
    async with httpx2.AsyncClient(base_url=world.url, timeout=WAIT_SECONDS) as browser:
        assert (await browser.get("/api/v1/sessions")).status_code == 401
        assert (await browser.get("/login/available")).json() == {"available": True, "renewable": False}
        answer = await world.log_in(browser, "/servers")
        assert (answer.status_code, answer.headers["location"]) == (303, "/servers")

        me = (await browser.get("/api/v1/me")).json()
        assert (me["name"], me["role"], me["door"]) == ("ada@example.com", "responder", "token")
        own = {"Origin": world.url}
        taken = await browser.post("/api/v1/alerts/alertmanager", json=alert_now(), headers=own)
        assert taken.status_code == 202, taken.text
        session = taken.json()["alerts"][0]["session_id"]
        detail = await once_projected(browser, f"/api/v1/sessions/{session}?at_least=1")
        assert (detail.status_code, detail.json()["author"]) == (200, "ada@example.com")
        await check_that_the_cookie_watches(world, f"tarsy={browser.cookies['tarsy']}")

        assert (await browser.post("/logout", headers={"Origin": "https://evil.example"})).status_code == 403
        assert (await browser.post("/logout", headers=own)).status_code == 204
        assert (await browser.get("/api/v1/me")).status_code == 401


async def test_a_key_for_session_groups_finds_their_sessions_at_every_door(world: LoginWorld) -> None:
    async with httpx2.AsyncClient(base_url=world.url, timeout=WAIT_SECONDS, headers=bearer(SERVICES_KEY)) as services:
        taken = await services.post("/api/v1/alerts/alertmanager", json=alert_now())
        session = taken.json()["alerts"][0]["session_id"]
        assert (await once_projected(services, f"/api/v1/sessions/{session}?at_least=1")).status_code == 200
    for group, sees in {"shop": True, "elsewhere": False}.items():
        headers = bearer(GROUP_KEYS[group])
        async with httpx2.AsyncClient(base_url=world.url, timeout=WAIT_SECONDS, headers=headers) as viewer:
            assert (await viewer.get("/api/v1/me")).json()["session_groups"] == [group]
            listed = (await viewer.get("/api/v1/sessions")).json()["sessions"]
            assert (session in [one["id"] for one in listed]) is sees
            for path in ("", "/timeline", "/trace", "/summary"):
                assert (await viewer.get(f"/api/v1/sessions/{session}{path}")).status_code == (200 if sees else 404)
        assert await subscribed(world, headers, session) is sees
        assert await found_over_mcp(world, headers, session) is sees


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def subscribed(world: LoginWorld, headers: dict[str, str], session: str) -> bool:
    """False where the session is unknown. Who is told that its history is not available now subscribes again."""
    async with connect(world.socket, additional_headers=headers) as socket:
        assert "connection.established" in str(await socket.recv())

        async def answered() -> str:
            await socket.send(json.dumps({"action": "subscribe", "channel": f"session:{session}"}))
            answer = json.loads(await socket.recv())
            return str(answer.get("code", answer["type"])).replace("unavailable", "")

        answer = await eventually(answered, "an answer to a subscription")
    assert answer in ("subscription.confirmed", "unknown_session")
    return answer == "subscription.confirmed"


async def found_over_mcp(world: LoginWorld, headers: dict[str, str], session: str) -> bool:
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT_SECONDS) as http:
        transport = streamable_http_client(f"{world.url}/mcp", http_client=http)
        async with Client(transport, read_timeout_seconds=WAIT_SECONDS) as client:
            result = await client.call_tool("read_session", {"session_id": session})
    return not result.is_error


async def check_that_the_cookie_watches(world: LoginWorld, cookie: str) -> None:
    """From our own page, and from no other."""
    headers = {"Cookie": cookie}
    async with asyncio.timeout(WAIT_SECONDS):
        async with connect(world.socket, additional_headers=headers, origin=Origin(world.url)) as socket:
            assert "connection.established" in str(await socket.recv())
        with pytest.raises(InvalidStatus) as refused:
            await connect(world.socket, additional_headers=headers, origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403
