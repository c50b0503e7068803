"""How a caller learns what takes so long."""

from collections.abc import Callable

type Progress = Callable[[str], None]
