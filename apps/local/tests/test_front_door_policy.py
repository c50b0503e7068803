"""The front door is asked by its own names only, and marks its own answers."""

import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

sys.path.append(str(Path(__file__).parent))

from door_running import Behind

from tarsy_local.addresses import Addresses
from tarsy_local.front_door.door import Doorway, guarded
from tarsy_local.front_door.http_proxy import HttpProxy
from tarsy_local.front_door.routes import OUTSIDE
from tarsy_service.allowed_hosts import allowed_hosts
from tarsy_service.http_metrics import Denial
from tarsy_service.http_policy import HttpPolicy

POLICY = HttpPolicy(allowed_hosts("tarsy.example"))


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
            http_host=http_host,
        )

    return make


async def test_the_door_answers_to_its_own_names_only() -> None:
    denied: list[Denial] = []
    door = guarded(Doorway(OUTSIDE, HttpProxy(Behind(), lambda *_: None)), POLICY, denied.append)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(door), base_url="http://127.0.0.1:8080") as client:
        statuses = [
            (await client.get("/docs", headers={"host": host})).status_code
            for host in ("127.0.0.1:8080", "localhost", "tarsy.example", "rebound.example", "")
        ]
        answer = await client.get("/docs")
    assert statuses == [404, 404, 404, 421, 400]
    assert denied == ["host", "host_header"]
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")


async def test_an_answer_of_a_service_keeps_its_own_headers() -> None:
    async def page(_: object) -> JSONResponse:
        return JSONResponse({}, headers={"cache-control": "no-cache", "content-security-policy": "ours"})

    app = guarded(Starlette(routes=[Route("/", page)]), POLICY)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        headers = (await client.get("/")).headers
    assert headers.get_list("cache-control") == ["no-cache"]
    assert headers.get_list("content-security-policy") == ["ours"]


def test_the_services_behind_answer_to_the_names_of_the_door(
    addresses_on: Callable[[str], Addresses], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "build-7")
    around = {"TARSY_HOSTS": "tarsy.example"}
    for host, names in (("127.0.0.1", "tarsy.example"), ("0.0.0.0", "tarsy.example,build-7")):
        addresses = addresses_on(host)
        assert addresses.environment(around)["TARSY_HOSTS"] == names
        assert addresses.http_settings(around).hosts == names
