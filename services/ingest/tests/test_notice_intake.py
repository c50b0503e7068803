"""Alerts of one request: they wait for Kafka together, and their answers keep their order."""

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from tarsy_ingest.formats.alert_format import Notice
from tarsy_ingest.intake.alert_intake import AcceptedAlert, Intake
from tarsy_ingest.intake.notice_intake import MOST_AT_ONCE, accept_notices
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import AlertTooLargeError, RawAlert

HANGS_SECONDS = 60.0


class AnswersTogether(Intake):
    """Acknowledges nothing before so many alerts wait as may, and never has more of them."""

    def __init__(self) -> None:
        self.waiting = 0
        self.most = 0
        self._together = asyncio.Barrier(MOST_AT_ONCE)

    async def would_join(self, raw_alert: RawAlert) -> bool:
        return int(raw_alert.session_id) % 2 == 0

    async def accept(self, raw_alert: RawAlert, *, delivery_id: str, cause: str | None = None) -> AcceptedAlert:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await self._together.wait()
        self.waiting -= 1
        return AcceptedAlert(raw_alert.session_id, "queued")


class RunsOutOfTime(Intake):
    """Acknowledges so many alerts in the time of a request, and knows those again."""

    def __init__(self, in_time: int) -> None:
        self.known: set[str] = set()
        self.left = self._in_time = in_time

    async def would_join(self, raw_alert: RawAlert) -> bool:
        return raw_alert.session_id in self.known

    async def accept(self, raw_alert: RawAlert, *, delivery_id: str, cause: str | None = None) -> AcceptedAlert:
        if not self.left:
            raise TimeoutError
        self.left -= 1
        self.known.add(raw_alert.session_id)
        return AcceptedAlert(raw_alert.session_id, "queued")

    def begin_again(self) -> None:
        self.left = self._in_time


class Refuses(Intake):
    def __init__(self) -> None:
        pass

    async def accept(self, raw_alert: RawAlert, *, delivery_id: str, cause: str | None = None) -> AcceptedAlert:
        if raw_alert.session_id == "3":
            raise AlertTooLargeError((("alerts", 3), "is too large"))
        return AcceptedAlert(raw_alert.session_id, "queued")


def notices(count: int) -> list[Notice]:
    return [Notice("alertmanager", alert(str(number)), fingerprint=str(number)) for number in range(count)]


def alert(session_id: str) -> RawAlert:
    return RawAlert(session_id=session_id, alert_type="pods", data="down", source="alertmanager", author="a")


async def test_alerts_of_a_request_wait_for_kafka_side_by_side_and_are_answered_in_their_order() -> None:
    intake, metrics = AnswersTogether(), Metrics(CollectorRegistry())
    async with asyncio.timeout(HANGS_SECONDS):
        answers = await accept_notices(intake, metrics, notices(4 * MOST_AT_ONCE), "delivery", None)
    assert [answer.session_id for answer in answers] == [str(number) for number in range(4 * MOST_AT_ONCE)]
    assert intake.most == MOST_AT_ONCE


async def test_a_request_with_too_many_alerts_comes_further_each_time_that_it_is_sent() -> None:
    intake, many = RunsOutOfTime(MOST_AT_ONCE), notices(3 * MOST_AT_ONCE)
    for times in (1, 2, 3):
        with pytest.raises(TimeoutError):
            await accept_notices(intake, Metrics(CollectorRegistry()), many, f"delivery {times}", None)
        assert len(intake.known) == times * MOST_AT_ONCE
        intake.begin_again()


async def test_an_alert_that_is_refused_refuses_the_request_with_its_own_reason() -> None:
    with pytest.raises(AlertTooLargeError, match="is too large"):
        await accept_notices(Refuses(), Metrics(CollectorRegistry()), notices(5), "delivery", None)
