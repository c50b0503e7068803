"""Loading of sessions whose earlier events are not in memory: each once, and few at a time."""

import asyncio
from collections.abc import Callable, Sequence

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_bus.retries import draw_growing_pauses
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_orchestrator.partition.memory.rehydration import limit_seconds, rehydrate
from tarsy_orchestrator.partition.memory.session_table import SessionTable
from tarsy_service.supervision import SupervisedGroup
from tarsy_session.state import Unsupported

log = structlog.get_logger(__name__)


class SessionLoader:
    """`on_loaded` takes the inputs back that waited for the session. `on_unsupported`: this code cannot read it."""

    def __init__(
        self,
        partition: int,
        *,
        readers: SpanReaders,
        sessions: SessionTable,
        on_loaded: Callable[[str, Sequence[PendingInput]], None],
        on_unsupported: Callable[[str, Unsupported], None],
    ) -> None:
        self._partition = partition
        self._readers = readers
        self._sessions = sessions
        self._on_loaded = on_loaded
        self._on_unsupported = on_unsupported
        self._waiting: dict[str, list[PendingInput]] = {}
        self._keys: dict[str, str] = {}

    @property
    def backlog(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def forget(self) -> None:
        """The inputs come again: the inbox is started anew."""
        self._waiting.clear()
        self._keys.clear()

    def join(self, one: PendingInput) -> bool:
        """True when its session is being loaded already: the input waits for that.

        So does the next alert of a deduplication key: none may overtake another one.
        """
        key = one.deduplication_key
        session_id = self._keys.get(key, one.session_id)
        waiting = self._waiting.get(session_id)
        if waiting is None:
            return False
        waiting.append(one)
        if key:
            self._keys[key] = session_id
        return True

    def start(self, one: PendingInput, group: SupervisedGroup) -> None:
        self.load(one.session_id, group)
        self.join(one)

    def load(self, session_id: str, group: SupervisedGroup) -> None:
        """Loads the session, unless it is being loaded already."""
        if session_id not in self._waiting:
            self._waiting[session_id] = []
            group.start_finite(f"loading of session {session_id}", self._load_session(session_id))

    async def _load_session(self, session_id: str) -> None:
        pauses = draw_growing_pauses()
        while (position := self._sessions.find_load_position(session_id)) is not None:
            try:
                async with self._readers.borrowed() as reader, asyncio.timeout(limit_seconds(position)):
                    rehydrated = await rehydrate(reader, self._partition, session_id, position)
            except (KafkaError, TimeoutError) as problem:
                log.warning("session.not_revived", session_id=session_id, reason=repr(problem))
                await asyncio.sleep(next(pauses))
                continue
            if self._sessions.find_load_position(session_id) == position:
                self._sessions.load(session_id, rehydrated.state, rehydrated.size)
                if isinstance(rehydrated.state, Unsupported):
                    self._on_unsupported(session_id, rehydrated.state)
                break
        waiting = self._waiting.pop(session_id, [])
        for one in waiting:
            self._keys.pop(one.deduplication_key, None)
        self._on_loaded(session_id, waiting)
