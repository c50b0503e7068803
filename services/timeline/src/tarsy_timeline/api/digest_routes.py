"""The digest of a week: for people and the page, and for the notifier, which sends it to each receiver once."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from tarsy_contracts.api.digests.digest_claims import ClaimedDigest, DigestClaim, SentDigest
from tarsy_contracts.api.digests.usage_digest import DigestDay, UsageDigest
from tarsy_contracts.prices import ModelPrices
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import describe_answers
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.caller_groups import CallerGroups
from tarsy_timeline.api.route_words import READING
from tarsy_timeline.queries.digest_claims import DigestClaims
from tarsy_timeline.queries.digest_rows import week_before, week_until
from tarsy_timeline.queries.usage_digest import Mask, usage_digest
from tarsy_timeline.queries.usage_reads import UsageReads

CLAIM_BYTES = 4_000
NO_PRICES_YET = "The ingest, which has the prices, has not answered yet. Try again."

type AskedWeek = Annotated[
    DigestDay | None,
    Query(description="the last of the seven days (UTC); if left out, yesterday", examples=["2026-11-29"]),
]


def digest_routes(
    reads: UsageReads, prices: Callable[[], ModelPrices], mask: Mask, now: Callable[[], datetime]
) -> APIRouter:
    """`prices`: those that hold now."""
    router = APIRouter(prefix="/api/v1", tags=["usage"])

    @router.get(
        "/usage/digest",
        summary="A week on one page: outcomes, causes, slow tools, unread skills, cost, and what was learnt",
        responses=describe_answers("The seven days that end with `last`, and what the week before was.", READING),
    )
    async def report_digest(groups: CallerGroups, last: AskedWeek = None) -> UsageDigest:
        """Alerts investigated, their causes, slow tools, skills that nobody read, cost, and memories learnt."""
        week = week_before(now()) if last is None else week_until(last)
        current = prices()
        return usage_digest(week, await reads.digest(week, groups, current), current, mask)

    return router


def digest_claim_routes(
    reads: UsageReads, claims: DigestClaims, prices: Callable[[], ModelPrices | None], mask: Mask
) -> APIRouter:
    """`prices`: None before they are known: a digest that is sent once has its costs."""
    router = APIRouter(
        prefix="/internal/v1/digests", include_in_schema=False, route_class=create_bounded_route(CLAIM_BYTES)
    )

    @router.post("/claim")
    async def claim(asked: DigestClaim) -> ClaimedDigest:
        """Whether it is the caller's turn to send the digest, and what it says then."""
        current = prices()
        if current is None:
            raise ProblemError(503, "Not there yet", NO_PRICES_YET)
        digest_id = await claims.digest_id(asked.last)
        state = await claims.claim(asked.last, asked.receiver, asked.holder, asked.seconds)
        if state != "claimed":
            return ClaimedDigest(state=state)
        week = week_until(asked.last)
        rows = await reads.digest(week, None, current)
        return ClaimedDigest(state=state, id=digest_id, digest=usage_digest(week, rows, current, mask))

    @router.post("/sent")
    async def note_sent(sent: SentDigest) -> SentDigest:
        await claims.note_sent(sent.last, sent.receiver)
        return sent

    return router
