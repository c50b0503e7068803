"""TARSy below a path: addresses are answered with the path, and without it where a proxy took it away."""

from pathlib import Path

import httpx2
import pytest
from fastapi import APIRouter, Request
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from pydantic import ValidationError

from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.http.base_path import base_path_of, read_base_path, spellings_of, without_base_path
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Service
from tarsy_service.settings.http import HttpSettings

SEGMENTS = st.lists(st.from_regex(r"[A-Za-z0-9_-]{1,9}", fullmatch=True), min_size=1, max_size=4)


@pytest.mark.parametrize("written", ["/tarsy", "tarsy", "/tarsy/", " tarsy/ "])
def test_each_spelling_is_the_same_path(written: str) -> None:
    assert read_base_path(written) == "/tarsy"
    assert HttpSettings(base_path=written).http_policy.base_path == "/tarsy"


@pytest.mark.parametrize("written", ["", "/", " "])
def test_nothing_is_no_path(written: str) -> None:
    assert read_base_path(written) == ""


@pytest.mark.parametrize(
    "wrong",
    ["https://ops.example/tarsy", "/ops//tarsy", "/a b", "/tar.sy", "/..", "/tarsy?x", "/%74", "/api", "/login/a"],
)
def test_what_is_no_path_or_could_be_meant_in_two_ways_ends_the_start(wrong: str) -> None:
    with pytest.raises(ValidationError, match="a path such as /tarsy"):
        HttpSettings(base_path=wrong)


@given(SEGMENTS, SEGMENTS)
def test_an_address_below_the_path_is_the_one_within_and_any_other_stays(outer: list[str], inner: list[str]) -> None:
    base_path, address = "/base-" + "/".join(outer), "/" + "/".join(inner)
    assert without_base_path(f"{base_path}{address}", base_path) == address
    assert without_base_path(f"{base_path}x{address}", base_path) == f"{base_path}x{address}"
    assert without_base_path(address, base_path) == address
    assert without_base_path(address, "") == address


@pytest.mark.parametrize(("address", "within"), [("/tarsy", "/"), ("/tarsy?a=1", "/?a=1"), ("/tarsy/#x", "/#x")])
def test_the_path_alone_is_the_first_address(address: str, within: str) -> None:
    assert without_base_path(address, "/tarsy") == within


def test_a_connection_is_passed_by_either_spelling_of_its_request() -> None:
    request = "POST /api/v1/alerts"
    assert spellings_of(request, "/tarsy") == {request, "POST /tarsy/api/v1/alerts"}
    assert spellings_of(request, "") == {request}


async def _run(_: object) -> None:
    raise AssertionError("it does not run")


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def client(registry: CollectorRegistry) -> httpx2.AsyncClient:
    router = APIRouter(prefix="/api/v1")

    @router.get("/echo/{name:path}")
    async def echo(name: str, request: Request) -> dict[str, str]:
        return {"name": name, "raw": request.scope["raw_path"].decode(), "base": base_path_of(request.scope)}

    service = Service(name="echo", run=_run, router=router)
    app = build_app([service], Readiness([]), registry, policy=HttpPolicy(base_path="/ops/tarsy"))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost")


@pytest.mark.parametrize("before", ["", "/ops/tarsy"])
async def test_both_are_answered_alike(client: httpx2.AsyncClient, before: str) -> None:
    answer = await client.get(f"{before}/api/v1/echo/a%2Fb/")
    assert answer.json() == {"name": "a/b", "raw": "/api/v1/echo/a%2Fb", "base": "/ops/tarsy"}
    for path in ("/health", "/ready", "/metrics"):
        assert (await client.get(f"{before}{path}")).status_code == 200
    assert (await client.get(f"{before}/openapi.json")).json()["servers"] == [{"url": "/ops/tarsy"}]


@pytest.mark.parametrize("path", ["/ops/api/v1/echo/a", "/ops/tarsyx/health", "/OPS/TARSY/health"])
async def test_another_path_leads_nowhere(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


async def test_requests_are_counted_by_their_route(client: httpx2.AsyncClient, registry: CollectorRegistry) -> None:
    for before in ("", "/ops/tarsy"):
        await client.get(f"{before}/api/v1/echo/a")
    counted = [line for line in generate_latest(registry).decode().splitlines() if "requests_total{" in line]
    assert counted == ['tarsy_http_requests_total{method="GET",route="/api/v1/echo/{name:path}",status="200"} 2.0']


@pytest.mark.parametrize("base_path", ["", "/tarsy"])
def test_a_login_that_would_end_elsewhere_ends_the_start(tmp_path: Path, base_path: str) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(
        "tokens: {issuer: 'https://login.example', audience: [tarsy], jwks: 'https://login.example/certs',"
        " name: email, roles: {claim: groups, values: {sre: viewer}}}\n"
        "login: {client_id: tarsy, authorization_endpoint: 'https://login.example/a', token_endpoint:"
        " 'https://login.example/t', redirect_uri: 'https://ops.example/tarsy/login/callback'}\n",
        "utf-8",
    )
    if base_path:
        assert HttpSettings(auth_file=str(file), base_path=base_path).http_policy.login is not None
        return
    with pytest.raises(
        ValidationError, match=r"login.redirect_uri: has to end with /login/callback, as TARSY_BASE_PATH"
    ):
        HttpSettings(auth_file=str(file), base_path=base_path)
