"""The `__main__` of a service: settings from the environment, then `build`, then run until told to stop."""

import sys
from collections.abc import Callable

import uvloop
from prometheus_client import CollectorRegistry
from pydantic import ValidationError

from tarsy_service.logs import configure_logs
from tarsy_service.running import run_services
from tarsy_service.service import Service
from tarsy_service.settings import ServiceSettings


def run_main[S: ServiceSettings](settings_class: type[S], build: Callable[[S, CollectorRegistry], Service]) -> None:
    """Exits with 2 and one line for each setting that is wrong; with 1 when the service cannot go on."""
    try:
        settings = settings_class()
    except ValidationError as problem:
        for row in problem.errors(include_url=False, include_input=False):
            name = "_".join(str(part) for part in row["loc"]).upper()
            sys.stderr.write(f"TARSY_{name}: {row['msg']}\n")
        sys.exit(2)
    configure_logs(settings.log_level)
    registry = CollectorRegistry()
    service = build(settings, registry)
    uvloop.run(
        run_services(
            [service],
            host=settings.http_host,
            port=settings.http_port,
            registry=registry,
            shutdown_seconds=settings.shutdown_seconds,
        )
    )
