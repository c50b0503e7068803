"""Main function of a service: settings from the environment, then `build`, then run until told to stop."""

import sys
from collections.abc import Callable, Iterator

import structlog
import uvloop
from prometheus_client import CollectorRegistry
from pydantic import ValidationError

from tarsy_egress.authorities import trust_authorities
from tarsy_service.process.garbage_collection import collect_seldom
from tarsy_service.process.priority import lower_priority
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Service
from tarsy_service.settings.service_settings import ServiceSettings, mistakes_in_settings
from tarsy_service.telemetry.logs import configure_logs

log = structlog.get_logger(__name__)

OPEN = "nobody is authenticated, and whoever reaches the port may do everything (TARSY_OPEN_ACCESS=yes)"


def run_main[S: ServiceSettings](
    settings_class: type[S],
    build: Callable[[S, CollectorRegistry], Service],
    *,
    startup_errors: tuple[type[Exception], ...] = (),
) -> None:
    """Exits with 2 and one line for each setting that is wrong; with 1 when the service cannot go on.

    `startup_errors` are the errors whose message is a sentence for the operator: it is printed, without a traceback.
    """
    try:
        settings = settings_class()
    except ValidationError as problem:
        sys.stderr.writelines(f"{line}\n" for line in mistakes_in_settings(problem))
        sys.exit(2)
    if settings.ca_file:
        trust_authorities(settings.ca_file)
    lower_priority(settings.niceness)
    configure_logs(settings.log_level)
    if settings.is_open:
        log.warning("http.open_access", http_host=settings.http_host, meaning=OPEN)
    try:
        _run_service(settings, build)
    except startup_errors as problem:
        _print_and_exit([problem])
    except ExceptionGroup as group:
        known, others = group.split(startup_errors)
        if others is not None or known is None:
            raise
        _print_and_exit(list(leaves(known)))


def _run_service[S: ServiceSettings](settings: S, build: Callable[[S, CollectorRegistry], Service]) -> None:
    registry = CollectorRegistry()
    service = build(settings, registry)
    collect_seldom()
    uvloop.run(
        run_services(
            [service],
            host=settings.http_host,
            port=settings.http_port,
            registry=registry,
            shutdown_seconds=settings.shutdown_seconds,
            front_door=settings.front_door,
            policy=settings.http_policy,
        )
    )


def _print_and_exit(problems: list[Exception]) -> None:
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    sys.exit(2)


def leaves[E: Exception](group: ExceptionGroup[E]) -> Iterator[E]:
    """The errors of a group of groups."""
    for inner in group.exceptions:
        if isinstance(inner, ExceptionGroup):
            yield from leaves(inner)
        else:
            yield inner
