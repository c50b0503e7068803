"""REST answers about memories, and the internal question of the tool gateway."""

from typing import Annotated, Literal

from pydantic import Field

from tarsy_contracts.api.model import ApiModel, Timestamp
from tarsy_contracts.memory import MemoryCategory, MemoryScope, MemoryValence, RecallContext
from tarsy_contracts.timeline.changes import SessionStatus


class MemoryView(ApiModel):
    """A memory, as Go TARSy's dashboard knows it. `project` is always `default`.

    `confidence`: with what later sessions said. `seen_count`: the sessions that found it again, and the first one.
    `contradicted_count`: those that found the contrary. `scope`: the facts of an alert that have to be the same.
    `call_ids`: the calls of its session that it rests on.
    """

    id: str
    project: str = "default"
    content: str
    category: MemoryCategory
    valence: MemoryValence
    confidence: float
    seen_count: int
    contradicted_count: int = 0
    source_session_id: str
    alert_type: str | None
    chain_id: str | None
    scope: MemoryScope = MemoryScope()
    call_ids: tuple[str, ...] = ()
    locked: bool = False
    deprecated: bool
    created_at: Timestamp
    updated_at: Timestamp
    last_seen_at: Timestamp


class InjectedMemory(MemoryView):
    """A memory that agents of a session began with. `number`: that by which they cite it. `cited`: whether one did."""

    number: int
    cited: bool


class MemoryList(ApiModel):
    memories: tuple[MemoryView, ...]
    total: int
    page: int
    page_size: int
    total_pages: int


class SimilarSession(ApiModel):
    """A session like another one. `reasons`: why it is thought to be. `duration_ms`: of one that has ended."""

    session_id: str
    title: str
    alert_type: str
    status: SessionStatus
    created_at: Timestamp
    duration_ms: int | None
    executive_summary: str | None
    reasons: tuple[Annotated[str, Field(examples=["same_alert", "same_workload", "close_words"])], ...]


class SimilarSessions(ApiModel):
    sessions: tuple[SimilarSession, ...]


class MemoryEdit(ApiModel):
    """Fields that are left out stay. `content`: at most 1,000 characters."""

    content: str | None = Field(None, min_length=1, max_length=1_000)
    category: Literal["semantic", "episodic", "procedural"] | None = None
    valence: Literal["positive", "negative", "neutral"] | None = None
    locked: bool | None = None
    deprecated: bool | None = None


class AskedRecall(ApiModel):
    query: str = Field(max_length=10_000)
    limit: int = Field(10, ge=1, le=20)
    context: RecallContext


class AskedPast(ApiModel):
    query: str = Field(max_length=500)
    alert_type: str = Field("", max_length=500)
    days_back: int = Field(30, ge=1, le=365)
    limit: int = Field(5, ge=1, le=10)
    context: RecallContext


class EarlierSession(ApiModel):
    session_id: str
    title: str
    alert_type: str
    status: str
    created_at: Timestamp
    duration_ms: int | None
    conclusion: str


class EarlierSessions(ApiModel):
    """`total`: how many fit, before `limit`."""

    sessions: tuple[EarlierSession, ...]
    total: int
