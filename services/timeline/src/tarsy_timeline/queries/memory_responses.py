"""REST answers about memories, made of rows."""

import math
from collections.abc import Iterator, Sequence

from tarsy_contracts.api.memories import InjectedMemory, MemoryList, MemoryView, SimilarSession, SimilarSessions
from tarsy_contracts.memory import MemoryScope
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.queries.memory_filter import MemoryFilter
from tarsy_timeline.queries.memory_rank import confidence_of
from tarsy_timeline.queries.session_fields import duration_ms
from tarsy_timeline.rows.session_rows import Row

CLOSE_WORDS = 0.5
"""The part of the rare words of an alert's title that another one has."""


def memory_list(wanted: MemoryFilter, rows: Sequence[Row]) -> MemoryList:
    total = rows[0]["total"] if rows else 0
    return MemoryList(
        memories=memory_views(rows),
        total=total,
        page=wanted.page,
        page_size=wanted.page_size,
        total_pages=math.ceil(total / wanted.page_size),
    )


def memory_views(rows: Sequence[Row]) -> tuple[MemoryView, ...]:
    return tuple(map(memory_view, rows))


def to_injected(rows: Sequence[tuple[Row, Row]]) -> Iterator[InjectedMemory]:
    for memory, given in rows:
        yield InjectedMemory(**memory_view(memory).model_dump(), number=given["number"], cited=given["cited"])


def memory_view(row: Row) -> MemoryView:
    return MemoryView(
        id=row["memory_id"],
        content=row["text"],
        category=row["category"],
        valence=row["valence"],
        confidence=round(confidence_of(row), 3),
        seen_count=1 + row["agreed"],
        contradicted_count=row["opposed"],
        source_session_id=row["session_id"],
        alert_type=row["alert_type"] or None,
        chain_id=row["chain_id"] or None,
        scope=MemoryScope.model_validate(row["scope"]),
        call_ids=tuple(row["call_ids"]),
        locked=row["locked"],
        deprecated=row["deprecated"],
        created_at=wire_time(row["learned_at"]),
        updated_at=wire_time(row["updated_at"]),
        last_seen_at=wire_time(row["judged_at"] or row["learned_at"]),
    )


def similar_sessions(rows: Sequence[Row]) -> SimilarSessions:
    found = ((row, tuple(_reasons(row))) for row in rows)
    return SimilarSessions(
        sessions=tuple(
            SimilarSession(
                session_id=row["session_id"],
                title=row["title"],
                alert_type=row["alert_type"],
                status=row["status"],
                created_at=wire_time(row["created_at"]),
                duration_ms=duration_ms(row),
                executive_summary=row["executive_summary"],
                reasons=reasons,
            )
            for row, reasons in found
            if reasons
        )
    )


def _reasons(row: Row) -> Iterator[str]:
    if row["same_alert"]:
        yield "same_alert"
    if row["same_workload"]:
        yield "same_workload"
    if row["words"] >= CLOSE_WORDS:
        yield "close_words"
