"""Errors of `tarsy up` as sentences with their remedy: why it could not start, or could not go on."""

from collections.abc import Iterable
from pathlib import Path

import structlog
from pydantic import ValidationError

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_config.errors import InvalidConfigError
from tarsy_llm.scripted.script import InvalidScriptError
from tarsy_local.extra import MissingExtraError
from tarsy_local.supervisor.process_group import StartTooSlowError
from tarsy_local.supervisor.restart_budget import BudgetSpentError
from tarsy_local.supervisor.supervised_process import ServiceRefusedError
from tarsy_local.topics import KafkaUnusableError
from tarsy_local.up import UpFailedError
from tarsy_processes.errors import AddressUnusableError, PortTakenError, ProcessError
from tarsy_service.settings.secret_files import SecretFileError
from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_timeline.database.single_connection import DatabaseUnusableError

log = structlog.get_logger(__name__)

FOR_PEOPLE = (
    ProcessError,
    MissingExtraError,
    InvalidConfigError,
    InvalidScriptError,
    KafkaUnusableError,
    DatabaseUnusableError,
    ServiceRefusedError,
    BudgetSpentError,
    SecretFileError,
    KafkaAccessError,
)
WITH_TRACEBACK = (ExceptionGroup, WrongTopicsError, LogMismatchError, ValidationError, StartTooSlowError)

PORT_OPTIONS = "The options are --http-port, --kafka-port and --database-port."
HOST_OPTION = "The options are --http-host and --http-port."


def failure_of(problem: Exception, log_file: Path) -> UpFailedError | None:
    """The failure for the operator; None of what is a mistake of ours. Logs what is worth a traceback."""
    if not isinstance(problem, FOR_PEOPLE + WITH_TRACEBACK):
        return None
    if not isinstance(problem, FOR_PEOPLE):
        log.error("up.failed", exc_info=problem)
    return UpFailedError(sentences(problem, log_file))


def sentences(problem: BaseException, log: Path) -> str:
    """Each message once. An unforeseen error names the log, which has its traceback."""
    return "\n".join(dict.fromkeys(_describe_problem(one, log) for one in _flatten_groups([problem])))


def _describe_problem(problem: BaseException, log: Path) -> str:
    match problem:
        case PortTakenError():
            return f"{problem} {PORT_OPTIONS}"
        case AddressUnusableError():
            return f"{problem} {HOST_OPTION}"
        case ProcessError() | InvalidConfigError() | InvalidScriptError():
            return str(problem)
        case (
            KafkaUnusableError()
            | MissingExtraError()
            | DatabaseUnusableError()
            | ServiceRefusedError()
            | StartTooSlowError()
            | BudgetSpentError()
            | SecretFileError()
            | KafkaAccessError()
        ):
            return str(problem)
        case WrongTopicsError() | LogMismatchError():
            return f"{problem} ({log} has more)"
        case ValidationError():
            return "\n".join(mistakes_in_settings(problem))
        case OSError() if problem.filename:
            return f"{problem.filename}: {problem.strerror}. Make it usable for you, or choose another with --home."
        case _:
            what = str(problem) or "no reason given"
            return f"TARSy cannot go on ({type(problem).__name__}: {what}): the traceback is in {log}."


def _flatten_groups(problems: Iterable[BaseException]) -> Iterable[BaseException]:
    for problem in problems:
        if isinstance(problem, BaseExceptionGroup):
            yield from _flatten_groups(problem.exceptions)
        else:
            yield problem
