"""The newest head of every session of one partition: of open sessions in memory, of sessions at rest in a table.

The table is a private temporary file that ends with the process. SQLite keeps a bounded part of it in memory. A million
ended sessions therefore cost disk, not memory. The acceptance rule has each head
without asking Kafka.
"""

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tarsy_bus.log.head_batches import HeadRows
from tarsy_bus.log.head_rows import JOINABLE, NUMBER, pack_head, pack_session, unpack_head, unpack_session
from tarsy_contracts.events.heads import AlertMark, SessionHead

CACHE_KIB = 3 * 1024
MAKE = "create table heads (session primary key, head) without rowid"
PUT = "insert into heads values (?, ?) on conflict (session) do update set head = excluded.head"
PUT_ALL = """
with recursive place(n) as (select 0 union all select n + 1 from place where n + 1 < :count)
insert into heads
select substr(:rows, n * (:width + 16) + 1, 16), substr(:rows, n * (:width + 16) + 17, :width) from place where true
on conflict (session) do update set head = excluded.head where excluded.head > heads.head
"""
MAKE_JOINABLE = "create table joinable (key primary key, session) without rowid"
PUT_JOINABLE = """
with recursive place(n) as (select 0 union all select n + 1 from place where n + 1 < :count)
insert into joinable
select substr(:rows, n * (:width + 16) + 1, 16), substr(:rows, n * (:width + 16) + 17, :width) from place where true
on conflict (key) do update set session = excluded.session where excluded.session > joinable.session
"""
GET_JOINABLE = "select session from joinable where key = ?"
"""One statement for many rows: SQLite runs it without the interpreter, and so beside it."""
GET = "select head from heads where session = ?"
ALL_AT_REST = "select session, head from heads"
DROP = "delete from heads where session = ? and substr(head, 1, 8) = ?"
NO_JOINABLE = "delete from joinable"


@dataclass(frozen=True, slots=True)
class JoinableSession:
    """The latest session of a deduplication key, which its alerts may join. `deleted`: it was, and none does."""

    session_id: str
    alerts: AlertMark
    deleted: bool = False


