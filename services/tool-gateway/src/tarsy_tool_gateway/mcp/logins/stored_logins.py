"""Logins as this process reads them from `tarsy.mcp-tokens`, opened."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from tarsy_bus.client.connection import Bus, quiet_reader
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_contracts.messages.mcp_tokens import LOGGED_OUT
from tarsy_tool_gateway.mcp.diagnosis import MisconfiguredError, make_login_error
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.token_keys import NotOpenedError, TokenKeys
from tarsy_tool_gateway.mcp.logins.token_records import SealedToken, TokenRecords
from tarsy_tool_gateway.mcp.logins.token_topic import take
from tarsy_tool_gateway.mcp.server_plan import LoginClient

NO_KEY = "TARSY_TOKEN_KEY is not set: tokens of logins cannot be decrypted"


@dataclass(frozen=True, slots=True)
class NumberedLogin:
    number: int
    login: McpLogin


class StoredLogins:
    def __init__(self, keys: TokenKeys) -> None:
        self.records = TokenRecords()
        self._keys = keys
        self._opened: dict[str, tuple[SealedToken, McpLogin]] = {}
        self._through = asyncio.Event()
        self._read = -1
        self._changed = asyncio.Event()

    async def follow(self, bus: Bus, heartbeat: Callable[[], None] = ignore_step) -> None:
        """Reads the topic from its beginning and goes on for ever."""
        async with PartitionReader(bus, bus.topics.mcp_tokens, heartbeat, consumer=quiet_reader).running() as follower:
            goal = (await follower.ends([0]))[0]
            follower.assign(await follower.firsts([0]))
            while True:
                for record in await follower.next():
                    self.take(record)
                if not self._through.is_set() and await follower.position(0) >= goal:
                    self._through.set()

    def take(self, record: Record) -> None:
        take(self.records, record)
        self._read = record.offset
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_through(self) -> None:
        """Returns when all that was there at the start has been read."""
        await self._through.wait()

    async def wait_for(self, offset: int) -> None:
        """Returns when the record there has been read back."""
        await self.wait_until(lambda: self._read >= offset)

    async def wait_until(self, reached: Callable[[], bool]) -> None:
        """Returns when a record has made it true."""
        while not reached():
            await self._changed.wait()

    def seal(self, login: McpLogin, server: str, number: int) -> str:
        return self._keys.seal_login(login, server, number)

    def login(self, address: str, client: LoginClient) -> NumberedLogin:
        """The one that counts. Raises LoginNeededError or MisconfiguredError."""
        if not self._keys:
            raise MisconfiguredError(NO_KEY)
        sealed = self.records.token(client.server)
        if sealed is None:
            raise make_login_error(client.server, "nobody has logged in")
        if sealed.sealed == LOGGED_OUT:
            raise make_login_error(client.server, "somebody has logged out")
        login = self._open_login(sealed, client.server)
        if not login.fits(address, client):
            raise make_login_error(client.server, "the login is for another address, issuer or client")
        return NumberedLogin(sealed.number, login)

    def _open_login(self, sealed: SealedToken, server: str) -> McpLogin:
        known = self._opened.get(server)
        if known is not None and known[0] == sealed:
            return known[1]
        try:
            login = self._keys.open_login(sealed.sealed, server, sealed.number)
        except NotOpenedError:
            raise make_login_error(server, "the login does not open with TARSY_TOKEN_KEY") from None
        except ValidationError:
            raise make_login_error(server, "the login is of another version") from None
        self._opened[server] = (sealed, login)
        return login
