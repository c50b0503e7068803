"""User that a child process runs as."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RunAs:
    user: Literal["self", "namespace", "setuid"] = "self"
    uid: int = 0
    gid: int = 0


OURSELVES = RunAs()
