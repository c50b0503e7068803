"""Public HTTP route: the state of the system at a glance."""

from collections.abc import Callable, Sequence
from importlib.metadata import version

from fastapi import APIRouter

from tarsy_contracts.api.system import ProjectionState, QueueState, SystemOverview, SystemWorker
from tarsy_contracts.wire.envelope import wire_time
from tarsy_service.http.described_routes import INVALID, describe_answers
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import NO_CATALOG, NO_DATABASE
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.rows.session_rows import Row
from tarsy_timeline.system.server_watch import ServerWatch
from tarsy_timeline.system.worker_liveness import Heard

MOST_WORKERS = 1_000


def overview_route(
    queries: SessionQueries,
    watch: ServerWatch,
    lags: Callable[[], Sequence[tuple[float, float]]],
    unprojected: Callable[[], int],
) -> APIRouter:
    """`lags`: records and seconds of each partition that is projected here."""
    router = APIRouter(prefix="/api/v1/system", tags=["system"])

    @router.get(
        "/overview",
        summary="Queue, projection and processes at a glance",
        responses=describe_answers(
            "The state of the system now.", {400: INVALID, 503: f"{NO_DATABASE} Or: {NO_CATALOG}"}
        ),
    )
    async def get_overview(groups: CallerGroups) -> SystemOverview:
        """Queue, projection and processes. Callers who are limited to session groups get the counts of theirs."""
        found = list(lags())
        return SystemOverview(
            version=version("tarsy-timeline"),
            queue=_to_queue_state(await queries.count_active(groups)),
            projection=ProjectionState(
                partitions=len(found),
                lag_records=round(max((records for records, _ in found), default=0)),
                lag_seconds=round(max((seconds for _, seconds in found), default=0.0), 3),
                unprojected=unprojected(),
            ),
            workers=_to_system_workers(await watch.workers()),
        )

    return router


def _to_queue_state(row: Row) -> QueueState:
    since = row["waiting_since"]
    return QueueState(
        running=row["running"], waiting=row["waiting"], waiting_since=None if since is None else wire_time(since)
    )


def _to_system_workers(living: Sequence[Heard]) -> tuple[SystemWorker, ...]:
    workers = sorted(map(_to_system_worker, living), key=lambda worker: (worker.service, worker.name, worker.worker_id))
    return tuple(workers[:MOST_WORKERS])


def _to_system_worker(heard: Heard) -> SystemWorker:
    announced = heard.announcement
    queues = announced.queues
    return SystemWorker(
        worker_id=announced.worker_id,
        service=announced.service,
        name=announced.name,
        waiting=None if queues is None else sum(queue.waiting for queue in queues.values()),
        last_heard=wire_time(heard.at),
    )
