"""List, search and detail of the timeline's API beside many sessions: `python benchmarks/search.py`.

The sessions are made: alerts, tool results and analyses out of the evidence of examples/incidents, each with a pod of
its own. Timed are the API's answers (its app in this process, PostgreSQL beside it), the indexing of sessions, and the
projection of whole chains with and without the note that each leaves for the index; and the same lists for people who
see a half of the sessions, a tenth, or one in 5,000. Needs no Kafka.
"""

import argparse
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import httpx2
import uvloop
from fastapi import FastAPI
from saying import load_told, say, tail

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_timeline.api.caller_groups import groups_of
from tarsy_timeline.api.session_routes import session_routes
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.projection import Batch
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.queries.session_queries import SessionQueries

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))

from tarsy_testing.story.whole_chain import whole_chain  # noqa: E402 - it lies beside the tests

EVIDENCE = ROOT / "examples/incidents"
SCHEMA = "tarsy"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SERVICES = ("checkout", "payment", "search", "cart", "shipping", "billing", "inventory", "frontend", "auth", "mail")
INDEXED_ONE_BY_ONE = 5_000
"""These are indexed while the index grows, as in a running service; the rest before it is made, which is quicker."""
PROJECTED = 300
AT_ONCE = 200
ROUNDS = 50
GIVE_UP_SECONDS = 1_200.0
ONE_IN = 5_000
LIMITS: dict[str, GroupLabels] = {
    "half of all": [{"team": ["half"]}],
    "a tenth": [{"team": ["team-3"]}],
    f"one in {ONE_IN:,}": [{"team": ["rare"]}],
    "two groups": [{"team": ["team-3"]}, {"team": ["half"], "alert_type": ["pod-crash"]}],
}
"""What a caller may see."""
QUEUE = """
insert into search_queue (session_id)
select session_id from (select session_id from sessions order by created_at desc limit $1 offset $2) s
"""
BEFORE = """
select count(*) from sessions s where s.alert_data ilike $1 or s.title ilike $1 or s.final_analysis ilike $1
or exists (select from timeline_events t where t.session_id = s.session_id and t.content ilike $1)
"""
"""The search as it was without an index."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=100_000)
    given = parser.parse_args()
    with load_told(), TemporaryDirectory() as folder:
        postgres = EmbeddedPostgres(Path(folder) / "postgres", port=free_port(), progress=lambda _: None)
        with postgres:
            uvloop.run(run(postgres.url, given.sessions))


async def run(url: str, count: int) -> None:
    async with Database(url, SCHEMA, 5).running(lambda one: migrate(one, SCHEMA)) as database, connected(url) as owner:
        await project(database, owner)
        pods = await make_sessions(owner, count)
        await index(database, owner, count)
        await ask(database, owner, pods)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(url, server_settings={"search_path": SCHEMA}, command_timeout=GIVE_UP_SECONDS)
    await connection.set_type_codec(
        "jsonb", encoder=lambda text: b"\x01" + text.encode(), decoder=bytes, schema="pg_catalog", format="binary"
    )
    try:
        yield connection
    finally:
        await connection.close()


async def project(database: Database, owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """In turns, as the speed of the machine changes."""
    checkpoint = ProjectionCheckpoint(database)
    await checkpoint.begin(LogIdentity("benchmark", "log"), {0: 0})
    seconds = {"enable": 0.0, "disable": 0.0}
    events = position = 0
    for turn in range(2 * 8):
        state = ("enable", "disable")[turn % 2]
        await owner.execute(f"alter table sessions {state} trigger sessions_queued_for_search")
        records = [one for number in range(PROJECTED // 8) for one in recorded(f"{turn}-{number}")]
        began = time.perf_counter()
        for start in range(0, len(records), AT_ONCE):
            batch = Batch()
            for record in records[start : start + AT_ONCE]:
                batch.add(record)
            await checkpoint.write(0, position, position + AT_ONCE, batch)
            position += AT_ONCE
        seconds[state] += time.perf_counter() - began
        events += len(records)
    await owner.execute("alter table sessions enable trigger sessions_queued_for_search")
    for state, word in (("disable", "without"), ("enable", "with")):
        say(f"projected {word} the note for the index: {events / 2 / seconds[state]:,.0f} events/s")
    await owner.execute("truncate sessions, stages, agent_executions, timeline_events, search_queue")


def recorded(session_id: str) -> Iterator[RecordedEvent]:
    previous = None
    for number, event in enumerate(whole_chain(session_id), 1):
        value, at = event.to_bytes(), BEGIN + timedelta(seconds=number)
        id = event_id(previous=previous, type=event.type, subject=session_id, sequence=number, time=at, value=value)
        envelope = Envelope(
            id=id, type=event.type, version=event.version, source="benchmark", subject=session_id, time=at,
            sequence=number, previous=previous, decided=number,
        )  # fmt: skip
        yield RecordedEvent(envelope=envelope, event=event, partition=0, offset=number, appended_at=at)
        previous = id


class Texts:
    """Text of the lab's evidence, with the names of one session in it."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        files = sorted(
            one
            for one in EVIDENCE.rglob("*")
            if one.is_file() and one.suffix != ".gz" and one.name != "planted-secrets.txt"
        )
        self._lines = [line for one in files for line in one.read_text("utf-8").splitlines() if line.strip()]

    def pod(self) -> str:
        return (
            f"{self._chance.choice(SERVICES)}-{self._chance.randbytes(5).hex()}-{self._chance.randbytes(3).hex()[:5]}"
        )

    def some(self, lines: int, pod: str) -> str:
        at = self._chance.randrange(len(self._lines) - lines)
        return f"pod {pod}\n" + "\n".join(self._lines[at : at + lines])


