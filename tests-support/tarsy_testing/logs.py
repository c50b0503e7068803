"""The logs of a test process: a test that configured them leaves them as it found them."""

import logging
import sys
from collections.abc import Iterator

import pytest
import structlog

SHOWN = ("_srcfile", "logThreads", "logProcesses", "logMultiprocessing", "logAsyncioTasks")
"""Settings of logging by which a line knows where it was written."""


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """Commands and services configure the logs of their process, which here is that of all tests of a worker."""
    root = logging.getLogger()
    handlers, level, levels = root.handlers, root.level, _levels()
    configured, configuration = structlog.is_configured(), structlog.get_config()
    shown = {name: getattr(logging, name) for name in SHOWN}
    yield
    if structlog.get_config() == configuration:
        return
    root.handlers = handlers
    root.setLevel(level)
    for name in _levels():
        logging.getLogger(name).setLevel(levels.get(name, logging.NOTSET))
    for name, value in shown.items():
        setattr(logging, name, value)
    structlog.reset_defaults()
    if configured:
        structlog.configure(**configuration)
    _forget_first_use()


def _levels() -> dict[str, int]:
    """The levels of loggers that have one of their own."""
    loggers = logging.root.manager.loggerDict
    return {name: one.level for name, one in loggers.items() if isinstance(one, logging.Logger) and one.level}


def _forget_first_use() -> None:
    """Loggers of modules stay with the configuration under which they wrote first."""
    proxy = type(structlog.get_logger())
    for module in list(sys.modules.values()):
        for value in list(getattr(module, "__dict__", {}).values()):
            # By its type: an `isinstance` would ask what stands for a module that is not loaded.
            if type(value) is proxy:
                vars(value).pop("bind", None)
