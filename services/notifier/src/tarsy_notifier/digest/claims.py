"""Claims of digests at the timeline, which has the tables that all notifiers share."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date

import httpx2
from pydantic import ValidationError

from tarsy_contracts.api.digests.digest_claims import ClaimedDigest, DigestClaim, SentDigest
from tarsy_egress.clients import inside_client
from tarsy_notifier.errors import ReceiverUnavailableError

ASK_SECONDS = 10.0
CLAIM_SECONDS = 120.0
"""Longer than an attempt takes: whoever claims a digest after that has no other sender beside it."""


class DigestClaimClient:
    """`holder`: this process. Methods raise ReceiverUnavailableError while the timeline does not answer."""

    def __init__(self, timeline_url: str, headers: Mapping[str, str], holder: str) -> None:
        self._url = timeline_url
        self._headers = headers
        self._holder = holder
        self._client: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator["DigestClaimClient"]:
        async with inside_client(self._url, headers=self._headers, seconds=ASK_SECONDS) as self._client:
            yield self

    async def claim(self, last: date, receiver: str) -> ClaimedDigest:
        asked = DigestClaim(last=last, receiver=receiver, holder=self._holder, seconds=CLAIM_SECONDS)
        answer = await self._post("claim", asked.model_dump_json())
        try:
            return ClaimedDigest.model_validate_json(answer)
        except ValidationError as problem:
            raise ReceiverUnavailableError(
                f"the timeline's answer about the digest has another form: {problem}"
            ) from None

    async def note_sent(self, last: date, receiver: str) -> None:
        await self._post("sent", SentDigest(last=last, receiver=receiver).model_dump_json())

    async def _post(self, path: str, body: str) -> bytes:
        assert self._client is not None, "it is asked while it runs"
        try:
            answer = await self._client.post(
                f"/internal/v1/digests/{path}", content=body, headers={"content-type": "application/json"}
            )
            return answer.raise_for_status().content
        except httpx2.HTTPError as problem:
            raise ReceiverUnavailableError(f"the timeline does not answer about the digest: {problem!r}") from problem
