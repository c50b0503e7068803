"""Inputs that are decided in one batch. Pure.

Alerts that repeat become one decision: ten thousand of them cost a few events. In a batch, alerts of one deduplication
key go to one session only, and one that starts a session is alone. The result of this batch decides which session the
next alert joins.
"""

from collections.abc import Callable
from dataclasses import replace

from tarsy_contracts.messages.inputs import AlertReceived
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_session.decision_input import EarlierAlert

DECIDED_AT_ONCE = 32
"""Size of a batch in decisions: other tasks on the event loop have their turn after each batch."""
FOLDED_AT_ONCE = 500
"""Limit of repeated alerts in a batch."""


class ReadyInputs:
    """`exists` says whether a session has started, by what was read back."""

    def __init__(self, exists: Callable[[str], bool]) -> None:
        self.inputs: list[PendingInput] = []
        self._exists = exists
        self._folded = 0
        self._last: dict[str, int] = {}
        self._keys: dict[str, str] = {}
        self._changing: set[str] = set()

    @property
    def is_full(self) -> bool:
        return len(self.inputs) >= DECIDED_AT_ONCE or self._folded >= FOLDED_AT_ONCE

    def has_capacity(self, one: PendingInput) -> bool:
        """Whether the input can be decided beside those that are here.

        An alert was routed by what was read back: nothing in the batch may end or delete the session that it meets.
        """
        if one.deduplication_key and one.session_id in self._changing:
            return False
        met = self._keys.get(one.deduplication_key)
        return met is None or (met == one.session_id and self._exists(met))

    def fold(self, one: PendingInput) -> bool:
        """Folds the input into the one before it of its session, if both are the same alert again."""
        last = self._last.get(one.session_id)
        if last is None or not self._may_be_folded(one) or not self._may_be_folded(self.inputs[last]):
            return False
        self.inputs[last] = _fold_into(self.inputs[last], one)
        self._folded += 1
        return True

    def add(self, one: PendingInput) -> None:
        key = one.deduplication_key
        if key:
            self._keys[key] = one.session_id
        if not isinstance(one.context.input, AlertReceived):
            self._changing.add(one.session_id)
        self._last[one.session_id] = len(self.inputs)
        self.inputs.append(one)

    def _may_be_folded(self, one: PendingInput) -> bool:
        taken = one.context.input
        known = one.context.offset is not None and self._exists(one.session_id)
        return known and isinstance(taken, AlertReceived) and not taken.members


def _fold_into(before: PendingInput, one: PendingInput) -> PendingInput:
    earlier = EarlierAlert(before.context.input_id, before.context.alert_id, before.context.offset or 0)
    context = replace(one.context, repeats=(*before.context.repeats, earlier))
    return replace(one, context=context, folded=before.unfolded)
