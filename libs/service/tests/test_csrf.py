import httpx2
import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_service.runner import Readiness, build_app
from tarsy_service.service import Ready, Service


async def nothing(ready: Ready) -> None:
    ready()


async def asked(method: str, site: str | None) -> httpx2.Response:
    router, path = APIRouter(), "/api/v1/sessions/x/cancel"

    @router.api_route(path, methods=["GET", "POST"])
    async def act() -> dict[str, str]:
        return {"done": "yes"}

    app = build_app([Service("one", nothing, router)], Readiness([]), CollectorRegistry())
    headers = {} if site is None else {"Sec-Fetch-Site": site}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://tarsy") as client:
        return await client.request(method, path, headers=headers)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_page_of_another_site_cannot_act(site: str) -> None:
    answer = await asked("POST", site)
    assert (answer.status_code, answer.headers["content-type"]) == (403, "application/problem+json")


@pytest.mark.parametrize("site", [None, "same-origin", "none"])
async def test_our_own_page_and_every_other_client_can(site: str | None) -> None:
    assert (await asked("POST", site)).status_code == 200


async def test_a_link_from_another_site_can_be_followed() -> None:
    assert (await asked("GET", "cross-site")).status_code == 200
