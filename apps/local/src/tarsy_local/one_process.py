"""All services in one process: started again when one dies, until they are told to stop."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog
from aiokafka.errors import KafkaError
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus
from tarsy_bus.kafka_rights import UP
from tarsy_bus.left_members import remove_members
from tarsy_bus.outages import wait_out
from tarsy_bus.publisher import NotWrittenError
from tarsy_bus.topics_admin import apply_topics
from tarsy_local.addresses import Addresses
from tarsy_local.errors import LocalError
from tarsy_local.kafka_sentence import kafka_sentence
from tarsy_local.supervisor.restart_budget import RestartBudget
from tarsy_local.terminal_text import one_line
from tarsy_service.allocator import collect_seldom, return_large_blocks
from tarsy_service.http_policy import DEFAULT_POLICY, HttpPolicy
from tarsy_service.main import leaves
from tarsy_service.runner import run_services
from tarsy_service.service import Service
from tarsy_service.signals import stopped_by_signals

log = structlog.get_logger(__name__)

SHUTDOWN_SECONDS = 15.0
CONNECT_SECONDS = 10.0
TOPICS_SECONDS = 120.0


class KafkaUnusableError(LocalError):
    """The message says where it should be, and what may be wrong. The operator corrects it."""


async def make_topics(addresses: Addresses, *, replication: int | None) -> None:
    """In a broker of our own, groups have no member after it: who died with an earlier broker is waited for by nobody.

    Raises WrongTopicsError or KafkaUnusableError.
    """
    bus = Bus(addresses.kafka, addresses.topics, client="tarsy-up", security=addresses.kafka_security)
    try:
        async with asyncio.timeout(TOPICS_SECONDS):
            await _apply(bus, replication, patient=addresses.own_broker)
            if addresses.own_broker:
                await _remove_dead_members(bus, addresses.topic_prefix)
    except (KafkaError, NotWrittenError, TimeoutError, OSError) as problem:
        raise KafkaUnusableError(kafka_sentence(addresses.kafka, problem)) from problem


async def _apply(bus: Bus, replication: int | None, *, patient: bool) -> None:
    """A broker of our own on a busy machine may be slow to answer; that of somebody else may be the wrong address."""

    async def apply() -> None:
        await apply_topics(bus, replication=replication, connect_seconds=CONNECT_SECONDS)

    await (wait_out("the topics", apply) if patient else apply())


async def _remove_dead_members(bus: Bus, prefix: str) -> None:
    """All services that use a broker of our own are ours, and none runs yet."""
    try:
        await remove_members(bus, [f"{prefix}.{group}" for group in UP.groups])
    except (KafkaError, TimeoutError) as problem:
        log.warning("group.members_stay", reason=repr(problem))


async def run_in_one_process(
    make_services: Callable[[CollectorRegistry], Sequence[Service]],
    *,
    host: str,
    port: int,
    policy: HttpPolicy = DEFAULT_POLICY,
    on_ready: Callable[[], None],
    on_death: Callable[[str], None],
    fatal_errors: tuple[type[Exception], ...],
    fatal_errors_at_first: tuple[type[Exception], ...] = (),
) -> None:
    """All in this process, until SIGTERM or SIGINT. When one dies all end, and all are started again.

    `on_death` is called with a sentence. Raises BudgetSpentError, and, in a group, a death of one of `fatal_errors`: a
    mistake that somebody has to mend. `fatal_errors_at_first` are such mistakes only until all services were ready
    once.
    """
    stopping, budget, final = asyncio.Event(), RestartBudget("The services"), fatal_errors + fatal_errors_at_first

    def ready() -> None:
        nonlocal final
        final = fatal_errors
        on_ready()

    collect_seldom()
    return_large_blocks()
    with stopped_by_signals(stopping):
        while not stopping.is_set():
            registry = CollectorRegistry()
            try:
                await run_services(
                    make_services(registry),
                    host=host,
                    port=port,
                    policy=policy,
                    registry=registry,
                    shutdown_seconds=SHUTDOWN_SECONDS,
                    on_ready=ready,
                    stop=stopping,
                )
            except ExceptionGroup as died:
                if stopping.is_set() or died.subgroup(final) is not None:
                    raise
                log.error("services.died", exc_info=died)
                reason = "; ".join(dict.fromkeys(_sentence(problem) for problem in leaves(died)))
                pause = budget.spend(reason)
                on_death(f"The services ended ({reason}); starting them again in {pause:g} seconds")
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await stopping.wait()


def _sentence(problem: Exception) -> str:
    return f"{type(problem).__name__}: {one_line(str(problem))}" if str(problem) else type(problem).__name__
