"""Login of the page at the front door of `tarsy up --processes`: each service behind it knows the cookie by itself."""

import asyncio
import shutil
from collections.abc import AsyncIterator

import httpx2
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tarsy_incident import alert_now
from tarsy_login_world import NAME, SERVICES_KEY, LoginWorld, write_auth_file
from tarsy_openid_server import openid_server
from tarsy_processes.ports import free_port
from tarsy_service_forks import ServiceForks
from tarsy_up import environment, tarsy

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
            yield LoginWorld(f"http://{NAME}:{port}", provider)
    shutil.rmtree(folder, ignore_errors=True)


async def test_whoever_logged_in_reads_submits_and_watches_until_he_logs_out(world: LoginWorld) -> None:
    async with httpx2.AsyncClient(base_url=world.url, timeout=WAIT_SECONDS) as browser:
        assert (await browser.get("/api/v1/sessions")).status_code == 401
        assert (await browser.get("/login/available")).json() == {"available": True}
        answer = await world.log_in(browser, "/servers")
        assert (answer.status_code, answer.headers["location"]) == (303, "/servers")

        me = (await browser.get("/api/v1/me")).json()
        assert (me["name"], me["role"], me["door"]) == ("ada@example.com", "responder", "token")
        own = {"Origin": world.url}
        taken = await browser.post("/api/v1/alerts/alertmanager", json=alert_now(), headers=own)
        assert taken.status_code == 202, taken.text
        session = taken.json()["alerts"][0]["session_id"]
        detail = await browser.get(f"/api/v1/sessions/{session}", params={"at_least": 1})
        assert (detail.status_code, detail.json()["author"]) == (200, "ada@example.com")
        await check_that_the_cookie_watches(world, f"tarsy={browser.cookies['tarsy']}")

        assert (await browser.post("/logout", headers={"Origin": "https://evil.example"})).status_code == 403
        assert (await browser.post("/logout", headers=own)).status_code == 204
        assert (await browser.get("/api/v1/me")).status_code == 401


async def check_that_the_cookie_watches(world: LoginWorld, cookie: str) -> None:
    """From our own page, and from no other."""
    headers = {"Cookie": cookie}
    async with asyncio.timeout(WAIT_SECONDS):
        async with connect(world.socket, additional_headers=headers, origin=Origin(world.url)) as socket:
            assert "connection.established" in str(await socket.recv())
        with pytest.raises(InvalidStatus) as refused:
            await connect(world.socket, additional_headers=headers, origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403
