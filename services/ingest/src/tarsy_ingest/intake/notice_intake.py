"""Intake of all alerts of a request: they wait for Kafka side by side, and are answered in their order."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tarsy_bus.client.publisher import TooLargeError
from tarsy_bus.pacing import Pacer
from tarsy_contracts.alert import AlertSource
from tarsy_contracts.api.alerts import JOINED, AlertMistake, WebhookAlertAccepted
from tarsy_ingest.formats.alert_format import Notice
from tarsy_ingest.intake.alert_intake import Intake
from tarsy_ingest.intake.sender_rates import TooManyAlertsError
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import AlertRejectedError, AlertResolution, RawAlert, RejectedAlert, json_pointer

REFUSED = "The alert is wrong, and is not investigated."
MOST_AT_ONCE = 32
"""Alerts of one request that wait for Kafka. One after the other, a thousand took longer than an answer may."""


async def accept_notices(
    intake: Intake, metrics: Metrics, notices: Sequence[Notice], delivery_id: str, cause: str | None
) -> list[WebhookAlertAccepted]:
    """Returns when Kafka acknowledged all of them. Raises what `Intake` raises, of the first that failed."""
    if len(notices) == 1:
        return [await _accept_notice(intake, metrics, notices[0], delivery_id, cause)]
    slots = asyncio.Semaphore(MOST_AT_ONCE)
    tasks: dict[int, asyncio.Task[WebhookAlertAccepted]] = {}
    try:
        async with asyncio.TaskGroup() as group:
            for index in await _order_joining_last(intake, notices):
                await slots.acquire()
                task = group.create_task(_accept_notice(intake, metrics, notices[index], delivery_id, cause))
                task.add_done_callback(lambda _: slots.release())
                tasks[index] = task
                # Each is masked in a turn of its own: together they would hold the loop too long.
                await asyncio.sleep(0)
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None
    return [tasks[index].result() for index in range(len(notices))]


async def _order_joining_last(intake: Intake, notices: Sequence[Notice]) -> Sequence[int]:
    """The places of the notices, in the order to take them in.

    A sender repeats a request whose alerts could not all be written in time. The accepted ones then wait behind the
    others, so that each attempt gets further.
    """
    indexes = range(len(notices))
    if len(notices) <= MOST_AT_ONCE:
        return indexes
    joining, pacer = set[int](), Pacer()
    for index, notice in enumerate(notices):
        if isinstance(notice.alert, RawAlert) and await intake.would_join(notice.alert):
            joining.add(index)
        await pacer.let_others_run()
    return sorted(indexes, key=joining.__contains__)


async def _accept_notice(
    intake: Intake, metrics: Metrics, notice: Notice, delivery_id: str, cause: str | None
) -> WebhookAlertAccepted:
    logged = (notice.fingerprint, notice.message)
    match notice.alert:
        case None:
            metrics.count(notice.source, "ignored")
            return WebhookAlertAccepted(fingerprint=logged[0], status="ignored", message=logged[1])
        case RejectedAlert(mistakes=mistakes):
            metrics.count(notice.source, "refused")
            errors = tuple(AlertMistake(pointer=json_pointer(path), detail=text) for path, text in mistakes)
            return WebhookAlertAccepted(fingerprint=logged[0], status="refused", message=REFUSED, errors=errors)
        case AlertResolution():
            session_id = await intake.report_resolution(notice.alert)
            metrics.count(notice.source, "resolved")
            message = f"The alert is resolved: its session ({session_id}) is told, if there is one."
            return WebhookAlertAccepted(fingerprint=logged[0], status="resolved", message=message)
        case RawAlert():
            with refusals_counted(metrics, notice.source):
                taken = await intake.accept(notice.alert, delivery_id=delivery_id, cause=cause)
            message = JOINED if taken.status == "joined" else logged[1]
            return WebhookAlertAccepted(
                fingerprint=logged[0],
                status=taken.status,
                session_id=taken.session_id,
                session_status=taken.session_status,
                message=message,
            )


@contextmanager
def refusals_counted(metrics: Metrics, source: AlertSource) -> Iterator[None]:
    try:
        yield
    except (AlertRejectedError, TooLargeError):
        metrics.count(source, "refused")
        raise
    except TooManyAlertsError:
        metrics.count(source, "rate_limited")
        raise
