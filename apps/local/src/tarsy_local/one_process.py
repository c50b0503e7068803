"""All services in one process: started again when one dies, until they are told to stop."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog
from prometheus_client import CollectorRegistry

from tarsy_local.supervisor.restart_budget import RestartBudget
from tarsy_local.terminal_text import one_line
from tarsy_service.access.http_policy import DEFAULT_POLICY, HttpPolicy
from tarsy_service.process.garbage_collection import collect_seldom
from tarsy_service.process.main import leaves
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Service
from tarsy_service.process.signals import stopped_by_signals

log = structlog.get_logger(__name__)

SHUTDOWN_SECONDS = 15.0


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
                reason = "; ".join(dict.fromkeys(_describe_problem(problem) for problem in leaves(died)))
                pause = budget.spend(reason)
                on_death(f"The services ended ({reason}); starting them again in {pause:g} seconds")
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await stopping.wait()


def _describe_problem(problem: Exception) -> str:
    return f"{type(problem).__name__}: {one_line(str(problem))}" if str(problem) else type(problem).__name__
