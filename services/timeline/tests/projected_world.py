"""A projection that a test fills event by event, and the API that answers from it."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import httpx2
from fastapi import APIRouter, FastAPI
from starlette.types import Receive, Scope, Send

from tarsy_auth.identity import Identity
from tarsy_auth.roles import Role
from tarsy_auth.session_groups import GroupLabels, VisibleGroups
from tarsy_contracts.prices import NO_PRICES, ModelPrices
from tarsy_masking.masker import Masker
from tarsy_service.access.caller import IDENTITY
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_service.http.problems import ProblemError
from tarsy_testing.story.projection import once_projected
from tarsy_testing.story.whole_chain import whole_chain
from tarsy_timeline.api.alias_route import alias_route
from tarsy_timeline.api.caller_groups import visible_route
from tarsy_timeline.api.digest_routes import digest_claim_routes, digest_routes
from tarsy_timeline.api.internal_routes import internal_routes
from tarsy_timeline.api.memory_routes import memory_routes, recall_routes
from tarsy_timeline.api.requests.approval_routes import approval_routes
from tarsy_timeline.api.requests.review_routes import review_routes
from tarsy_timeline.api.requests.score_routes import score_routes
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.session_routes import session_routes
from tarsy_timeline.api.summary_routes import summary_routes
from tarsy_timeline.api.usage_routes import usage_routes
from tarsy_timeline.database.deleted_labels import DeletedLabels
from tarsy_timeline.database.pool import Database
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.projection import Batch
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.queries.digest_claims import DigestClaims
from tarsy_timeline.queries.memory_queries import MemoryQueries
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.queries.usage_reads import UsageReads

type NewSession = Callable[[], Any]
type Json = dict[str, Any]

BODY_BYTES = 1_000
NOBODY_DECIDES = cast(SessionCommands, None)
EPOCH = LogIdentity("cluster", "topic")


class World:
    """Projects what a test tells, one batch an event or all in one, and asks the API.

    `session_groups`: those that the caller is limited to. `configured_groups`: all of auth.yaml.
    """

    def __init__(self, database: Database, prices: ModelPrices = NO_PRICES) -> None:
        self._database = database
        self._checkpoint, self._indexer = ProjectionCheckpoint(database), SearchIndexer(database)
        self._position = 0
        app = FastAPI()
        install_problem_handlers(app)
        queries = SessionQueries(database, 0.1, lambda: prices)
        route = alias_route(queries.alias, visible_route(queries))
        app.include_router(session_routes(queries, route))
        app.include_router(summary_routes(queries, route))
        usage, mask = UsageReads(database), Masker.default(b"").mask
        app.include_router(usage_routes(usage, lambda: prices))
        app.include_router(digest_routes(usage, lambda: prices, mask, lambda: self.now))
        app.include_router(digest_claim_routes(usage, DigestClaims(database), lambda: self.known_prices, mask))
        self.known_prices: ModelPrices | None = prices
        app.include_router(internal_routes(queries, route))
        memories = MemoryQueries(database, queries, self._all_groups, lambda: self.now)
        app.include_router(memory_routes(memories, route))
        app.include_router(recall_routes(memories))
        app.include_router(approval_routes(queries, NOBODY_DECIDES, Masker.default(b""), route))

        app.include_router(review_routes(queries, NOBODY_DECIDES, Masker.default(b""), route))

        app.include_router(score_routes(queries, NOBODY_DECIDES, Masker.default(b""), route))

        other = APIRouter(prefix="/test/sessions", route_class=create_bounded_route(BODY_BYTES, route))

        @other.post("/{session_id}")
        async def echo(session_id: str, body: dict[str, str]) -> dict[str, str]:
            if session_id != body["known"]:
                raise ProblemError(404, "Not found", f"There is no session {session_id}.")
            return {"session_id": session_id, **body}

        app.include_router(other)
        self.session_groups: VisibleGroups = None
        self.configured_groups: GroupLabels = []
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(partial(self._identified, app)), base_url="http://localhost"
        )

    async def _identified(self, app: FastAPI, scope: Scope, receive: Receive, send: Send) -> None:
        """As if the caller had a key for these session groups."""
        caller = Identity("limited", Role.RESPONDER, "api_key", "0", session_groups=self.session_groups)
        await app({**scope, IDENTITY: caller}, receive, send)

    async def _all_groups(self) -> GroupLabels:
        return self.configured_groups

    async def ask(self, path: str, body: Json) -> Json:
        answer = await self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    async def project(self, *records: Any) -> None:
        if self._position == 0:
            await self._checkpoint.begin(EPOCH, {0: 0})
        batch = Batch()
        for record in records:
            batch.add(record)
        await self._checkpoint.write(0, self._position, self._position + len(records), batch)
        self._position += len(records)

    async def index(self) -> None:
        """Makes what was projected found by search."""
        while await self._indexer.index_some():
            pass

    async def forget_labels(self, now: datetime) -> None:
        """Forgets the labels of sessions that were deleted long before."""
        await DeletedLabels(self._database, lambda: now).forget()

    async def get(self, path: str) -> Json:
        answer = await once_projected(self.client, path)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    async def detail(self, session: Any) -> Json:
        return await self.get(f"/api/v1/sessions/{session.id}")


def records(session: Any) -> list[Any]:
    return [session.recorded(number) for number in range(1, len(session.records) + 1)]


def told(new_session: NewSession, *, until: int | None = None) -> Any:
    session = new_session()
    return session.add(*whole_chain(session.id)[:until])
