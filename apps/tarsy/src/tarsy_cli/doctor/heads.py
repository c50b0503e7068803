"""Check of the heads: whether they lie in their partitions, and whether the log is the one that they tell of."""

from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_fit import find_misfits
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.topics.topics_admin import WrongTopicsError, check_topics
from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.kafka import bus_of, kafka_answers
from tarsy_cli.doctor.setup import Setup

PAGE = "docs/operations/partition-refused.md"


async def check_heads(setup: Setup) -> AsyncIterator[CheckResult]:
    bus = bus_of(setup)
    with kafka_answers():
        try:
            await check_topics(bus)
        except WrongTopicsError:
            raise NotCheckedError("The topics do not fit.", "See the check topics.") from None
        try:
            heads = await read_heads(bus, range(bus.layout.log_partitions))
        except LogMismatchError as problem:
            yield failure(f"{problem}.", "docs/operations/records-unparsable.md")
            return
        with ExitStack() as reading:
            for store in heads.values():
                reading.callback(store.close)
            for finding in await _judge_heads(bus, heads):
                yield finding


async def _judge_heads(bus: Bus, heads: Mapping[int, HeadStore]) -> list[CheckResult]:
    misfits = await find_misfits(bus, heads)
    found = [
        failure(f"{reason}.", f"{PAGE} says which of both is wrong, and what to do.") for reason in misfits.values()
    ]
    found += [_warn_of_misplaced(bus, number, store.misplaced) for number, store in heads.items() if store.misplaced]
    count = sum(1 for store in heads.values() for _ in store.all())
    return found or [ok(f"The last events of the log are those of its {count} heads, and none is misplaced.")]


def _warn_of_misplaced(bus: Bus, number: int, keys: tuple[str, ...]) -> CheckResult:
    return warning(
        f"{bus.topics.heads} partition {number} holds {len(keys)} heads of sessions of other partitions, such as "
        f"{keys[0]}: they are left out.",
        f"`tarsy heads rebuild --partition {number}` writes tombstones; find out who wrote them.",
    )
