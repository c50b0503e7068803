"""Logins at MCP servers: what `tarsy.mcp-tokens` carries (decision 0041)."""

from typing import ClassVar

from pydantic import Field

from tarsy_contracts.wire.header_numbers import read_number
from tarsy_contracts.wire.message import Message

CLAIM_SECONDS = 60.0
"""By the broker's stamps: then another claim of the same number may take the place of the one that holds."""

LOGGED_OUT = ""
"""Stands where tokens would. It has a number like them: a renewal that is late does not bring the login back."""


class McpTokenSealed(Message):
    """Tokens of a login at an MCP server, encrypted. The first record of the highest `number` of a server counts.

    `sealed`: AES-256-GCM under TARSY_TOKEN_KEY, in base64; empty once somebody has logged out.
    """

    type: ClassVar[str] = "mcp_token.sealed"
    server: str
    number: int = Field(ge=1)
    sealed: str


class McpRefreshClaimed(Message):
    """A tool gateway wants to renew the token with this number. The first claim of a number holds for CLAIM_SECONDS.

    `claimant`: the worker's id. Its own next claim prolongs the one before.
    """

    type: ClassVar[str] = "mcp_token.refresh_claimed"
    server: str
    number: int = Field(ge=1)
    claimant: str


def token_key(server: str, number: int, id: str) -> str:
    """A key of its own for each record: compaction keeps also what is dropped, so that all readers drop it."""
    return f"{server}/{number}/{id}"


def claim_key(server: str) -> str:
    return f"{server}/claim"


def token_of_key(key: str) -> tuple[str, int] | None:
    """Server and number; None when it is the key of something else."""
    server, _, rest = key.partition("/")
    text, slash, _ = rest.partition("/")
    number = read_number(text.encode()) if slash else None
    return None if number is None else (server, number)
