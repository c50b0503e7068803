"""The front door is asked by its own names only, and marks its own answers."""

import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

sys.path.append(str(Path(__file__).parent))

from door_running import Behind

from tarsy_auth.roles import Role
from tarsy_local.addresses import Addresses
from tarsy_local.front_door.door import Doorway, FrontDoor, guard
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_service.access.allowed_hosts import parse_allowed_hosts
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.base_path import OWN
from tarsy_service.http.metrics import Denial
from tarsy_service.settings.http import HttpSettings
from tarsy_testing.access import authenticate, key_of

POLICY = HttpPolicy(parse_allowed_hosts("tarsy.example"))


@pytest.fixture
def addresses_on(tmp_path: Path) -> Callable[[str], Addresses]:
    def make(http_host: str) -> Addresses:
        return Addresses(
            kafka="127.0.0.1:9092",
            database="postgresql://",
            http_port=8080,
            config_dir=tmp_path,
            topic_prefix="tarsy",
            own_broker=True,
            own_database=True,
            masking_key="",
            token_key="",
            http_host=http_host,
        )

    return make


async def test_the_door_answers_to_its_own_names_only() -> None:
    denied: list[Denial] = []
    door = guard(Doorway(OUTSIDE, HttpProxy(Behind(), lambda *_: None)), POLICY, denied.append)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://127.0.0.1:8080") as client:
        statuses = [
            (await client.get("/docs", headers={"host": host})).status_code
            for host in ("127.0.0.1:8080", "localhost", "tarsy.example", "rebound.example", "")
        ]
        answer = await client.get("/docs")
    assert statuses == [404, 404, 404, 421, 400]
    assert denied == ["host", "host_header"]
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")


async def test_below_a_path_the_door_leads_as_without_it() -> None:
    proxied = HttpProxy(Behind(), lambda *_: None, wait_seconds=0.0)
    door = guard(Doorway(OUTSIDE, proxied), HttpPolicy(base_path="/tarsy"))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://localhost") as client:
        for before in ("", "/tarsy"):
            # No instance runs behind it.
            said = [
                (await client.get(f"{before}{path}")).json()["detail"] for path in ("/", "/api/v1/alerts", "/internal")
            ]
            names = ("No websocket-gateway answers now", "No ingest answers now", "This address leads to no service")
            assert [one.startswith(name) for one, name in zip(said, names, strict=True)] == [True] * 3, said


def test_no_route_of_ours_could_be_below_a_base_path() -> None:
    assert {route.prefix.split("/")[1].partition(".")[0] for route in OUTSIDE} - {""} <= OWN | {"openapi"}


async def test_an_answer_of_a_service_keeps_its_own_headers() -> None:
    async def page(_: object) -> JSONResponse:
        return JSONResponse({}, headers={"cache-control": "no-cache", "content-security-policy": "ours"})

    app = guard(Starlette(routes=[Route("/", page)]), POLICY)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        headers = (await client.get("/")).headers
    assert headers.get_list("cache-control") == ["no-cache"]
    assert headers.get_list("content-security-policy") == ["ours"]


def test_the_services_behind_answer_to_the_names_of_the_door(
    addresses_on: Callable[[str], Addresses], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "build-7")
    monkeypatch.setenv("TARSY_OPEN_ACCESS", "yes")
    around = {"TARSY_HOSTS": "tarsy.example"}
    for host, names in (("127.0.0.1", "tarsy.example"), ("0.0.0.0", "tarsy.example,build-7")):
        addresses = addresses_on(host)
        assert addresses.environment(around)["TARSY_HOSTS"] == names
        assert addresses.http_settings(around).hosts == names


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_services_behind_an_open_door_are_not_open_themselves(
    addresses_on: Callable[[str], Addresses], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    around = {"TARSY_OPEN_ACCESS": "yes", "TARSY_HTTP_HOST": host}
    for name, value in (around | addresses_on(host).environment(around)).items():
        monkeypatch.setenv(name, value)
    assert addresses_on(host).http_settings(around).is_open == (host == "0.0.0.0")
    assert not HttpSettings().is_open


async def test_with_authentication_the_metrics_of_the_door_need_a_key() -> None:
    denied: list[Denial] = []
    doorway, policy = Doorway(OUTSIDE, HttpProxy(Behind(), lambda *_: None)), HttpPolicy(authenticate=authenticate)
    door = FrontDoor(doorway, ProcessGroup([]), CollectorRegistry(), policy, denied.append)
    paths = ("/health", "/ready", "/metrics", "/metrics/targets", "/docs")
    key = {"authorization": key_of(Role.VIEWER)}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://localhost") as client:
        without = [(await client.get(path)).status_code for path in paths]
        with_key = [(await client.get(path, headers=key)).status_code for path in paths]
    # Without processes it is not ready, and says so to everybody.
    assert without == [200, 503, 401, 401, 404]
    assert with_key == [200, 503, 200, 200, 404]
    assert denied == ["missing", "missing"]
