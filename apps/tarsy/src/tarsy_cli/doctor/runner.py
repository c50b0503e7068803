"""Runner of the checks: all at once, each with a limit, and none of them stops another."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarsy_cli.doctor.findings import Check, CheckResult, NotCheckedError, failure
from tarsy_cli.doctor.setup import Setup
from tarsy_cli.printed_commands import with_home


@dataclass(frozen=True, slots=True)
class LimitedCheck:
    look: Check
    seconds: float


async def examine(setup: Setup, checks: Mapping[str, LimitedCheck]) -> list[CheckResult]:
    """In the order of the checks. A check that raises is a finding of its own."""
    running = [_run_check(check, setup) for check in checks.values()]
    results = await asyncio.gather(*running, return_exceptions=True)
    return [
        finding.model_copy(update={"check": name, "remedy": with_home(finding.remedy, setup.home)})
        for name, outcome in zip(checks, results, strict=True)
        for finding in (_check_failed(outcome) if isinstance(outcome, BaseException) else outcome)
    ]


async def _run_check(check: LimitedCheck, setup: Setup) -> Sequence[CheckResult]:
    found: list[CheckResult] = []
    try:
        async with asyncio.timeout(check.seconds):
            async for finding in check.look(setup):
                found.append(finding)  # noqa: PERF401
    except NotCheckedError as reason:
        found.append(CheckResult(status="not_checked", sentence=str(reason), remedy=reason.remedy))
    except TimeoutError:
        found.append(failure(f"The check did not end within {check.seconds:g} seconds.", "Check what it asks."))
    return found


def _check_failed(problem: BaseException) -> list[CheckResult]:
    """Without the message of the exception: it may hold a secret."""
    return [failure(f"The check itself failed ({type(problem).__name__}).", "Report this to those who develop TARSy.")]
