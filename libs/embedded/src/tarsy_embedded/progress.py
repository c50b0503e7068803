"""Progress messages for a caller: what takes so long."""

from collections.abc import Callable

type Progress = Callable[[str], None]
