"""A mistake in the code that meets a session from one of its events on: no input of it can be decided."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tarsy_orchestrator.partition import decision_batch
from tarsy_orchestrator.partition.decision_batch import Decision, PendingInput, SessionTail

SET_ASIDE = ("session.set_aside", "input.not_decided")
"""Errors that a service logs then."""


class PoisonedError(Exception):
    pass


class Poison:
    def __init__(self, event: int | None = None) -> None:
        """`event`: its number in the session."""
        self.works = event is not None
        self._event = event or 0

    @contextmanager
    def planted(self) -> Iterator[None]:
        really = decision_batch.decide_one

        def decide_one(waiting: PendingInput, tail: SessionTail, *, source: str) -> tuple[Decision, SessionTail]:
            if self.works and tail.number >= self._event and waiting.operator_request is None:
                raise PoisonedError
            return really(waiting, tail, source=source)

        with patch.object(decision_batch, "decide_one", decide_one):
            yield
