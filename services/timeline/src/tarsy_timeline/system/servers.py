"""State of each MCP server, put together from what the living tool gateways see: pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_contracts.messages.workers import CatalogTool

MOST_SERVERS = 500
"""Shown at most; more are left out, the last by name."""
UNREPORTED = "No running tool gateway reports it."

type Lives = Callable[[str], bool]
type LastHeard = Callable[[str], datetime | None]


@dataclass(frozen=True, slots=True)
class ServerOfGateways:
    """`living`: reports of living workers, the newest first. Where there are none, a dead one has sent some.

    `left_at`: when the last of the dead ones announced itself.
    """

    name: str
    living: tuple[CatalogEntry, ...]
    left_at: datetime | None = None

    @property
    def healthy(self) -> tuple[CatalogEntry, ...]:
        return tuple(entry for entry in self.living if entry.seen.healthy)

    @property
    def failing(self) -> tuple[CatalogEntry, ...]:
        return tuple(entry for entry in self.living if not entry.seen.healthy)

    @property
    def misconfigured(self) -> tuple[CatalogEntry, ...]:
        return tuple(entry for entry in self.living if entry.seen.misconfigured)

    @property
    def login_needed(self) -> bool:
        """No gateway reaches it, and one needs a person to log in."""
        return not self.healthy and any(entry.seen.login_needed for entry in self.living)

    @property
    def starting(self) -> bool:
        """No gateway reaches it yet, and one has not come to the end of its first attempt."""
        return not self.healthy and any(entry.seen.starting for entry in self.living)

    @property
    def logged_in_until(self) -> datetime | None:
        return self.shown.seen.logged_in_until if self.shown is not None else None

    @property
    def shown(self) -> CatalogEntry | None:
        """The entry that stands for all: the newest that reaches it, else the newest."""
        return next(iter((*self.healthy, *self.living)), None)

    @property
    def error(self) -> str | None:
        """None when a living worker reaches it."""
        if self.healthy:
            return None
        first = next(iter((*self.misconfigured, *self.living)), None)
        return UNREPORTED if first is None else first.seen.error

    @property
    def tools(self) -> tuple[CatalogTool, ...]:
        return self.shown.seen.tools if self.shown is not None else ()

    @property
    def last_check(self) -> datetime | None:
        return max((find_check_time(entry) for entry in self.living), default=self.left_at)


def find_check_time(entry: CatalogEntry) -> datetime:
    """When the gateway asked the server; without that, when its report was appended."""
    return entry.seen.checked_at or entry.appended_at


def servers_of(entries: Iterable[CatalogEntry], lives: Lives, last_heard: LastHeard) -> list[ServerOfGateways]:
    """By name. One whose workers are all dead, and forgotten, is not there."""
    by_name: defaultdict[str, list[CatalogEntry]] = defaultdict(list)
    for entry in entries:
        by_name[entry.seen.server].append(entry)
    found = (_make_server(name, by_name[name], lives, last_heard) for name in sorted(by_name))
    return [server for server, _ in zip(_select_known(found), range(MOST_SERVERS), strict=False)]


def _select_known(servers: Iterable[ServerOfGateways]) -> Iterator[ServerOfGateways]:
    return (server for server in servers if server.living or server.left_at is not None)


def _make_server(name: str, entries: list[CatalogEntry], lives: Lives, last_heard: LastHeard) -> ServerOfGateways:
    living = sorted((one for one in entries if lives(one.seen.worker_id)), key=lambda one: -one.offset)
    if living:
        return ServerOfGateways(name, tuple(living))
    heard = (last_heard(entry.seen.worker_id) for entry in entries)
    return ServerOfGateways(name, (), max((at for at in heard if at is not None), default=None))
