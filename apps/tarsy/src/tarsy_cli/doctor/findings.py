"""Findings of the doctor, and the shape of a check."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from tarsy_cli.doctor.setup import Setup
from tarsy_cli.errors import CommandError

type CheckStatus = Literal["ok", "warning", "failed", "not_checked"]


class CheckResult(BaseModel):
    """`remedy` says what to do; empty where there is nothing to do."""

    model_config = ConfigDict(frozen=True)

    check: str = ""
    status: CheckStatus
    sentence: str
    remedy: str = ""


class Check(Protocol):
    """Looks at one matter and changes nothing. The runner names the findings, and limits the time."""

    def __call__(self, setup: Setup) -> AsyncIterator[CheckResult]:
        """Raises NotCheckedError where the matter cannot be looked at."""
        ...


class NotCheckedError(CommandError):
    """A check has nothing to look at, or something before it is in the way. The operator reads why."""

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(sentence)
        self.remedy = remedy


def ok(sentence: str) -> CheckResult:
    return CheckResult(status="ok", sentence=sentence)


def warning(sentence: str, remedy: str = "") -> CheckResult:
    return CheckResult(status="warning", sentence=sentence, remedy=remedy)


def failure(sentence: str, remedy: str = "") -> CheckResult:
    return CheckResult(status="failed", sentence=sentence, remedy=remedy)
