"""Sessions that notifications are about: remembered from their first event, else asked of the timeline."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote

import httpx2
from pydantic import ValidationError

from tarsy_contracts.api.sessions import SessionDetail
from tarsy_egress.clients import inside_client
from tarsy_llm.recent_values import RecentValues
from tarsy_notifier.errors import ReceiverUnavailableError
from tarsy_notifier.notification import InvestigatedSession

ASK_SECONDS = 10.0
REMEMBERED = 10_000


class SessionDirectory:
    """A session's first event tells of it; after a restart, that event lies behind the position of the group."""

    def __init__(self, timeline_url: str, headers: Mapping[str, str]) -> None:
        self._url = timeline_url
        self._headers = headers
        self._known: RecentValues[str, InvestigatedSession] = RecentValues(REMEMBERED)
        self._client: httpx2.AsyncClient | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SessionDirectory"]:
        async with inside_client(self._url, headers=self._headers, seconds=ASK_SECONDS) as self._client:
            yield self

    def remember(self, session: InvestigatedSession) -> None:
        self._known.put(session.id, session, size=1)

    async def find(self, session_id: str) -> InvestigatedSession:
        """One that the timeline does not have (any longer) is known by its id only.

        Raises ReceiverUnavailableError when the timeline does not answer.
        """
        known = self._known.get(session_id)
        if known is None:
            known = await self._fetch_session(session_id)
            self.remember(known)
        return known

    async def _fetch_session(self, session_id: str) -> InvestigatedSession:
        assert self._client is not None, "find is called while it runs"
        try:
            answer = await self._client.get(f"/api/v1/sessions/{quote(session_id, safe='')}")
            if answer.status_code == httpx2.codes.NOT_FOUND:
                return InvestigatedSession(session_id)
            answer.raise_for_status()
            found = SessionDetail.model_validate_json(answer.content)
        except (httpx2.HTTPError, ValidationError) as problem:
            raise ReceiverUnavailableError(f"the timeline does not answer about the session: {problem!r}") from problem
        return InvestigatedSession(
            id=session_id,
            title=found.title,
            alert_type=found.alert_type,
            chain=found.chain_id,
            severity=found.severity,
            cluster=found.cluster,
            namespace=found.namespace,
            workload=found.workload,
            fingerprint=found.slack_message_fingerprint,
        )
