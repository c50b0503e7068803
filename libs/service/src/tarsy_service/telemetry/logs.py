"""Logs: one JSON object a line, with session and trace ids where there are any."""

import logging
import sys
import time
from collections.abc import Callable
from typing import TextIO, override

import structlog
from opentelemetry import trace

from tarsy_service.telemetry.repeated_lines import RepeatedLines

TRACEBACKS = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
"""Without local variables: they hold what was not masked yet."""
WRITE_HEADERS = ("uvicorn.error", "websockets", "botocore", "google.auth", "urllib3")
"""Loggers that write credentials at DEBUG: headers of each WebSocket (uvicorn has one logger for all), answers of token
servers."""

_render = structlog.processors.JSONRenderer()


def _add_trace_ids(_: object, __: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """Adds the span that the line is written in; without one, a session's trace still has the session's id."""
    span = trace.get_current_span().get_span_context()
    session_id = line.get("session_id")
    if span.is_valid:
        line["trace_id"] = trace.format_trace_id(span.trace_id)
        line["span_id"] = trace.format_span_id(span.span_id)
    elif isinstance(session_id, str):
        line["trace_id"] = session_id.replace("-", "")
    return line


class _JsonLines(structlog.stdlib.ProcessorFormatter):
    """Our own lines went through all processors already; its copy of their record would cost more than they do."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        # structlog's own sign of a line that came from `wrap_for_formatter`.
        if isinstance(record.msg, dict) and hasattr(record, "_name"):
            return str(_render(None, "", record.msg))
        return super().format(record)


def _leave_out_callers() -> None:
    """No line shows where in the code, or in which thread or task, it was written; logging looks each time.

    https://docs.python.org/3/howto/logging.html#optimization
    """
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.logAsyncioTasks = False  # type: ignore[attr-defined] # typeshed does not have it


def configure_logs(
    level: str, to: TextIO | logging.Handler = sys.stderr, *, monotonic: Callable[[], float] = time.monotonic
) -> None:
    """Call once, at the start of a process. Libraries that use the standard module go the same way."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        _add_trace_ids,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(TRACEBACKS),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = to if isinstance(to, logging.Handler) else logging.StreamHandler(to)
    handler.setFormatter(
        _JsonLines(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _render],
        )
    )
    handler.addFilter(QueriesLeftOut())
    handler.addFilter(RepeatedLines(monotonic))
    _leave_out_callers()
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in ("aiokafka", "uvicorn.access", "httpx2", "mcp", "asyncio", "azure", "msal"):
        logging.getLogger(name).setLevel("WARNING" if level != "DEBUG" else "INFO")
    for name in WRITE_HEADERS:
        logging.getLogger(name).setLevel("INFO" if level == "DEBUG" else logging.NOTSET)


LOGGERS = frozenset({"uvicorn.error", "uvicorn.access"})


class QueriesLeftOut(logging.Filter):
    """Only the path stays of each address that uvicorn writes: a key in a query comes into no log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name in LOGGERS and isinstance(record.args, tuple):
            record.args = tuple(_path_of(argument) for argument in record.args)
        return True


def _path_of(argument: object) -> object:
    if not isinstance(argument, str) or not argument.startswith("/"):
        return argument
    path, mark, _ = argument.partition("?")
    return f"{path}{mark}..." if mark else path
