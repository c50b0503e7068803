"""Record of a login or logout at an MCP server, written before it is done."""

import getpass
import socket
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_cli.logins.errors import ServerLoginError
from tarsy_contracts.messages.audit import ActRequested

SOURCE = "tarsy/command"


async def record_act(bus: Bus, act: Literal["login", "logout"], server: str) -> None:
    """With the user of this machine, which proves nothing: Kafka let him write. Raises ServerLoginError."""
    name, command = _current_user(), f"tarsy servers {act}"
    address, target = socket.gethostname(), {"server": server}
    requested = ActRequested(act=command, name=name, door="nobody", address=address, target=target)
    try:
        async with Publisher(bus, source=SOURCE, now=lambda: datetime.now(UTC)).running() as publisher:
            await publisher.publish(bus.topics.audit, requested, key=name, id=str(uuid4()), subject=command)
    except NotWrittenError as problem:
        raise ServerLoginError(f"Kafka has not taken the record of who asks for it: {problem}") from None


def _current_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