def team(number: int) -> str:
    if number % ONE_IN == 0:
        return "rare"
    return "half" if number % 2 == 0 else f"team-{number % 10}"


async def make_sessions(owner: "asyncpg.Connection[asyncpg.Record]", count: int) -> list[str]:
    chance = random.Random(7)
    texts = Texts(chance)
    pods: list[str] = []
    await owner.execute("alter table sessions disable trigger sessions_queued_for_search")
    size = 0
    for start in range(0, count, 5_000):
        rows, stages, executions, events = [], [], [], []
        for number in range(start, min(start + 5_000, count)):
            session, pod, at = (
                f"{number:08d}-{chance.randbytes(8).hex()}",
                texts.pod(),
                BEGIN + timedelta(minutes=number),
            )
            pods.append(pod)
            alert, result, analysis = texts.some(8, pod), texts.some(20, pod), texts.some(6, pod)
            size += len(alert) + len(result) + 2 * len(analysis)
            rows.append(
                (session, number % 12, 30, session, "completed", "pod-crash", f"Pod {pod} crashes", "api", "ann",
                 "default", alert, at, at, at + timedelta(minutes=3), analysis, 1, [f"team={team(number)}"])
            )  # fmt: skip
            stages.append((f"{session}/s", session, "look", 1, "completed", at, at, 30))
            executions.append((f"{session}/e", session, f"{session}/s", "looker", 1, "completed", at, at, 30, 5, 4))
            for order, (kind, content) in enumerate(
                (("llm_tool_call", result), ("llm_response", analysis[:300]), ("final_analysis", analysis))
            ):
                id = f"{session}/{order}"
                events.append((id, session, f"{session}/e", kind, "completed", content, "{}", order, at, at, order + 5))
        for table, columns, values in (
            ("sessions", "session_id partition last_number last_event_id status alert_type title source author "
             "chain_id alert_data created_at started_at completed_at final_analysis total_stages labels", rows),
            ("stages", "stage_id session_id stage_name stage_index status started_at completed_at number", stages),
            ("agent_executions", "execution_id session_id stage_id agent_name agent_index status started_at "
             "completed_at number llm_interaction_count mcp_interaction_count", executions),
            ("timeline_events", "event_id session_id execution_id event_type status content metadata sequence_number "
             "created_at updated_at number", events),
        ):  # fmt: skip
            await owner.copy_records_to_table(table, records=values, columns=columns.split())
    await owner.execute("alter table sessions enable trigger sessions_queued_for_search")
    say(f"{count:,} sessions, {size / count:,.0f} characters each")
    return pods


