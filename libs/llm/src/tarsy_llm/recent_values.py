"""Values that were used lately, within a limit of their size together."""

from collections import OrderedDict


class RecentValues[K, V]:
    """The value that was not used for longest goes first. One above the whole limit is not kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._size = 0

    def get(self, key: K) -> V | None:
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """In the place of what the key had."""
        _, before = self._kept.pop(key, (None, 0))
        self._kept[key] = (value, size)
        self._size += size - before
        while self._size > self._most:
            _, (_, gone) = self._kept.popitem(last=False)
            self._size -= gone
