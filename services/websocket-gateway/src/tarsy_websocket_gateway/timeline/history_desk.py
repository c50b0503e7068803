"""Questions to the timeline for histories: one for all who want the same at a time, many sessions in each request."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

import structlog

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.pacing import Pacer
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.api.chains import AskedSession, SessionSnapshot
from tarsy_websocket_gateway.errors import HistoryUnavailableError
from tarsy_websocket_gateway.messages.history import History, history_of
from tarsy_websocket_gateway.timeline.timeline_api import (
    HISTORY_SECONDS,
    Snapshots,
    TimelineApi,
    TimelineUnavailableError,
)

log = structlog.get_logger(__name__)

MOST_IN_A_REQUEST = 25
MOST_REQUESTS = 4
FIRST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.5
"""Between two questions for a history that does not reach far enough yet."""
UNAVAILABLE = "The history is not available now. Subscribe again later."


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session as the timeline has it at `position` of the log's partition; `history` is None where it has none.

    `reached`: it is as far as was asked for.
    """

    position: int
    reached: bool
    known: LastAccepted | None
    history: History | None


@dataclass(slots=True, eq=False)
class _Question:
    session: AskedSession
    answer: asyncio.Future[Snapshot] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def covers(self, session: AskedSession) -> bool:
        return self.session.number >= session.number and self.session.offset >= session.offset


class HistoryDesk:
    """`run` asks, for ever. A question that nobody waits for any longer is asked all the same, once."""

    def __init__(self, timeline: TimelineApi) -> None:
        self._timeline = timeline
        self._waiting: list[_Question] = []
        self._open: dict[str, _Question] = {}
        self._filled = asyncio.Event()
        self._free = asyncio.Semaphore(MOST_REQUESTS)

    async def snapshot(self, session: AskedSession) -> Snapshot:
        """The session at the asked offset of its partition or later, and up to the asked event or further.

        Raises HistoryUnavailableError, also when the timeline does not get there in time.
        """
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                for pause in draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
                    found = await asyncio.shield(self._open_question(session).answer)
                    if found.reached and found.position >= session.offset:
                        return found
                    await asyncio.sleep(pause)
        except TimeoutError:
            log.warning("history.late", session_id=session.session_id, number=session.number, offset=session.offset)
        raise HistoryUnavailableError(UNAVAILABLE)

    async def run(self) -> None:
        gathered: deque[_Question] = deque()
        async with asyncio.TaskGroup() as group:
            while True:
                if not gathered:
                    await self._filled.wait()
                await self._free.acquire()
                # Those that come while all requests are on their way go together in the next ones.
                gathered = gathered or self._take_waiting()
                batch = [gathered.popleft() for _ in range(min(len(gathered), MOST_IN_A_REQUEST))]
                group.create_task(self._ask_batch(batch))

    def _take_waiting(self) -> deque[_Question]:
        """All that wait, by partition: sessions that are answered together move the stream of theirs back once."""
        self._filled.clear()
        waiting, self._waiting = self._waiting, []
        return deque(sorted(waiting, key=lambda question: question.session.partition))

    def _open_question(self, session: AskedSession) -> _Question:
        question = self._open.get(session.session_id)
        if question is None or not question.covers(session):
            question = self._open[session.session_id] = _Question(session)
            self._waiting.append(question)
            self._filled.set()
        return question

    async def _ask_batch(self, batch: list[_Question]) -> None:
        try:
            await self._answer_batch(
                batch, await self._timeline.histories([one.session for one in _latest_per_session(batch)])
            )
        except TimelineUnavailableError as problem:
            log.warning("history.unavailable", sessions=len(batch), reason=str(problem))
            for question in batch:
                self._close_question(question)
                _fail_question(question)
        finally:
            self._free.release()

    async def _answer_batch(self, batch: list[_Question], snapshots: Snapshots) -> None:
        pacer = Pacer()
        for question in batch:
            found = snapshots.found.get(question.session.session_id)
            position = snapshots.positions.get(question.session.partition, 0)
            self._close_question(question)
            try:
                question.answer.set_result(_to_snapshot(position, found, question.session))
            except ValueError as problem:
                log.warning("history.unreadable", session_id=question.session.session_id, reason=str(problem))
                _fail_question(question)
            await pacer.let_others_run()

    def _close_question(self, question: _Question) -> None:
        if self._open.get(question.session.session_id) is question:
            del self._open[question.session.session_id]


def _fail_question(question: _Question) -> None:
    question.answer.set_exception(HistoryUnavailableError(UNAVAILABLE))
    question.answer.exception()  # the client may have gone


def _latest_per_session(batch: list[_Question]) -> list[_Question]:
    """A session may be in it twice: the later question asks for more."""
    return list({question.session.session_id: question for question in batch}.values())


def _to_snapshot(position: int, found: SessionSnapshot | None, session: AskedSession) -> Snapshot:
    if found is None:
        # The timeline has not read yet what this gateway has read: a session that has events is known sooner or later.
        return Snapshot(position, reached=session.number == 0, known=None, history=None)
    history = None if found.history is None else history_of(found.history)
    return Snapshot(position, found.reached, LastAccepted(found.event_id, found.number), history)
