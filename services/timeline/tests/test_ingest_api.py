"""The timeline asks the ingest with its key."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_auth.roles import Role
from tarsy_contracts.api.alert_choices import AlertChoices, JudgedChoices
from tarsy_contracts.prices import NO_PRICES, ModelPrices, TokenPrice
from tarsy_processes.ports import free_port
from tarsy_service.access.credentials import bearer
from tarsy_service.access.http_policy import HttpPolicy
from tarsy_service.access.rights import rights
from tarsy_service.http.problems import ProblemError
from tarsy_service.http.server import http_server
from tarsy_service.process.runner import Readiness, build_app
from tarsy_service.process.service import Ready, Service
from tarsy_testing.access import authenticate
from tarsy_timeline.system.ingest_api import IngestApi
from tarsy_timeline.system.ingest_watch import IngestWatch

WAIT_SECONDS = 90.0
PATH, PRICES = "/internal/v1/alert-choices", "/internal/v1/prices"
CONFIGURED = ModelPrices(prices={"big": TokenPrice(input=2.0, output=10.0)})


async def nothing(ready: Ready) -> None:
    ready()


@pytest.fixture
async def url() -> AsyncIterator[str]:
    router, port = APIRouter(), free_port()

    @router.post(PATH)
    async def judge(_: AlertChoices) -> JudgedChoices:
        return JudgedChoices()

    @router.get(PRICES)
    async def prices() -> ModelPrices:
        return CONFIGURED

    ingest = Service("ingest", nothing, router, rights=rights(Role.ADMIN, f"POST {PATH}", f"GET {PRICES}"))
    policy = HttpPolicy(authenticate=authenticate)
    app = build_app([ingest], Readiness([]), CollectorRegistry(), policy=policy)
    async with http_server(app, "127.0.0.1", port):
        yield f"http://127.0.0.1:{port}"


async def test_the_ingest_answers_a_timeline_with_a_key_of_the_role_admin(url: str) -> None:
    judged = await IngestApi(url, bearer("admin"), WAIT_SECONDS).judge(AlertChoices())
    assert not judged.mistakes


@pytest.mark.parametrize("key", ["", "operator", "wrong"])
async def test_without_such_a_key_names_cannot_be_checked(url: str, key: str) -> None:
    with pytest.raises(ProblemError) as refused:
        await IngestApi(url, bearer(key), WAIT_SECONDS).judge(AlertChoices())
    assert (refused.value.status, refused.value.__cause__.__class__) == (503, httpx2.HTTPStatusError)


async def test_prices_are_those_of_the_ingest_and_stay_while_it_does_not_answer(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = IngestApi(url, bearer("admin"), WAIT_SECONDS)
    watch = IngestWatch("prices", lambda: api.prices(), NO_PRICES)
    assert watch.current == NO_PRICES
    await watch.look()
    assert watch.current == CONFIGURED

    async def away() -> ModelPrices:
        raise httpx2.ConnectError("nobody listens")

    monkeypatch.setattr(api, "prices", away)
    await watch.look()
    assert watch.current == CONFIGURED


async def test_an_ingest_that_refuses_leaves_everything_without_a_price(url: str) -> None:
    watch = IngestWatch("prices", IngestApi(url, bearer("operator"), WAIT_SECONDS).prices, NO_PRICES)
    await watch.look()
    assert watch.current == NO_PRICES
