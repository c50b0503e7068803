"""Ledger of actions: how many were granted in the last hour, in the partitions of all owners."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_message
from tarsy_contracts.alert import workload_of
from tarsy_contracts.events import ToolCallReleased, ToolCallStarted
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsGranted, GrantedAction, grants_key
from tarsy_contracts.wire.ids import report_id
from tarsy_session.actions.guard import HOUR, list_granted
from tarsy_session.state import Investigating, SessionState

log = structlog.get_logger(__name__)

KINDS = {ActionsGranted.type: ActionsGranted}
MOST_PUBLISHED = 1_000
"""Limit of the grants of a partition that are published: the latest."""
PAUSE_SECONDS = 1.0
CHANGES = frozenset({ToolCallStarted.type, ToolCallReleased.type})


class ActionLedger:
    """A grant is a fact of the session log. An owner publishes those of its partitions, and adds up those of all.

    A grant that a worker gave back counts no more: its call never ran. `_released`: those that an older record of the
    catalog may still have.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._granted: dict[int, dict[str, GrantedAction]] = {}
        self._released: dict[str, datetime] = {}
        self._unpublished: set[int] = set()
        self._wake = asyncio.Event()

    def note(self, partition: int, event_type: str, state: SessionState | None) -> None:
        """Takes an event of a session of ours, as it was read back, with the state after it."""
        if (
            event_type not in CHANGES
            or not isinstance(state, Investigating)
            or not state.started.chain.actions_per_hour
        ):
            return
        now, since, known = self._now(), self._now() - HOUR, self._granted.setdefault(partition, {})
        granted = dict(list_granted(state))
        made = {id: at for id, at in granted.items() if id not in known and at > since}
        given_back = (known.keys() & state.calls.keys()) - granted.keys()
        for call_id, at in made.items():
            known[call_id] = _granted_action(state, call_id, at)
            self._released.pop(call_id, None)
        for call_id in given_back:
            del known[call_id]
            self._released[call_id] = now
        if made or given_back:
            self._unpublished.add(partition)
            self._wake.set()

    def take(self, record: Record) -> bool:
        """Returns whether the record of the catalog has grants. One that cannot be read changes nothing."""
        if not (record.key or b"").startswith(f"{SWITCH_KEY}/".encode()):
            return False
        read = None if record.value is None else parse_message(record, KINDS, "action_ledger.unreadable")
        if read is not None:
            known = self._granted.setdefault(read.partition, {})
            known |= {grant.call_id: grant for grant in read.grants if grant.call_id not in self._released}
        return True

    def count(self) -> Mapping[tuple[str, str], int]:
        """The grants of the last hour, by chain and workload."""
        self._forget()
        grants = (grant for known in self._granted.values() for grant in known.values())
        return dict(Counter((grant.chain_id, grant.workload) for grant in grants))

    async def publish_grants(self, publisher: Publisher, pause: timedelta = timedelta(seconds=PAUSE_SECONDS)) -> None:
        """Writes what was granted here, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            for partition in sorted(self._unpublished):
                await self._publish_partition(publisher, partition)
            if self._unpublished:
                await asyncio.sleep(pause.total_seconds())
                self._wake.set()

    async def _publish_partition(self, publisher: Publisher, partition: int) -> None:
        self._unpublished.discard(partition)
        grants = sorted(self._granted.get(partition, {}).values(), key=lambda grant: grant.at)[-MOST_PUBLISHED:]
        granted, key = ActionsGranted(partition=partition, grants=tuple(grants)), grants_key(partition)
        try:
            id = report_id(granted.type, partition, *(grant.call_id for grant in grants[-1:]))
            await publisher.publish(publisher.topics.catalog, granted, key=key, id=id, subject=key)
        except NotWrittenError as problem:
            self._unpublished.add(partition)
            log.warning("action_ledger.not_written", partition=partition, reason=str(problem))

    def _forget(self) -> None:
        since = self._now() - HOUR
        for partition, known in self._granted.items():
            if any(grant.at <= since for grant in known.values()):
                self._granted[partition] = {id: grant for id, grant in known.items() if grant.at > since}
        self._released = {id: at for id, at in self._released.items() if at > since}


def _granted_action(state: Investigating, call_id: str, at: datetime) -> GrantedAction:
    chain_id, workload = state.started.chain.chain_id, workload_of(state.started.alert)
    return GrantedAction(call_id=call_id, chain_id=chain_id, workload=workload, at=at)
