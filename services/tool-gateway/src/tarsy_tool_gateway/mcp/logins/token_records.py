"""Tokens and claims of `tarsy.mcp-tokens`, as its records add up: the rule that all readers judge by. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts.messages.mcp_tokens import CLAIM_SECONDS, McpRefreshClaimed, McpTokenSealed

MOST_NUMBER = 10**12
"""No server has so many logins. A key has eighteen digits at most: behind a number of those nobody could log in."""


@dataclass(frozen=True, slots=True)
class SealedToken:
    """`key`: of its record, which no other one has."""

    key: str
    number: int
    sealed: str


@dataclass(frozen=True, slots=True)
class RefreshClaim:
    """`at`: the broker's stamp."""

    number: int
    claimant: str
    at: datetime


class TokenRecords:
    """The token that counts of each server, the first record of its highest number, and the claim that holds for it."""

    def __init__(self) -> None:
        self._tokens: dict[str, dict[str, SealedToken]] = {}
        self._claims: dict[str, RefreshClaim] = {}

    def token(self, server: str) -> SealedToken | None:
        """`max` returns the first one of the highest number."""
        return max(self._tokens.get(server, {}).values(), key=lambda token: token.number, default=None)

    def holder(self, server: str, number: int) -> str | None:
        """The gateway that may renew the token with this number."""
        claim = self._claims.get(server)
        return claim.claimant if claim is not None and claim.number == number else None

    def next_number(self, server: str) -> int:
        known = self.token(server)
        return 1 if known is None else known.number + 1

    def list_superseded(self, server: str) -> list[str]:
        """Keys of records that do not count."""
        known = self.token(server)
        return sorted(self._tokens.get(server, {}).keys() - {known.key if known is not None else ""})

    def accept_token(self, seen: McpTokenSealed, key: str) -> None:
        """A record that is written again comes last, as it does for readers of the compacted topic."""
        if seen.number > MOST_NUMBER:
            return
        tokens = self._tokens.setdefault(seen.server, {})
        tokens.pop(key, None)
        tokens[key] = SealedToken(key, seen.number, seen.sealed)

    def accept_claim(self, seen: McpRefreshClaimed, at: datetime) -> None:
        """A claim of a number that does not count, any longer or at all, is a late one."""
        known, held = self.token(seen.server), self._claims.get(seen.server)
        if known is None or known.number != seen.number:
            return
        if (
            held is None
            or held.number != seen.number
            or held.claimant == seen.claimant
            or at - held.at >= timedelta(seconds=CLAIM_SECONDS)
        ):
            self._claims[seen.server] = RefreshClaim(seen.number, seen.claimant, at)

    def drop(self, server: str, key: str) -> None:
        """A tombstone. The token before it counts again, as it does for readers of the compacted topic."""
        self._tokens.get(server, {}).pop(key, None)