async def index(database: Database, owner: "asyncpg.Connection[asyncpg.Record]", count: int) -> None:
    indexer, few = SearchIndexer(database), min(INDEXED_ONE_BY_ONE, count)
    await owner.execute(QUEUE, few, 0)
    seconds = await indexed(indexer)
    say(f"indexed while the index grows: {few / seconds:,.0f} sessions/s")
    await owner.execute("drop index search_texts_by_word")
    await owner.execute(QUEUE, count - few, few)
    seconds = await indexed(indexer)
    began = time.perf_counter()
    await owner.execute("create index search_texts_by_word on search_texts using gin (words)")
    say(f"the rest: words {seconds:.0f} s, index {time.perf_counter() - began:.0f} s")
    await owner.execute("vacuum analyze")
    for table in ("sessions", "timeline_events", "search_texts"):
        size = await owner.fetchval("select pg_total_relation_size($1::text::regclass)", table)
        words = await owner.fetchval("select pg_relation_size('search_texts_by_word')")
        say(f"{table}: {size / 1e6:,.0f} MB" + (f", of which index {words / 1e6:,.0f} MB" if "search" in table else ""))


async def indexed(indexer: SearchIndexer) -> float:
    began = time.perf_counter()
    while await indexer.index_some():
        pass
    return time.perf_counter() - began


async def ask(database: Database, owner: "asyncpg.Connection[asyncpg.Record]", pods: list[str]) -> None:
    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(session_routes(SessionQueries(database, 5.0)))
    chance = random.Random(11)
    ids = [row["session_id"] for row in await owner.fetch("select session_id from sessions limit 1000")]

    def pod() -> str:
        return chance.choice(pods)

    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api", timeout=GIVE_UP_SECONDS) as client:
        for name, address_of, rounds in (
            ("list, first page", lambda: "/api/v1/sessions", ROUNDS),
            ("list, a page in the middle", lambda: "/api/v1/sessions?page=900&status=completed", ROUNDS),
            ("detail", lambda: f"/api/v1/sessions/{chance.choice(ids)}", ROUNDS),
            ("search, a whole pod", lambda: f"/api/v1/sessions?search={pod()}", ROUNDS),
            ("search, the beginning of a pod", lambda: f"/api/v1/sessions?search={pod()[:-10]}", ROUNDS),
            ("search, two words", lambda: f"/api/v1/sessions?search={pod().split('-')[1]}%20pod", ROUNDS),
            ("search, a word in a tenth", lambda: f"/api/v1/sessions?search={chance.choice(SERVICES)}", ROUNDS // 5),
            ("search, a phrase", lambda: "/api/v1/sessions?search=%22failed%20to%20pull%20image%22", ROUNDS // 5),
            ("search, a word in all", lambda: "/api/v1/sessions?search=pod", ROUNDS // 5),
            ("the same by time", lambda: "/api/v1/sessions?search=pod&sort_by=created_at", ROUNDS // 5),
        ):
            await measure(client, name, address_of, rounds)
        for seen, groups in LIMITS.items():
            app.dependency_overrides[groups_of] = always(groups)
            for name, address, rounds in (
                ("list", "/api/v1/sessions", ROUNDS),
                ("the tenth page", "/api/v1/sessions?page=10", ROUNDS),
                ("running ones", "/api/v1/sessions?status=in_progress", ROUNDS),
                ("search, a word in a tenth", f"/api/v1/sessions?search={SERVICES[0]}", ROUNDS // 5),
            ):
                await measure(client, f"who sees {seen}: {name}", partial(str, address), rounds)
    began = time.perf_counter()
    await owner.fetchval(BEFORE, f"%{pods[0]}%")
    say(f"a whole pod without the index (as it was): {time.perf_counter() - began:.1f} s")


async def measure(client: httpx2.AsyncClient, name: str, address: Callable[[], str], rounds: int) -> None:
    milliseconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        answer = await client.get(address())
        milliseconds.append((time.perf_counter() - began) * 1_000)
        assert answer.status_code == 200, answer.text
    found = answer.json().get("pagination", {}).get("total_items", 1)
    say(f"{name}: {tail(milliseconds)}; {found:,} found at last")


def always(groups: GroupLabels) -> Callable[[], Awaitable[GroupLabels]]:
    async def answer() -> GroupLabels:
        return groups

    return answer


if __name__ == "__main__":
    main()
