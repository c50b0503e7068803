"""Digests as tests send them, and the timeline's claims over real HTTP, in the time of the test."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tarsy_contracts.api.digests.digest_claims import ClaimedDigest, DigestClaim, SentDigest
from tarsy_contracts.api.digests.usage_digest import DigestCost, NamedCount, RatingCounts, UsageDigest
from tarsy_contracts.api.usage import SessionOutcomes
from tarsy_notifier.digest.weekly_digest import WeeklyDigest

DUE = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
"""A Monday, at 9 o'clock in Berlin."""
QUIET = SessionOutcomes(
    sessions=0, completed=0, failed=0, cancelled=0, p50_seconds=None, p90_seconds=None, scored=0, mean_score=None
)
DIGEST = UsageDigest(
    first="2026-11-16", last="2026-11-22", sessions=QUIET.model_copy(update={"sessions": 3, "completed": 3}),
    sessions_before=QUIET, alert_types=(), session_labels=(), failures=(NamedCount(name="<!channel> & 401", count=1),),
    ratings=RatingCounts(accurate=0, partly=0, wrong=0), causes=(), tools=(), unread_skills=(),
    cost=DigestCost(cost=1.5, cost_completeness="complete", cost_before=None, cost_before_completeness="none"),
    chains=(), teams=(), unpriced_models=(), memories_learned=0,
)  # fmt: skip
WEEKLY = WeeklyDigest("d-1", DUE, DIGEST, "https://tarsy/usage?from=2026-11-16&to=2026-11-22")


class ClaimServer:
    """The two routes of the timeline. `statuses`: what the next requests are answered instead."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._held: dict[tuple[str, str], tuple[str, datetime]] = {}
        self.sent: set[tuple[str, str]] = set()
        self.statuses: list[int] = []
        self.app = Starlette(
            routes=[
                Route("/internal/v1/digests/claim", self.claim, methods=["POST"]),
                Route("/internal/v1/digests/sent", self.note_sent, methods=["POST"]),
            ]
        )

    async def claim(self, request: Request) -> Response:
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            return Response(status_code=status)
        asked = DigestClaim.model_validate_json(await request.body())
        key, now = (str(asked.last), asked.receiver), self._now()
        holder, until = self._held.get(key, (asked.holder, now))
        if key in self.sent or (holder != asked.holder and until > now):
            return _answer(ClaimedDigest(state="sent" if key in self.sent else "taken"))
        self._held[key] = (asked.holder, now + timedelta(seconds=asked.seconds))
        return _answer(ClaimedDigest(state="claimed", id=f"d-{asked.last}", digest=DIGEST))

    async def note_sent(self, request: Request) -> Response:
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            return Response(status_code=status)
        sent = SentDigest.model_validate_json(await request.body())
        self.sent.add((str(sent.last), sent.receiver))
        return _answer(sent)


def _answer(value: ClaimedDigest | SentDigest) -> Response:
    return JSONResponse(value.model_dump(mode="json"))
