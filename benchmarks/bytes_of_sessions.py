"""Bytes that a session leaves in Kafka and PostgreSQL: `python benchmarks/bytes_of_sessions.py [--runs 2]`.

A `tarsy up` of its own investigates each incident of the lab, question and all, with the scripted model. The bytes are
those of Kafka's files, topic by topic, and beside them those that the same batches would have without compression.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
from saying import load_told, say

from tarsy_bus.client.record_parsing import Batches, plain_batch
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.password_file import read_password
from tarsy_embedded.postgres_cluster import DATABASE, USER

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))

from tarsy_testing.story.incident import EVERY_INCIDENT  # noqa: E402 - it lies beside the tests
from tarsy_testing.system.up import Tarsy, tarsy  # noqa: E402

SIZES = (
    "select relname, pg_total_relation_size(oid) from pg_class where relkind = 'r' and relnamespace = $1::regnamespace"
)
ALL = "together"
BY_TIME = ("tarsy.workers", "tarsy.catalog")
"""They grow with the hours, and not with the sessions."""


@dataclass(frozen=True, slots=True)
class Bytes:
    """By topic, in Kafka's files and without compression; by table, with its indexes."""

    stored: Counter[str]
    plain: Counter[str]
    tables: Counter[str]

    def since(self, before: "Bytes") -> "Bytes":
        return Bytes(self.stored - before.stored, self.plain - before.plain, self.tables - before.tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2, help="sessions of each incident")
    given = parser.parse_args()
    with load_told(), tempfile.TemporaryDirectory(prefix="tarsy-bench-") as folder, tarsy(Path(folder) / "one") as one:
        one.up()
        for incident in EVERY_INCIDENT:
            before = _look(one)
            for _ in range(given.runs):
                code, output = one.run("lab", "run", incident.name, "--yes")
                if code != 0:
                    raise SystemExit(output)
            _tell(incident.name, _look(one).since(before), given.runs)


def _tell(incident: str, found: Bytes, sessions: int) -> None:
    say(f"\n{incident}: bytes of a session in Kafka (without compression)")
    stored, plain = found.stored, found.plain
    for topic, size in [*stored.most_common(), (ALL, stored.total())]:
        of_topic = plain.total() if topic == ALL else plain[topic]
        say(f"  {topic:22} {size // sessions:12,} ({of_topic // sessions:,})")
    say(f"{incident}: bytes of a session in PostgreSQL, with indexes")
    for table, size in [*found.tables.most_common(5), (ALL, found.tables.total())]:
        say(f"  {table:22} {size // sessions:12,}")


def _look(one: Tarsy) -> Bytes:
    stored, plain = Counter[str](), Counter[str]()
    for segment in (one.home / "kafka").rglob("*.log"):
        topic, _, partition = segment.parent.name.rpartition("-")
        if not topic.startswith(f"{Topics().prefix}.") or topic in BY_TIME or not partition.isdigit():
            continue
        for batch in Batches(segment.read_bytes()):
            found = plain_batch(batch)
            stored[topic] += len(batch)
            plain[topic] += len(batch if found is None else found[0])
    return Bytes(stored, plain, Counter(dict(asyncio.run(_tables(one)))))


async def _tables(one: Tarsy) -> Iterator[tuple[str, int]]:
    url = f"postgresql://{USER}:{read_password(one.home / 'postgres')}@127.0.0.1:{one.database_port}/{DATABASE}"
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(SIZES, "tarsy")
    finally:
        await connection.close()
    return ((row[0], row[1]) for row in rows)


if __name__ == "__main__":
    main()
