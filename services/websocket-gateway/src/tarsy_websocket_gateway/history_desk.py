"""Questions to the timeline for histories: one for all who want the same at a time, many sessions in each request."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

import structlog

from tarsy_bus.acceptance import LastAccepted
from tarsy_bus.pacing import Pacer
from tarsy_bus.retries import growing_pauses
from tarsy_contracts.api.chains import AskedSession, SessionSnapshot
from tarsy_websocket_gateway.errors import HistoryUnavailableError
from tarsy_websocket_gateway.history import History, history_of
from tarsy_websocket_gateway.timeline_api import HISTORY_SECONDS, Snapshots, TimelineApi, TimelineUnavailableError

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
    asked: AskedSession
    answer: asyncio.Future[Snapshot] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def covers(self, asked: AskedSession) -> bool:
        return self.asked.number >= asked.number and self.asked.offset >= asked.offset


class HistoryDesk:
    """`run` asks, for ever. A question that nobody waits for any longer is asked all the same, once."""

    def __init__(self, timeline: TimelineApi) -> None:
        self._timeline = timeline
        self._waiting: list[_Question] = []
        self._open: dict[str, _Question] = {}
        self._filled = asyncio.Event()
        self._free = asyncio.Semaphore(MOST_REQUESTS)

    async def snapshot(self, asked: AskedSession) -> Snapshot:
        """The session at the asked offset of its partition or later, and up to the asked event or further.

        Raises HistoryUnavailableError, also when the timeline does not get there in time.
        """
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                for pause in growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
                    found = await asyncio.shield(self._question(asked).answer)
                    if found.reached and found.position >= asked.offset:
                        return found
                    await asyncio.sleep(pause)
        except TimeoutError:
            log.warning("history.late", session_id=asked.session_id, number=asked.number, offset=asked.offset)
        raise HistoryUnavailableError(UNAVAILABLE)

    async def run(self) -> None:
        gathered: deque[_Question] = deque()
        async with asyncio.TaskGroup() as group:
            while True:
                if not gathered:
                    await self._filled.wait()
                await self._free.acquire()
                # Those that come while all requests are on their way go together in the next ones.
                gathered = gathered or self._gather()
                batch = [gathered.popleft() for _ in range(min(len(gathered), MOST_IN_A_REQUEST))]
                group.create_task(self._ask(batch))

    def _gather(self) -> deque[_Question]:
        """All that wait, by partition: sessions that are answered together move the stream of theirs back once."""
        self._filled.clear()
        waiting, self._waiting = self._waiting, []
        return deque(sorted(waiting, key=lambda question: question.asked.partition))

    def _question(self, asked: AskedSession) -> _Question:
        question = self._open.get(asked.session_id)
        if question is None or not question.covers(asked):
            question = self._open[asked.session_id] = _Question(asked)
            self._waiting.append(question)
            self._filled.set()
        return question

    async def _ask(self, batch: list[_Question]) -> None:
        try:
            await self._answer(batch, await self._timeline.histories([one.asked for one in _latest(batch)]))
        except TimelineUnavailableError as problem:
            log.warning("history.unavailable", sessions=len(batch), reason=str(problem))
            for question in batch:
                self._close(question)
                _fail(question)
        finally:
            self._free.release()

    async def _answer(self, batch: list[_Question], snapshots: Snapshots) -> None:
        pacer = Pacer()
        for question in batch:
            found = snapshots.found.get(question.asked.session_id)
            position = snapshots.positions.get(question.asked.partition, 0)
            self._close(question)
            try:
                question.answer.set_result(_snapshot(position, found, question.asked))
            except ValueError as problem:
                log.warning("history.unreadable", session_id=question.asked.session_id, reason=str(problem))
                _fail(question)
            await pacer.let_others_run()

    def _close(self, question: _Question) -> None:
        if self._open.get(question.asked.session_id) is question:
            del self._open[question.asked.session_id]


def _fail(question: _Question) -> None:
    question.answer.set_exception(HistoryUnavailableError(UNAVAILABLE))
    question.answer.exception()  # the client may have gone


def _latest(batch: list[_Question]) -> list[_Question]:
    """A session may be in it twice: the later question asks for more."""
    return list({question.asked.session_id: question for question in batch}.values())


def _snapshot(position: int, found: SessionSnapshot | None, asked: AskedSession) -> Snapshot:
    if found is None:
        # The timeline has not read yet what this gateway has read: a session that has events is known sooner or later.
        return Snapshot(position, reached=asked.number == 0, known=None, history=None)
    history = None if found.history is None else history_of(found.history)
    return Snapshot(position, found.reached, LastAccepted(found.event_id, found.number), history)
