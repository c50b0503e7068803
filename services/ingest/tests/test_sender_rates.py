"""How many alerts one sender may send over HTTP."""

from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry

from tarsy_ingest.app import build
from tarsy_ingest.intake.sender_rates import MOST_SENDERS, SenderRates, TooManyAlertsError, sender_of
from tarsy_ingest.settings import IngestSettings
from tarsy_service.process.runner import Readiness, build_app

ALERTS = "/api/v1/alerts"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def taken(rates: SenderRates, sender: str, most: int) -> int:
    for number in range(most):
        try:
            rates.take(sender)
        except TooManyAlertsError:
            return number
    return most


def test_a_sender_has_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    rates = SenderRates(2, 5, clock)
    assert (taken(rates, "a", 10), taken(rates, "b", 10)) == (5, 5)
    clock.now += 1.0
    assert taken(rates, "a", 10) == 2
    clock.now += 3_600
    assert taken(rates, "a", 10) == 5


def test_a_webhook_with_many_alerts_is_paid_for_afterwards() -> None:
    clock = Clock()
    rates = SenderRates(2, 5, clock)
    rates.take("a")
    rates.charge("a", 13)
    with pytest.raises(TooManyAlertsError) as refused:
        rates.take("a")
    assert refused.value.seconds == 5
    clock.now += 4.9
    assert taken(rates, "a", 10) == 0
    clock.now += 0.2
    assert taken(rates, "a", 10) == 1


def test_without_a_rate_nothing_is_counted() -> None:
    rates = SenderRates(0, 1, Clock())
    rates.charge("a", 1_000)
    assert taken(rates, "a", 100) == 100


def test_the_table_of_senders_is_bounded() -> None:
    rates = SenderRates(1, 1, Clock())
    for number in range(MOST_SENDERS + 5):
        rates.take(str(number))
    assert (taken(rates, "4", 1), taken(rates, str(MOST_SENDERS), 1)) == (1, 0), "the oldest are forgotten"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8::1", "2001:db8::ffff:0:0:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
    ],
)
def test_a_sender_is_an_address_or_a_network_of_ipv6(one: str, other: str, *, same: bool) -> None:
    assert (sender_of({"client": (one, 1)}) == sender_of({"client": (other, 2)})) is same


async def test_who_sends_more_is_told_when_to_come_again(config_dir: Path) -> None:
    registry = CollectorRegistry()
    settings = IngestSettings(config_dir=config_dir, alerts_per_second=0.1, alerts_burst=2)
    service = build(settings, registry)
    app = build_app([service], Readiness([service.name]), registry)
    transport = httpx2.ASGITransport(app)
    other = httpx2.ASGITransport(app, client=("10.0.0.9", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        statuses = [(await client.post(ALERTS, json={"data": "x"})).status_code for _ in range(3)]
        refused = await client.post(f"{ALERTS}/alertmanager", json={})
    async with httpx2.AsyncClient(transport=other, base_url="http://localhost") as client:
        statuses.append((await client.post(ALERTS, json={"data": "x"})).status_code)
    assert statuses == [503, 503, 429, 503], "without Kafka, 503 is as far as one comes"
    assert (refused.status_code, refused.headers["content-type"]) == (429, "application/problem+json")
    assert 1 <= int(refused.headers["retry-after"]) <= 10
    labels = {"source": "api", "outcome": "rate_limited"}
    assert registry.get_sample_value("tarsy_ingest_alerts_total", labels) == 1
