"""Offsets of the stream: from where the records of a watched session count, and where live ones begin. Pure."""

from collections.abc import Mapping


class StreamOffsets:
    """A session's records count once its partition is read from where its running calls began.

    Until then those that come would show a text without its beginning. When the partition is moved back for another
    session, what was taken comes again, and costs a look at its offset.
    """

    def __init__(self) -> None:
        self._partitions: dict[str, int] = {}
        self._next: dict[str, int] = {}
        self._waiting: set[str] = set()
        self._placed_at: dict[str, int] = {}
        """The end of its partition when a session was placed: a later move for another session changes nothing."""
        self._live_from: dict[int, int] = {}
        """The end of each partition when somebody needed it last: what lies before it had streamed already."""

    def add_waiting(self, session_id: str, partition: int) -> None:
        """Its records count once it was placed."""
        self._partitions[session_id] = partition
        self._waiting.add(session_id)

    def forget(self, session_id: str) -> None:
        self._partitions.pop(session_id, None)
        self._next.pop(session_id, None)
        self._placed_at.pop(session_id, None)
        self._waiting.discard(session_id)

    def partitions(self) -> set[int]:
        """Partitions of watched sessions."""
        return set(self._partitions.values())

    def take_waiting(self) -> set[str]:
        """Sessions that are to be placed. The caller places them."""
        waiting, self._waiting = self._waiting, set()
        return waiting

    def place_sessions(self, session_ids: set[str], offsets: Mapping[int, int]) -> None:
        """`offsets`: from where their partitions are read, or were read already."""
        for session_id in session_ids & self._partitions.keys():
            partition = self._partitions[session_id]
            self._next[session_id] = offsets[partition]
            self._placed_at[session_id] = self._live_from.get(partition, 0)

    def takes(self, session_id: str, offset: int) -> bool:
        """Whether this record counts; it does once."""
        known = self._next.get(session_id)
        if known is None or offset < known:
            return False
        self._next[session_id] = offset + 1
        return True

    def begin_live(self, ends: Mapping[int, int]) -> None:
        """`ends` of partitions that somebody needs from here on."""
        self._live_from |= ends

    def is_replayed(self, partition: int, offset: int) -> bool:
        return offset < self._live_from.get(partition, 0)

    def list_caught_up(self, session_ids: set[str], positions: Mapping[int, int]) -> list[str]:
        """Those of which nothing is left that had streamed when they were placed. `positions`: the next offsets."""
        return [one for one in sorted(session_ids) if self._is_caught_up(one, positions)]

    def _is_caught_up(self, session_id: str, positions: Mapping[int, int]) -> bool:
        partition = self._partitions.get(session_id)
        return partition is None or positions.get(partition, 0) >= self._placed_at.get(session_id, 0)

    def is_behind(self, positions: Mapping[int, int]) -> bool:
        """Whether there is more of a text of before. `positions`: the next offsets of the partitions of a read."""
        return any(self.is_replayed(partition, offset) for partition, offset in positions.items())
