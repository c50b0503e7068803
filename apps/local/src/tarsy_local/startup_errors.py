"""Errors of `tarsy up` as sentences with their remedy: why it could not start, or could not go on."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.topics_admin import TopicsWrong
from tarsy_config.errors import ConfigInvalid
from tarsy_embedded.errors import EmbeddedError, PortTaken
from tarsy_llm.script import ScriptInvalid
from tarsy_local.one_process import KafkaUnusable
from tarsy_local.servers import DatabaseUnusable
from tarsy_local.supervisor.process_group import StartTooSlow
from tarsy_local.supervisor.restart_budget import BudgetSpent
from tarsy_local.supervisor.supervised_process import ServiceRefused
from tarsy_service.settings import mistakes_in_settings

PORT_OPTIONS = "The options are --http-port, --kafka-port and --database-port."


def sentences(problem: BaseException, log: Path) -> str:
    """Each message once. An unforeseen error names the log, which has its traceback."""
    return "\n".join(dict.fromkeys(_sentence(one, log) for one in _leaves([problem])))


def _sentence(problem: BaseException, log: Path) -> str:
    match problem:
        case PortTaken():
            return f"{problem} {PORT_OPTIONS}"
        case EmbeddedError() | ConfigInvalid() | ScriptInvalid():
            return str(problem)
        case KafkaUnusable() | DatabaseUnusable() | ServiceRefused() | StartTooSlow() | BudgetSpent():
            return str(problem)
        case TopicsWrong() | LogMismatch():
            return f"{problem} ({log} has more)"
        case ValidationError():
            return "\n".join(mistakes_in_settings(problem))
        case OSError() if problem.filename:
            return f"{problem.filename}: {problem.strerror}. Make it usable for you, or choose another with --home."
        case _:
            what = str(problem) or "no reason given"
            return f"TARSy cannot go on ({type(problem).__name__}: {what}): the traceback is in {log}."


def _leaves(problems: Iterable[BaseException]) -> Iterable[BaseException]:
    for problem in problems:
        if isinstance(problem, BaseExceptionGroup):
            yield from _leaves(problem.exceptions)
        else:
            yield problem
