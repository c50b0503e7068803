"""Tokens and claims of `tarsy.mcp-tokens`, as its records add up: the rule that all readers judge by. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts.mcp_tokens import CLAIM_SECONDS, McpRefreshClaimed, McpTokenSealed


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
        self._tokens: dict[str, SealedToken] = {}
        self._claims: dict[str, RefreshClaim] = {}
        self._keys: dict[str, set[str]] = {}

    def token(self, server: str) -> SealedToken | None:
        return self._tokens.get(server)

    def holder(self, server: str, number: int) -> str | None:
        """The gateway that may renew the token with this number."""
        claim = self._claims.get(server)
        return claim.claimant if claim is not None and claim.number == number else None

    def next_number(self, server: str) -> int:
        known = self._tokens.get(server)
        return 1 if known is None else known.number + 1

    def superseded(self, server: str) -> list[str]:
        """Keys of records that do not count."""
        known = self._tokens.get(server)
        return sorted(self._keys.get(server, set()) - {known.key if known is not None else ""})

    def accept_token(self, seen: McpTokenSealed, key: str) -> None:
        self._keys.setdefault(seen.server, set()).add(key)
        if seen.number >= self.next_number(seen.server):
            self._tokens[seen.server] = SealedToken(key, seen.number, seen.sealed)

    def accept_claim(self, seen: McpRefreshClaimed, at: datetime) -> None:
        """A claim of a number that does not count, any longer or at all, is a late one."""
        known, held = self._tokens.get(seen.server), self._claims.get(seen.server)
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
        """A tombstone."""
        self._keys.get(server, set()).discard(key)
        known = self._tokens.get(server)
        if known is not None and known.key == key:
            del self._tokens[server]
