"""Questions of a soak: sessions that have completed are asked, one after the other."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

import structlog
from pydantic import ValidationError

from tarsy_cli.api import ApiError, get
from tarsy_cli.chat.questions import send_question
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_lab.incidents import Incident

log = structlog.get_logger(__name__)


@dataclass
class AcceptedQuestions:
    """Questions that were acknowledged. `refused` counts the others: they are the asker's."""

    sent: list[ChatMessageSent] = field(default_factory=list)
    refused: int = 0


class QuestionLoad:
    """`incidents`: those of the sessions so far. `api` is asked anew for every question: addresses may change."""

    def __init__(
        self, incidents: Mapping[str, Incident], *, api: Callable[[], str], random: Random, pause_seconds: float
    ) -> None:
        self.accepted = AcceptedQuestions()
        self._incidents = incidents
        self._api = api
        self._random = random
        self._pause_seconds = pause_seconds

    async def run(self, stopping: asyncio.Event) -> None:
        """Asks until it is told to stop."""
        while not stopping.is_set():
            if self._incidents:
                await asyncio.to_thread(self._ask, self._random.choice(list(self._incidents)))
            try:
                async with asyncio.timeout(self._pause_seconds):
                    await stopping.wait()
            except TimeoutError:
                continue

    def _ask(self, session_id: str) -> None:
        """A question without an acknowledgement may be asked all the same: its reply ends as any does."""
        question = self._incidents[session_id].question
        try:
            status = get(f"{self._api()}/sessions/{session_id}/status").get("status")
        except ApiError:
            return
        if status != "completed" or not question:
            return
        try:
            self.accepted.sent.append(send_question(self._api(), session_id, question, lambda _: None))
        except (ApiError, ValidationError) as problem:
            self.accepted.refused += 1
            log.warning("soak.question_refused", session_id=session_id, reason=str(problem))
