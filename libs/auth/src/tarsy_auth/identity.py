"""Identity of a caller, and refusals of credentials."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from tarsy_auth.roles import Role
from tarsy_auth.session_groups import VisibleGroups

type Door = Literal["api_key", "token", "webhook"]
type Reason = Literal["missing", "malformed", "unknown", "expired", "rejected", "unavailable"]


@dataclass(frozen=True, slots=True)
class Identity:
    """`name` goes on the record. `credential` tells which key, token or webhook it was, and is no secret.

    `expires_at` is in seconds since 1970; None for what does not end. `session_groups` limits what the caller sees.
    """

    name: str
    role: Role
    door: Door
    credential: str
    expires_at: float | None = None
    session_groups: VisibleGroups = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """`sentence` is for the caller: nothing in it helps to guess.

    `unavailable`: nobody can tell now, which is no fault of the caller.
    """

    reason: Reason
    sentence: str


type Authenticate = Callable[[str | None], Awaitable[Identity | Refusal]]
"""From the value of the header `Authorization` (None without one) to who that is.

Never raises for what a caller sent.
"""
