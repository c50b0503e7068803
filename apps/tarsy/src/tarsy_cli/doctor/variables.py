"""Check of the environment: settings that are wrong, and variables that nothing reads."""

import difflib
import re
from collections.abc import AsyncIterator, Iterator

from pydantic import ValidationError

from tarsy_cli.doctor.findings import CheckResult, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_config.loading.load import MAIN, OTHERS
from tarsy_local.service_settings import SETTINGS
from tarsy_service.settings.secret_files import PREFIX, variables_of
from tarsy_service.settings.service_settings import ServiceSettings, mistakes_in_settings

IN_USE = frozenset({"TARSY_CACHE_DIR"})
SERVICE_LINK = re.compile(r"TARSY_.*_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_.+)?)")
"""Kubernetes sets these about each Service (enableServiceLinks)."""
NOT_SET = ": Field required"
"""The services may have it in another environment than this one."""


async def check_variables(setup: Setup) -> AsyncIterator[CheckResult]:
    mistakes = list(dict.fromkeys(line for kind in SETTINGS.values() for line in _list_mistakes(kind)))
    for line in mistakes:
        yield failure(line, "docs/reference/settings.md lists what may stand there.")
    unread = list(_warn_of_unread(setup))
    for finding in unread:
        yield finding
    if not mistakes and not unread:
        count = sum(name.startswith(PREFIX) for name in setup.environ)
        yield ok(
            f"The environment sets {count} variables of TARSy, all right." if count else "All have their defaults."
        )


def _list_mistakes(kind: type[ServiceSettings]) -> list[str]:
    try:
        kind()
    except ValidationError as problem:
        return [line for line in mistakes_in_settings(problem) if not line.endswith(NOT_SET)]
    return []


def _warn_of_unread(setup: Setup) -> Iterator[CheckResult]:
    known = {name for kind in SETTINGS.values() for name in variables_of(kind)} | setup.variables | IN_USE
    configuration = "".join(_read_file(setup, file) for file in (MAIN, *OTHERS))
    for name in sorted(name for name in setup.environ if name.startswith(PREFIX)):
        if name not in known and name not in configuration and not SERVICE_LINK.fullmatch(name):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
            meant = f"Did you mean {near[0]}?" if near else "Leave it out."
            yield warning(f"{name} is set, but nothing reads it.", meant)


def _read_file(setup: Setup, file: str) -> str:
    path = setup.config_dir / file
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""
