"""Questions of a soak: each session that has completed is asked once."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

import structlog
from pydantic import ValidationError

from tarsy_cli.api import ApiError, get
from tarsy_cli.chat.asking import send_question
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.api.session_lists import SessionList
from tarsy_lab.incidents import Incident

log = structlog.get_logger(__name__)

LATEST = 100
"""Sessions of one look, the latest first."""


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
        self._asked: set[str] = set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Asks until it is told to stop."""
        while not stopping.is_set():
            await asyncio.to_thread(self._ask_one)
            try:
                async with asyncio.timeout(self._pause_seconds):
                    await stopping.wait()
            except TimeoutError:
                continue

    def _ask_one(self) -> None:
        """Asks a session that was not asked before, if there is one.

        A question without an acknowledgement may be asked all the same: its reply ends as any does.
        """
        session_id = self._next()
        if session_id is None:
            return
        self._asked.add(session_id)
        question = self._incidents[session_id].question
        try:
            self.accepted.sent.append(send_question(self._api(), session_id, question, lambda _: None))
        except (ApiError, ValidationError) as problem:
            self.accepted.refused += 1
            log.warning("soak.question_refused", session_id=session_id, reason=str(problem))

    def _next(self) -> str | None:
        try:
            answer = get(f"{self._api()}/sessions", status="completed", page_size=LATEST)
            completed = [row.id for row in SessionList.model_validate(answer).sessions]
        except (ApiError, ValidationError):
            return None
        known = {one for one, incident in self._incidents.items() if incident.question}
        waiting = sorted(known.intersection(completed) - self._asked)
        return self._random.choice(waiting) if waiting else None
