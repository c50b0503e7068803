import httpx2
import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_service.access.allowed_hosts import parse_allowed_hosts
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service

PATH = "/api/v1/sessions/x/cancel"
WRITES = ["POST", "PUT", "PATCH", "DELETE"]


async def nothing(ready: Ready) -> None:
    ready()


async def asked(
    method: str, site: str | None = None, origin: str | None = None, url: str = "http://10.0.0.7:8080"
) -> httpx2.Response:
    router = APIRouter()

    @router.api_route(PATH, methods=["GET", *WRITES])
    async def act() -> dict[str, str]:
        return {"done": "yes"}

    policy = HttpPolicy(parse_allowed_hosts("tarsy.example.com,*.example.com"), origins=("https://dashboard.example",))
    app = build_app([Service("one", nothing, router)], Readiness([]), CollectorRegistry(), policy=policy)
    sent = {"Sec-Fetch-Site": site, "Origin": origin}
    headers = {name: value for name, value in sent.items() if value is not None}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=url) as client:
        return await client.request(method, PATH, headers=headers)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_page_of_another_site_cannot_act(site: str) -> None:
    answer = await asked("POST", site)
    assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json")


@pytest.mark.parametrize("site", [None, "same-origin", "none"])
async def test_our_own_page_and_every_other_client_can(site: str | None) -> None:
    assert (await asked("POST", site)).status_code == 200


async def test_a_link_from_another_site_can_be_followed() -> None:
    assert (await asked("GET", "cross-site")).status_code == 200
    assert (await asked("GET", origin="https://evil.example")).status_code == 200


@pytest.mark.parametrize("method", WRITES)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "http://10.0.0.7",  # another port of this machine
        "http://10.0.0.7:8081",
        "http://10.0.0.7:8080.evil.example",
        "http://evil.example@10.0.0.7:8080",
        "file://",
        "https://other.example.com",  # a wildcard names hosts, not pages that are ours
        "https://tarsy.example.com:8443",
        "https://dashboard.example",  # it may watch
        "chrome-extension://abc",
    ],
)
async def test_over_plain_http_a_browser_says_the_origin_only(method: str, origin: str) -> None:
    answer = await asked(method, origin=origin)
    assert (answer.status_code, answer.json()["title"]) == (403, "Forbidden")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://10.0.0.7:8080", "http://10.0.0.7:8080"),
        ("http://localhost:8080", "http://LOCALHOST:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://tarsy.example.com", "https://tarsy.example.com"),  # TLS ends before us
        ("http://a.example.com", "http://a.example.com:80"),
        ("http://10.0.0.7:8080", "https://tarsy.example.com"),  # a proxy that asks us by another name
    ],
)
async def test_our_own_page_can_whatever_it_is_served_by(url: str, origin: str) -> None:
    assert (await asked("POST", origin=origin, url=url)).status_code == 200
