"""Recall beside many memories: `python benchmarks/memory.py` (`--memories 100000`).

The memories are made: lessons of some hundred services, in words that thousands of them share, with three names of a
cause that few have. Timed is `MemoryQueries.recall`, as the tool gateway asks it, with PostgreSQL beside it.
In which part of the questions is the planted lesson among the first five? It is asked for in two ways.

- Same words: the question has two of the three names of the lesson, each of which some 75 other lessons have, and ten
  common words that were drawn anew. A half asks from the lesson's workload, the others from another one.
- Other words: one lesson in 200 is a sentence of `TOLD_OTHERWISE`, and the question is its counterpart, which shares no
  word with it. It asks from the same workload and alert type, of which some 125 and 1,700 others are.

Needs no Kafka, and no pgvector.
"""

import argparse
import asyncio
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import uvloop
from saying import load_told, say, tail

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.memory import RecallContext
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.queries.memory_queries import MemoryQueries
from tarsy_timeline.queries.session_queries import SessionQueries

SCHEMA = "tarsy"
NOW = datetime(2026, 11, 30, tzinfo=UTC)
ALERT_TYPES, WORKLOADS, NAMES = 60, 800, 4_000
QUESTIONS = 400
WARMING = 20
A_SESSION = 5
AT_ONCE = 5_000
LONGEST_SECONDS = 3_600.0
WORDS = (
    "pod restarts crash memory limit rollout release node disk full latency errors timeout database connection pool"
    " exhausted certificate expired secret missing queue consumer lag probe failing config map changed quota reached"
    " deployment rolled back cpu throttled network policy denied dns lookup slow cache cold evicted volume mount"
)
COMMON = WORDS.split()
LESSON = (
    "When {alert} fires for {workload}, look at {first} first: {second} and {third} show the cause. It was {words}."
)
QUESTION = "{alert}: {words} in {workload}. Seen in the logs: {names}; since a while {more}."
TOLD_OTHERWISE = (
    ("The kernel kills the container once it holds more RAM than it may.", "OOMKilled, exit code 137"),
    ("Its TLS key pair was not renewed, so clients hang up.", "x509: certificate has expired or is not yet valid"),
    ("Too many clients keep sessions to Postgres open.", "FATAL: remaining connection slots are reserved"),
    ("No space was left for writing, because old archives pile up.", "Disk usage above 95 percent on /var/lib"),
    ("The registry refuses our credentials, so nothing is downloaded.", "ImagePullBackOff"),
    ("Names cannot be resolved while CoreDNS is overloaded.", "dial tcp: lookup backend: no such host"),
    ("A worker falls behind since a partition has one hot key.", "Kafka consumer lag is growing"),
    ("The tenant has used up what it may request.", "exceeded quota: pods is forbidden"),
)
"""A lesson, and an alert that it would help with: the words differ, the meaning does not."""
RARE = 200
GROUPS: dict[str, GroupLabels] = {
    "everybody": [],
    "a group with half of all": [{"namespace": [f"team-{number}" for number in range(0, 20, 2)]}],
}


@dataclass(frozen=True, slots=True)
class Planted:
    memory_id: str
    session: int
    alert_type: str
    workload: str
    names: tuple[str, ...]
    told_otherwise: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    given = parser.parse_args()
    with load_told(), TemporaryDirectory() as folder:
        postgres = EmbeddedPostgres(Path(folder) / "postgres", port=free_port(), progress=lambda _: None)
        with postgres:
            uvloop.run(run(postgres.url, given.memories))


async def run(url: str, count: int) -> None:
    draw = random.Random(1)
    async with Database(url, SCHEMA, 5).running(lambda one: migrate(one, SCHEMA)) as database:
        began = time.perf_counter()
        planted = await plant(url, count, draw)
        say(f"memories: {count:,}, written and indexed {count / (time.perf_counter() - began):,.0f} a second")
        for who, groups in GROUPS.items():
            await ask(database, groups, who, planted, draw)


