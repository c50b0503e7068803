"""Requests that Go TARSy's dashboard makes, and ours in its shapes: the differences are those that are listed here.

docs/reference/go-tarsy-api.md says them to people. The ingest's part is in its own tests.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_testing.go_tarsy import differences, go_answer, go_answers
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.telling_gateways import TellingGateway, tool
from tarsy_testing.story.reply import Exchange
from tarsy_testing.story.session_owner import owner_answers
from tarsy_testing.story.whole_chain import whole_chain

type Append = Callable[..., Awaitable[int]]
type NewSession = Callable[[], Any]

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = Path(__file__).parents[3] / "docs/reference/go-tarsy-api.md"
COSTS = {"cost_estimation_enabled", "estimated_cost_usd", "cost_completeness"}
REVIEWS = {"action_taken", "feedback_edited", "feedback_edited_by", "feedback_edited_at"}
HERE = {"cost_completeness", "estimated_cost_usd"}
"""Of a session and a summary; an execution has none."""
LISTED = {f"sessions[].{key}: missing" for key in COSTS - HERE | REVIEWS} - {
    "sessions[].cost_estimation_enabled: missing"
} | {"cost_estimation_enabled: missing", "sessions[].estimated_cost_usd: null, not int"}
UNPRICED = "estimated_cost_usd: null, not int"
"""Nothing has a price here: its cost is unknown, and not 0."""
UNSAID = {
    f"{place}{key}: null, not {kind}"
    for place in ("", "sessions[].")
    for key, kind in (
        ("latest_score", "int"), ("assignee", "str"), ("quality_rating", "str"), ("investigation_feedback", "str")
    )
}  # fmt: skip
"""Nobody has judged or reviewed our sessions, as somebody had some of Go TARSy's."""
DETAIL = {f"{key}: missing" for key in COSTS - HERE | REVIEWS | {"score_id"}} | {UNPRICED}
EXECUTION = {
    f"stages[].executions[].{key}: missing"
    for key in ("llm_backend", "estimated_cost_usd", "unpriced_interaction_count")
}
SUMMARY = {f"{key}: missing" for key in ("cost_estimation_enabled", "total_score", "scoring_status")} | {UNPRICED}
UNPRICED_USAGE = {
    f"{place}{key}_cost_usd: null, not int"
    for place in ("totals.", "by_model[].", "by_alert_type[].", "by_chain[].")
    for key in ("estimated", "average")
} | {"top_sessions[].estimated_cost_usd: null, not int"}
NOT_HERE = ("/api/v1/sessions/{id}/score",)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def investigated(system_bus: Bus, client: httpx2.AsyncClient, append: Append, new_session: NewSession) -> Any:
    """A whole investigation with two parallel agents and a chat."""
    session = new_session()
    session.add(*whole_chain(session.id))
    session.add(*Exchange(session.id, content="Since when?").whole())
    await append(system_bus, 5, session.records)
    path = f"/api/v1/sessions/{session.id}/status?at_least={len(session.records)}"

    async def projected() -> bool:
        return (await client.get(path)).status_code == 200

    async def searchable() -> bool:
        return bool((await client.get("/api/v1/sessions?search=memory")).json()["sessions"])

    await eventually(projected, "the session is projected")
    await eventually(searchable, "its words are indexed")
    return session


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def publisher(system_bus: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(system_bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        yield publisher


async def asked(client: httpx2.AsyncClient, path: str, note: str = "", **values: str) -> set[str]:
    """The differences of our answer to the same request."""
    recorded = go_answer("GET", path, note)
    answer = await client.get(path.format(**values))
    assert answer.status_code == recorded.status, answer.text
    return differences(recorded.shape, answer.json())


async def test_the_list_lacks_some_costs_and_edits_of_feedback(client: httpx2.AsyncClient, investigated: Any) -> None:
    paged = "?page=1&page_size=1&sort_by=created_at&sort_order=asc&status=completed,failed"
    assert await asked(client, f"/api/v1/sessions{paged}") - UNSAID == LISTED
    assert await asked(client, "/api/v1/sessions") - UNSAID == LISTED


NONE, ALL = False, True


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("scoring_status=scored", NONE),
        ("scoring_status=scoring_failed,scored", NONE),
        ("scoring_status=not_scored", ALL),
        ("review_status=in_progress", NONE),
        ("assignee=ann", NONE),
        ("quality_rating=accurate", NONE),
        ("label=page", NONE),
        ("scoring_status=&review_status=&assignee=&quality_rating=&label=", ALL),
        ("sort_by=score&sort_order=desc", ALL),
        ("sort_by=quality_rating&sort_order=asc", ALL),
        ("search=memory&sort_by=score", ALL),
        ("search=memory&label=page", NONE),
        ("status=completed&review_status=reviewed&sort_by=score", NONE),
    ],
)
async def test_a_filter_by_what_no_session_has_finds_none_and_is_no_mistake(
    client: httpx2.AsyncClient, investigated: Any, query: str, finds: bool
) -> None:
    answer = await client.get(f"/api/v1/sessions?page=1&page_size=25&{query}")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (bool(found["sessions"]), bool(found["pagination"]["total_items"])) == (finds, finds)


