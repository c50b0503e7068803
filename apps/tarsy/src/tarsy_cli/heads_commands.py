"""`tarsy heads`."""

from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say
from tarsy_cli.kafka_of_home import KafkaOption, PrefixOption, bus_of_home, exit_on_kafka_failure
from tarsy_cli.options import DEFAULT_HOME, WOULD_CHANGE, HomeOption

if TYPE_CHECKING:
    from tarsy_bus.client.connection import Bus
    from tarsy_bus.log.head_rebuild import HeadRebuild

SHOWN = 20
PAGE = "docs/operations/partition-refused.md"


def rebuild(
    partition: Annotated[int, typer.Option(min=0, help="the partition of tarsy.heads and of the session log")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="say what would be written, and write nothing")] = False,
    log_is_right: Annotated[
        bool,
        typer.Option("--log-is-right", help="go on even where the log knows none of the heads: you have checked it"),
    ] = False,
    kafka: KafkaOption = "",
    topic_prefix: PrefixOption = "",
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Rebuild the heads of a partition from its session log, where they are wrong. It says first what it will write.

    Heads that the log does not know, and those of sessions of other partitions, get tombstones; heads that are missing
    are written. It refuses while an orchestrator owns the partition, unless there is nothing but misplaced heads.
    With --dry-run the exit code is 1 where something would be written.
    """
    # Here, as Kafka's client takes a while to import: other commands would wait for it.
    import asyncio
    import logging

    from tarsy_bus.errors import BusError
    from tarsy_service.telemetry.logs import configure_logs

    configure_logs("CRITICAL", logging.NullHandler())
    bus = bus_of_home(home, kafka, topic_prefix)
    with exit_on_kafka_failure(bus):
        try:
            plan = asyncio.run(_plan_rebuild(bus, partition))
            _print_plan(plan)
            if dry_run:
                raise typer.Exit(WOULD_CHANGE if plan.is_needed else 0)
            if not plan.is_needed:
                return
            if not plan.knows_log and not log_is_right:
                raise fail(
                    "The log knows none of these heads: it may have been emptied, or be another cluster's. "
                    f"See {PAGE}; --log-is-right says that it is the right one."
                )
            asyncio.run(_write_rebuild(bus, plan))
        except BusError as problem:
            raise fail(f"The heads were not rebuilt: {problem}.") from None
    say("The heads are as the log has them. Orchestrators that refused the partition look again within 30 seconds.")


async def _plan_rebuild(bus: "Bus", partition: int) -> "HeadRebuild":
    from tarsy_bus.log.head_rebuild import plan_rebuild
    from tarsy_bus.topics.kafka_rights import HEADS_REBUILD
    from tarsy_bus.topics.topics_admin import check_topics

    await check_topics(bus, HEADS_REBUILD)
    if partition >= bus.layout.log_partitions:
        raise fail(f"There are {bus.layout.log_partitions} partitions, 0 to {bus.layout.log_partitions - 1}.")
    return await plan_rebuild(bus, partition)


async def _write_rebuild(bus: "Bus", plan: "HeadRebuild") -> None:
    from datetime import UTC, datetime

    from tarsy_bus.log.head_rebuild import check_unowned, plan_rebuild, write_rebuild

    if not plan.is_safe_beside_owner:
        await check_unowned(bus, plan.partition)
    await write_rebuild(bus, plan, lambda: datetime.now(UTC))
    if (await plan_rebuild(bus, plan.partition)).is_needed:
        raise fail("Somebody else writes to these heads: run it again, and see who does.")


def _print_plan(plan: "HeadRebuild") -> None:
    say(f"Partition {plan.partition}: {plan.right} heads are as the log has them.")
    _print_keys("tombstone, as its session lies in another partition", plan.misplaced)
    _print_keys("tombstone, as the log does not know it", plan.false)
    _print_keys(
        "head, as the log has it", [f"{session}/{head.number} ({head.phase})" for session, head in plan.lacking]
    )


def _print_keys(what: str, keys: "list[str] | tuple[str, ...]") -> None:
    for key in keys[:SHOWN]:
        say(f"  {key}: {what}")
    if len(keys) > SHOWN:
        say(f"  … and {len(keys) - SHOWN} more: {what}")