async def plant(url: str, count: int, draw: random.Random) -> Sequence[Planted]:
    """Five of each session, which are of one alert."""
    names = [f"{draw.choice(COMMON)[:4]}{number:x}" for number in range(NAMES)]
    connection = await asyncpg.connect(url, server_settings={"search_path": SCHEMA}, command_timeout=LONGEST_SECONDS)
    planted = []
    for start in range(0, count, AT_ONCE):
        made = [_make(number, names, draw) for number in range(start, min(start + AT_ONCE, count))]
        planted += [one for one, _ in made]
        await connection.executemany(
            "insert into sessions (session_id, partition, last_number, last_event_id, created_at, alert_type,"
            " namespace, workload, status) values ($1, 0, 1, 'e', $2, $3, $4, $5, 'completed') on conflict do nothing",
            [(f"s{one.session}", NOW, one.alert_type, _namespace(one), one.workload) for one, _ in made],
        )
        await connection.executemany(
            "insert into memories (memory_id, session_id, text, alert_type, namespace, workload, confidence,"
            " learned_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
            [
                (
                    one.memory_id,
                    f"s{one.session}",
                    text,
                    one.alert_type,
                    _namespace(one),
                    one.workload,
                    0.7,
                    _time(draw),
                )
                for one, text in made
            ],
        )
    await connection.execute("analyze")
    await connection.close()
    return planted


def _make(number: int, names: Sequence[str], draw: random.Random) -> tuple[Planted, str]:
    first, second, third = draw.sample(names, 3)
    of_session = random.Random(number // A_SESSION)
    workload, alert_type = of_session.randrange(WORKLOADS), of_session.randrange(ALERT_TYPES)
    one = Planted(
        f"m{number}", number // A_SESSION, f"alert-{alert_type}", f"service-{workload}", (first, second, third)
    )
    words = " ".join(draw.sample(COMMON, 12))
    text = LESSON.format(
        alert=one.alert_type, workload=one.workload, first=first, second=second, third=third, words=words
    )
    if number % RARE:
        return one, text
    text, question = TOLD_OTHERWISE[number // RARE % len(TOLD_OTHERWISE)]
    return replace(one, told_otherwise=question), text


def _namespace(one: Planted) -> str:
    return f"team-{int(one.workload.partition('-')[2]) % 20}"


def _time(draw: random.Random) -> datetime:
    return NOW - timedelta(days=draw.random() * 365)


def seconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def cpu_of_postgres(database: Database) -> float:
    """Seconds of the processes that answer: on a busy machine they say more than a clock."""
    async with database.connection() as connection:
        rows = await connection.fetch("select pid from pg_stat_activity where backend_type = 'client backend'")
    return sum(seconds_of(row["pid"]) for row in rows)


async def ask(
    database: Database, groups: GroupLabels, who: str, planted: Sequence[Planted], draw: random.Random
) -> None:
    async def all_groups() -> GroupLabels:
        return groups

    memories = MemoryQueries(database, SessionQueries(database, 1.0), all_groups, lambda: NOW)
    seen = [one for one in planted if not groups or _namespace(one) in groups[0]["namespace"]]
    for how, draw_question in QUESTIONS_OF.items():
        milliseconds, found = [], 0
        fitting = [one for one in seen if bool(one.told_otherwise) == (draw_question is other_words)]
        spent = await cpu_of_postgres(database)
        for number in range(WARMING + QUESTIONS):
            one = draw.choice(fitting)
            question, context = draw_question(one, number, draw)
            began = time.perf_counter()
            answer = await memories.recall(question, context, 5)
            if number >= WARMING:
                milliseconds.append(1_000 * (time.perf_counter() - began))
                found += one.memory_id in [memory.memory_id for memory in answer.memories]
            await asyncio.sleep(0)
        cpu = 1_000 * (await cpu_of_postgres(database) - spent) / (WARMING + QUESTIONS)
        say(f"recall by {how}, for {who}: {tail(milliseconds)}; CPU of PostgreSQL {cpu:.1f} ms each")
        say(f"the planted lesson among the first five: {found / QUESTIONS:.3f}")


def same_words(one: Planted, number: int, draw: random.Random) -> tuple[str, RecallContext]:
    is_here = bool(number % 2)
    workload = one.workload if is_here else f"service-{draw.randrange(0, WORKLOADS, 2)}"
    words = draw.sample(COMMON, 10)
    question = QUESTION.format(
        alert=one.alert_type, workload=workload, names=" ".join(draw.sample(one.names, 2)),
        words=" ".join(words[:5]), more=" ".join(words[5:]),
    )  # fmt: skip
    return question, _context(one, workload, _namespace(one) if is_here else "team-0")


def other_words(one: Planted, _number: int, _draw: random.Random) -> tuple[str, RecallContext]:
    return f"{one.alert_type}: {one.told_otherwise}", _context(one, one.workload, _namespace(one))


def _context(one: Planted, workload: str, namespace: str) -> RecallContext:
    return RecallContext(session_id="asking", alert_type=one.alert_type, namespace=namespace, workload=workload)


QUESTIONS_OF = {"the same words": same_words, "other words": other_words}


if __name__ == "__main__":
    main()
