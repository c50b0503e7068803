"""Re-drive of dead letters as operators ask for it, one letter or some."""

import asyncio
from collections.abc import Iterator
from itertools import islice

import structlog

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.dead_letters.letter_index import DeadLetter, DeadLetterIndex
from tarsy_bus.dead_letters.redrive import NotMarkedError, RedriveRefusedError, redrive, refusal_of
from tarsy_contracts.api.dead_letters import RedriveAnswer, Redriven, RedriveOutcome
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.api.dead_letters.letter_filter import LetterFilter, behind
from tarsy_timeline.api.dead_letters.letters import Letters
from tarsy_timeline.metrics import Metrics

log = structlog.get_logger(__name__)

LETTERS_AT_ONCE = 100
SECONDS_AT_ONCE = 20.0
"""A request that takes longer answers with what it has done, and where to go on."""


class Redriver:
    """One re-drive at a time: their bodies are large. A repeat is harmless (tarsy_bus.dead_letters.redrive)."""

    def __init__(self, letters: Letters, publisher: Publisher, metrics: Metrics) -> None:
        self._letters = letters
        self._publisher = publisher
        self._metrics = metrics
        self._lock = asyncio.Lock()

    @property
    def prefix(self) -> str:
        """How the names of the topics begin."""
        return self._publisher.topics.prefix

    def refusal(self, letter: DeadLetter) -> str | None:
        return refusal_of(letter, self._publisher)

    async def one(self, id: str, author: str) -> Redriven:
        """Also a letter that was re-driven already: the answer shows it. Raises ProblemError."""
        async with self._lock:
            index, letter = await self._letters.find(id)
            return await self._redrive_letter(index, letter, author)

    async def redrive_waiting(self, wanted: LetterFilter, after: str, author: str) -> RedriveAnswer:
        """Those that wait, the oldest first. Kafka being away ends it. Raises ProblemError."""
        async with self._lock:
            index = await self._letters.read()
            found = self._select_waiting(index, wanted, after)
            done: list[Redriven] = []
            ends_at = asyncio.get_running_loop().time() + SECONDS_AT_ONCE
            for letter in islice(found, LETTERS_AT_ONCE):
                done.append(await self._redrive_letter(index, letter, author))
                if done[-1].outcome == "not_written" or asyncio.get_running_loop().time() > ends_at:
                    break
            return _build_answer(done, following=next(found, None))

    async def preview(self, wanted: LetterFilter, after: str) -> RedriveAnswer:
        """Returns the outcomes that `redrive_waiting` would have. Raises ProblemError."""
        found = self._select_waiting(await self._letters.read(), wanted, after)
        done = [self._preview_redrive(letter) for letter in islice(found, LETTERS_AT_ONCE)]
        return _build_answer(done, following=next(found, None))

    def _select_waiting(self, index: DeadLetterIndex, wanted: LetterFilter, after: str) -> Iterator[DeadLetter]:
        oldest_first = behind(reversed(list(index.newest_first())), after)
        return (letter for letter in oldest_first if letter.waits and wanted.fits(letter, self.prefix))

    def _preview_redrive(self, letter: DeadLetter) -> Redriven:
        refusal = self.refusal(letter)
        if refusal is not None:
            return Redriven(id=letter.id, outcome="refused", message=refusal, topic=letter.first.topic)
        first = letter.first
        message = f"It would be written to {first.topic} again."
        return Redriven(
            id=letter.id, outcome="would_redrive", message=message, topic=first.topic, partition=first.source_partition
        )

    async def _redrive_letter(self, index: DeadLetterIndex, letter: DeadLetter, author: str) -> Redriven:
        topic, before = letter.first.topic, "" if letter.waits else " It had been re-driven before."
        try:
            if (refusal := self.refusal(letter)) is not None:
                raise RedriveRefusedError(refusal)
            record = await self._letters.record_of(letter)
            lies = await redrive(self._publisher, index.cluster, letter, record, author)
        except RedriveRefusedError as problem:
            return self._record_outcome(letter, "refused", f"{problem}{before}", author)
        except NotMarkedError as problem:
            return self._record_outcome(letter, "not_marked", str(problem), author)
        except NotWrittenError as problem:
            return self._record_outcome(
                letter, "not_written", f"Kafka did not accept it ({problem}): try again.", author
            )
        except ProblemError as problem:
            outcome: RedriveOutcome = "gone" if problem.status == 404 else "not_written"
            return self._record_outcome(letter, outcome, problem.detail, author)
        message = f"It lies in {topic}, partition {lies.partition}, at {lies.offset} now.{before}"
        return self._record_outcome(letter, "redriven", message, author, lies.partition, lies.offset)

    def _record_outcome(
        self,
        letter: DeadLetter,
        outcome: RedriveOutcome,
        message: str,
        author: str,
        partition: int | None = None,
        offset: int | None = None,
    ) -> Redriven:
        self._metrics.redriven(outcome)
        topic = letter.first.topic
        log.info(
            "dead_letter.redriven",
            letter_id=letter.id,
            outcome=outcome,
            author=author,
            topic=topic,
            partition=letter.first.source_partition,
            offset=letter.first.source_offset,
            attempt=letter.last.attempt,
            reason="" if outcome == "redriven" else message,
        )
        return Redriven(id=letter.id, outcome=outcome, message=message, topic=topic, partition=partition, offset=offset)


def _build_answer(done: list[Redriven], following: DeadLetter | None) -> RedriveAnswer:
    """`following` is not None when there is more."""
    broken_off = bool(done) and done[-1].outcome == "not_written"
    return RedriveAnswer(letters=tuple(done), next=done[-1].id if done and following and not broken_off else None)
