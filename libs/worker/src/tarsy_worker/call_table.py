"""Calls that a worker holds, counted by server as they come and go: a step costs the same, however many there are."""

from collections.abc import Iterator, Mapping

from tarsy_worker.claim_types import Call, Claimable, QueuedCall


class CallTable[R: Claimable](Mapping[str, Call[R]]):
    """By call id, in the order in which they came. A step of the state machine changes a copy of its own."""

    _calls: dict[str, Call[R]]
    _waiting: dict[str, None]
    _present: dict[str, int]

    def __init__(self, calls: Mapping[str, Call[R]]) -> None:
        if isinstance(calls, CallTable):
            self._calls, self._waiting = calls._calls.copy(), calls._waiting.copy()
            self._present = calls._present.copy()
            return
        self._calls, self._waiting, self._present = {}, {}, {}
        for call_id, call in calls.items():
            self.put(call_id, call)

    def __getitem__(self, call_id: str) -> Call[R]:
        return self._calls[call_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def put(self, call_id: str, call: Call[R]) -> None:
        """A call that is there keeps its place in the order."""
        before = self._calls.get(call_id)
        if before is not None:
            self._change_count(before.request.server, -1)
        self._change_count(call.request.server, 1)
        self._calls[call_id] = call
        if isinstance(call, QueuedCall):
            self._waiting[call_id] = None
        else:
            self._waiting.pop(call_id, None)

    def remove(self, call_id: str) -> None:
        """Raises KeyError."""
        self._change_count(self._calls.pop(call_id).request.server, -1)
        self._waiting.pop(call_id, None)

    def present(self, server: str) -> int:
        """The number of calls of a server, whether they wait or have a place."""
        return self._present.get(server, 0)

    def list_waiting(self) -> list[tuple[str, QueuedCall[R]]]:
        found = ((call_id, self._calls[call_id]) for call_id in self._waiting)
        return [(call_id, call) for call_id, call in found if isinstance(call, QueuedCall)]

    def count_slots(self) -> dict[str, int]:
        """How many calls run or await their grant, of each server that has any."""
        slots = self._present.copy()
        for _, call in self.list_waiting():
            slots[call.request.server] -= 1
        return slots

    def _change_count(self, server: str, change: int) -> None:
        count = self._present.get(server, 0) + change
        if count:
            self._present[server] = count
        else:
            del self._present[server]