async def test_the_detail_lacks_some_costs_and_edits_of_feedback(client: httpx2.AsyncClient, investigated: Any) -> None:
    parallel = await asked(client, "/api/v1/sessions/{id}", "parallel, 3 agents", id=investigated.id)
    assert parallel - UNSAID - {"stages[].parallel_type: null, not str"} == DETAIL | EXECUTION
    chat = await asked(client, "/api/v1/sessions/{id}", "with chat", id=investigated.id)
    assert chat - UNSAID == DETAIL | EXECUTION


@pytest.mark.parametrize(
    ("path", "note", "expected"),
    [
        ("/api/v1/sessions/{id}/summary", "completed", SUMMARY),
        ("/api/v1/sessions/{id}/status", "completed", set()),
        ("/api/v1/sessions/active", "", {"active[]: none", "queued[]: none"}),
        ("/api/v1/sessions/filter-options", "", set()),
        ("/api/v1/runbooks", "", set()),
        ("/api/v1/system/warnings", "", set()),
        ("/api/v1/sessions/{id}", "unknown id", set()),
        ("/api/v1/sessions/{id}/summary", "unknown id", set()),
        ("/api/v1/sessions/{id}/status", "unknown id", set()),
        ("/api/v1/sessions?search=ab", "", set()),
        ("/api/v1/sessions?sort_by=nope", "", set()),
        ("/api/v1/usage/summary", "", set()),
        (
            "/api/v1/usage/summary?start_date=2026-01-01T00:00:00Z&end_date=2026-12-31T00:00:00Z",
            "",
            UNPRICED_USAGE,
        ),
        ("/api/v1/nope", "", set()),
    ],
)
async def test_answers_have_gos_keys_and_types(
    client: httpx2.AsyncClient, investigated: Any, path: str, note: str, expected: set[str]
) -> None:
    session = "nope" if note == "unknown id" else investigated.id
    assert await asked(client, path, note, id=session) == expected


async def test_the_timeline_has_gos_keys_and_types(client: httpx2.AsyncClient, investigated: Any) -> None:
    found = await asked(client, "/api/v1/sessions/{id}/timeline", "completed", id=investigated.id)
    of_the_session = {"[].stage_id: null, not str", "[].execution_id: null, not str"}
    assert found - of_the_session == {"[].edges: missing", "[].metadata.source: missing"}
    unknown = await client.get("/api/v1/sessions/nope/timeline")
    assert unknown.status_code == 404, "Go TARSy answers an empty list"


async def test_servers_have_gos_keys_and_types(
    client: httpx2.AsyncClient, system_bus: Bus, publisher: Publisher
) -> None:
    gateway = TellingGateway(publisher)
    await gateway.announce()
    await gateway.says("git", tool("log"))

    async def is_there() -> bool:
        answer = await client.get("/api/v1/system/mcp-servers")
        return answer.status_code == 200 and bool(answer.json()["servers"])

    await eventually(is_there, "the server is there")
    assert await asked(client, "/api/v1/system/mcp-servers") == set()


@pytest.mark.parametrize(
    ("path", "note", "body", "decided"),
    [
        ("cancel", "running", None, (True, 200)),
        ("cancel", "completed", None, (False, 409)),
        ("chat/messages", "ok", {"content": "Since when?"}, (True, 200)),
        ("chat/messages", "running", {"content": "Since when?"}, (False, 400)),
        ("chat/messages", "while answering", {"content": "Since when?"}, (False, 409)),
        ("chat/messages", "empty", {"content": ""}, None),
    ],
)
async def test_requests_of_people_have_gos_answers(
    client: httpx2.AsyncClient, system_bus: Bus, path: str, note: str, body: object, decided: tuple[bool, int] | None
) -> None:
    recorded = go_answer("POST", f"/api/v1/sessions/{{id}}/{path}", note)
    asking = asyncio.Event()
    owner = None
    if decided is not None:
        owner = asyncio.create_task(owner_answers(system_bus, asking, *decided, "" if decided[0] else "No."))
        await asking.wait()

    answer = await client.post(f"/api/v1/sessions/abc/{path}", json=body)

    if owner is not None:
        await owner
    assert answer.status_code == recorded.status
    assert differences(recorded.shape, answer.json()) == set()


@pytest.mark.parametrize("path", NOT_HERE)
async def test_what_is_not_here_says_so_in_gos_shape(client: httpx2.AsyncClient, investigated: Any, path: str) -> None:
    answer = await client.get(path.format(id=investigated.id))
    assert (answer.status_code, differences({"message": "str"}, answer.json())) == (404, set())


async def test_the_page_names_every_endpoint_and_every_key_that_is_not_there() -> None:
    page = PAGE.read_text("utf-8")
    steps = {step for one in go_answers() for step in one.endpoint[1].split("/")}
    keys = COSTS | REVIEWS | {"llm_backend", "unpriced_interaction_count"}
    assert {word for word in (steps - {"nope", "needs_review"}) | keys if word not in page} == set()
