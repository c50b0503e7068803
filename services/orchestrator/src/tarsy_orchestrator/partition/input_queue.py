"""Inputs of a partition in their order, and which of them can be decided now."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tarsy_contracts.messages.inputs import ChatRequested
from tarsy_orchestrator.partition.alert_routing import route
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_orchestrator.partition.isolation.fault_isolation import FaultIsolation
from tarsy_orchestrator.partition.memory.session_loader import SessionLoader
from tarsy_orchestrator.partition.memory.session_table import SessionTable, StateNotLoadedError
from tarsy_orchestrator.partition.ready_inputs import ReadyInputs
from tarsy_service.supervision import SupervisedGroup


class InputQueue:
    """Inputs of a session that is being loaded wait with the loader, those of one that is set aside with isolation.

    `last_read`: when the last one came that was read of the inbox; None once all that it holds was read.
    """

    def __init__(self, sessions: SessionTable, isolation: FaultIsolation, loader: SessionLoader) -> None:
        self._sessions = sessions
        self._isolation = isolation
        self._loader = loader
        self._inputs: deque[PendingInput] = deque()
        self.last_read: datetime | None = None

    @property
    def backlog(self) -> int:
        return len(self._inputs) + self._loader.backlog

    @property
    def oldest(self) -> datetime | None:
        """When the oldest one came that waits, here or unread."""
        # Inputs of the owner's own have times of its own clock.
        return next((one.context.at for one in self._inputs if one.context.offset is not None), self.last_read)

    def add(self, one: PendingInput) -> None:
        self._inputs.append(one)

    def add_first(self, inputs: Sequence[PendingInput]) -> None:
        self._inputs.extendleft(reversed(inputs))

    def drop_inbox(self) -> None:
        """Forgets what the inbox reported: it is started anew, and reports it again."""
        self._inputs = deque(one for one in self._inputs if one.context.offset is None)
        self._loader.forget()

    def take_ready(self, group: SupervisedGroup) -> list[PendingInput]:
        """Takes what can be decided now. Inputs of a session whose state has to be read first wait for that."""
        ready = ReadyInputs(self._sessions.exists)
        while self._inputs and not ready.is_full:
            one = route(self._inputs[0], self._sessions, self._isolation)
            if not ready.has_capacity(one):
                break
            self._inputs.popleft()
            if one.deduplication_key and self._loader.join(one):
                continue
            if one.operator_request is not None:
                one = replace(one, context=replace(one.context, aside=one.session_id in self._isolation))
            elif one.session_id in self._isolation:
                self._isolation.hold(one)
                continue
            if self._loader.join(one):
                continue
            try:
                self._sessions.state(one.session_id)
            except StateNotLoadedError:
                self._loader.start(one, group)
                continue
            if not ready.fold(one):
                self._sessions.pin(one.session_id)
                ready.add(self._with_spans(one))
        return ready.inputs

    def _with_spans(self, one: PendingInput) -> PendingInput:
        head = self._sessions.head(one.session_id) if isinstance(one.context.input, ChatRequested) else None
        if head is None or head.phase != "rest":
            return one
        return replace(one, context=replace(one.context, spans=head.spans))