class HeadStore:
    """Close it.

    `last` is the head whose event lies furthest in the log, `decided` the highest inbox offset that any head tells.
    `end` is the offset after the last record that was read from the topic. `misplaced`: keys of heads that lie in the
    partition, and whose sessions do not.
    """

    def __init__(self, heads: Mapping[str, SessionHead] | None = None) -> None:
        self._open: dict[str, SessionHead] = {}
        self._table = _open_table()
        self.last: SessionHead | None = None
        self.decided = -1
        self.end = 0
        self.misplaced: tuple[str, ...] = ()
        for session_id, head in (heads or {}).items():
            self[session_id] = head

    def get(self, session_id: str) -> SessionHead | None:
        return self._open.get(session_id) or self._find_at_rest(session_id)

    def __setitem__(self, session_id: str, head: SessionHead) -> None:
        """The session's head from now on, as the log says."""
        self._note_newest(head)
        if head.phase == "open":
            self._open[session_id] = head
        else:
            self._open.pop(session_id, None)
            self._table.execute(PUT, (pack_session(session_id), pack_head(head)))
        if head.alerts is not None:
            self.note_alerts(session_id, head.number, head.alerts, deleted=find_first_kept(head) is None)

    def joinable(self, key: str) -> JoinableSession | None:
        """The latest session of the key, as heads and `note_alerts` say."""
        row = self._table.execute(GET_JOINABLE, (pack_session(key),)).fetchone()
        if row is None:
            return None
        opened, _, session, alerted, alerted_ms, deleted = JOINABLE.unpack(row[0])
        alerts = AlertMark(key=key, opened=opened, alerted=alerted, alerted_ms=alerted_ms)
        return JoinableSession(unpack_session(session), alerts, bool(deleted))

    def note_alerts(self, session_id: str, number: int, alerts: AlertMark, *, deleted: bool = False) -> None:
        """The alerts of a session as its event `number` left them. An older session of the key changes nothing."""
        key, session = pack_session(alerts.key), pack_session(session_id)
        if isinstance(key, str) or isinstance(session, str) or alerts.opened < 0:
            return  # nobody derives such a one
        joinable = JOINABLE.pack(alerts.opened, number, session, alerts.alerted, alerts.alerted_ms, deleted)
        self._put_joinable([key + joinable])

    def _put_joinable(self, rows: Sequence[bytes]) -> None:
        if rows:
            of_all = {"rows": b"".join(rows), "count": len(rows), "width": JOINABLE.size}
            self._table.execute(PUT_JOINABLE, of_all)

    def offer(self, session_id: str, head: SessionHead) -> None:
        """A head as it was read: the highest number of a session wins, in whatever order heads come, and how often."""
        known = self.get(session_id)
        if known is None or known.number < head.number:
            self[session_id] = head

    def offer_rows(self, rows: HeadRows) -> None:
        """The same of many heads at rest. Only before any head of an open session comes."""
        for width, found in rows.at_rest.items():
            self._table.execute(PUT_ALL, {"rows": b"".join(found), "count": len(found), "width": width})
        self._put_joinable(rows.joinable)
        self.decided = max(self.decided, rows.decided)
        if rows.last:
            self._note_newest(unpack_head(rows.last))

    def drop_rows(self, tombstones: Iterable[tuple[bytes | str, int]]) -> bool:
        """Ends heads at rest by session and number. Returns whether one of them was still the newest of its session.

        That is nothing that an owner does: its tombstones come after the newer heads. `recount` has to follow then.
        """
        rows = [(session, NUMBER.pack(number)) for session, number in tombstones]
        return bool(rows) and self._table.executemany(DROP, rows).rowcount > 0

    def recount(self) -> None:
        """Finds once more what follows from all heads. Only before any head of an open session comes."""
        self.last, self.decided = None, -1
        self._table.execute(NO_JOINABLE)
        for session, packed in self._table.execute(ALL_AT_REST):
            head, session_id = unpack_head(packed), unpack_session(session)
            self._note_newest(head)
            if head.alerts is not None:
                self.note_alerts(session_id, head.number, head.alerts, deleted=find_first_kept(head) is None)

    def all(self) -> Iterator[tuple[str, SessionHead]]:
        """The newest head of each session."""
        yield from self._open.items()
        for session, packed in self._table.execute(ALL_AT_REST):
            session_id = unpack_session(session)
            if session_id not in self._open:
                yield session_id, unpack_head(packed)

    @property
    def open(self) -> Mapping[str, SessionHead]:
        return self._open

    @property
    def beginning(self) -> int:
        """The offset from which a reader that is seeded by these heads has to read the log."""
        if self._open:
            return min(head.offset for head in self._open.values())
        return 0 if self.last is None else self.last.offset + 1

    def find_first_wanted(self) -> int:
        """The lowest offset of the log in which a life of any session begins that is still wanted.

        If there is none, that of the last head, which identifies the log.
        """
        last = 0 if self.last is None else self.last.offset
        at_rest = (unpack_head(packed) for _, packed in self._table.execute(ALL_AT_REST))
        firsts = (find_first_kept(head) for head in chain(self._open.values(), at_rest))
        return min((first for first in firsts if first is not None and first < last), default=last)

    def list_deleted(self) -> Iterator[tuple[str, SessionHead]]:
        """The sessions of which nothing is wanted any more."""
        for session, packed in self._table.execute(ALL_AT_REST):
            head = unpack_head(packed)
            if not head.spans:
                yield unpack_session(session), head

    def close(self) -> None:
        self._table.close()

    def _note_newest(self, head: SessionHead) -> None:
        self.decided = max(self.decided, head.decided)
        if self.last is None or (self.last.offset, self.last.number) < (head.offset, head.number):
            self.last = head

    def _find_at_rest(self, session_id: str) -> SessionHead | None:
        row = self._table.execute(GET, (pack_session(session_id),)).fetchone()
        return None if row is None else unpack_head(row[0])


def find_first_kept(head: SessionHead) -> int | None:
    """The offset at which the first life begins that is still wanted; None of a session that was deleted."""
    if head.spans:
        return head.spans[0].first
    return head.offset if head.phase == "open" else None


def _open_table() -> sqlite3.Connection:
    """Without a path SQLite keeps what its cache does not hold in a file that it has deleted already.

    Nothing in it outlives us, so nothing is made durable. Where there is no folder for it, all stays in memory.
    """
    try:
        tempfile.gettempdir()
        path = ""
    except FileNotFoundError:
        path = ":memory:"
    table = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{CACHE_KIB}"):
        table.execute(f"pragma {pragma}")
    table.execute(MAKE)
    table.execute(MAKE_JOINABLE)
    # One transaction for all: outside of one, each statement would write its pages out.
    table.execute("begin")
    return table
