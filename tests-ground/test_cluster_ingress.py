"""The Ingress of the chart, behind a real controller (Traefik): below a path are page, API, login and WebSocket."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tarsy_ground.cluster.addresses import INGRESS_HOST, NODE_ADDRESS
from tarsy_ground.cluster.ingress_controller import PORT, ingress_controller
from tarsy_ground.cluster.installation import BASE_PATH
from tarsy_ground.cluster.named_address import NamedAddress
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy
from tarsy_testing.browser.login_world import LoginWorld
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.openid_server import OpenIdServer, sections_of, served

ORIGIN = f"https://{INGRESS_HOST}"
ADDRESS = f"{ORIGIN}{BASE_PATH}"
NOWHERE = ("/internal/v1/chains", "/metrics", "/docs", "/redoc")
ME = "/api/v1/me"
SECONDS = 60.0


@pytest.fixture
async def world(configured: ConfiguredTarsy, traefik: Path, tmp_path: Path) -> AsyncIterator[LoginWorld]:
    """People log in at a provider that the controller leads to as well: it has its own address."""
    tarsy, callback = configured.tarsy, f"{ADDRESS}/login/callback"
    provider = OpenIdServer(callback, issuer=f"https://{NODE_ADDRESS}", authorization="")
    tarsy.wait_until_available()
    tarsy.write_keys(sections_of(provider))
    try:
        with tarsy.kubectl.sandbox.network.entered():
            async with served(provider):
                with ingress_controller(tarsy.kubectl, traefik, provider.port, tmp_path):
                    yield LoginWorld(ADDRESS, PORT, provider)
    finally:
        tarsy.write_keys()


@pytest.fixture
async def browser(world: LoginWorld, trusted: ssl.SSLContext) -> AsyncIterator[httpx2.AsyncClient]:
    transport = NamedAddress(NODE_ADDRESS, trusted)
    async with httpx2.AsyncClient(base_url=ADDRESS, transport=transport, timeout=SECONDS) as browser:
        yield browser


@pytest.fixture
def trusted(configured: ConfiguredTarsy) -> ssl.SSLContext:
    """Certificates that the cluster's authority has signed."""
    return ssl.create_default_context(cafile=configured.tarsy.kubectl.kubeconfig.parent / "ca.crt")


async def test_page_api_login_and_websocket_are_below_one_path(
    configured: ConfiguredTarsy, world: LoginWorld, browser: httpx2.AsyncClient, trusted: ssl.SSLContext
) -> None:
    async def knows_the_login() -> bool:
        try:
            answer = await browser.get("/login/available")
        except httpx2.TransportError:
            return False
        return answer.is_success and bool(answer.json()["available"])

    async def name_of_whom_the_timeline_knows() -> str | None:
        answer = await browser.get(ME)
        return str(answer.json()["name"]) if answer.is_success else None

    await eventually(knows_the_login, "the Ingress leads to a page where people log in", seconds=SECONDS)
    key = {"Authorization": f"Bearer {configured.tarsy.keys.operator}"}
    assert (await browser.get(ME, headers=key)).json()["role"] == "operator"
    assert (await browser.get(ME)).status_code == 401
    assert "<title>TARSy</title>" in (await browser.get("/")).text
    for path in [*NOWHERE, *(f"{ORIGIN}{each}" for each in ("/", ME, *NOWHERE))]:
        assert (await browser.get(path, headers=key)).status_code == 404, path

    entered = await world.log_in(browser, "/servers")
    assert (entered.status_code, entered.headers["location"]) == (303, f"{BASE_PATH}/servers")
    assert await eventually(name_of_whom_the_timeline_knows, "the login counts") == "ada@example.com"
    alert = {"alert_type": "quick", "data": "The pods of shop do not answer."}
    taken = await browser.post("/api/v1/alerts", json=alert, headers={"Origin": ORIGIN})
    assert taken.status_code == 202, taken.text
    async with connect(
        f"wss://{INGRESS_HOST}{BASE_PATH}/api/v1/ws",
        host=NODE_ADDRESS,
        ssl=trusted,
        origin=Origin(ORIGIN),
        additional_headers={"Cookie": "; ".join(f"{each.name}={each.value}" for each in browser.cookies.jar)},
    ) as socket:
        assert "connection.established" in str(await socket.recv())
