"""Programs of the machine that some tests need. Where one is missing its tests are left out, and the run says so."""

import os
import re
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Never

import pytest

TABLE = Path(__file__).resolve().parent.parent.parent / "tools" / "programs.txt"
REMEDY = "make programs"
WANT = "for want of "
REASON = re.compile(rf"{WANT}(?P<names>[\w, /-]+)")


@cache
def known_programs() -> frozenset[str]:
    lines = TABLE.read_text("utf-8").splitlines()
    return frozenset(line.split()[0] for line in lines if line and not line.startswith("#"))


def required_program(name: str) -> str:
    """Its path. Leaves the test out where it is missing."""
    assert name in known_programs(), f"{name} is not in {TABLE.name}"
    found = shutil.which(name)
    if found is None:
        leave_out([name])
    return found


def require_programs(*names: str) -> None:
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        leave_out(missing)


def leave_out(missing: list[str]) -> Never:
    """Skips the test. In CI, where the tests count, none may be missing."""
    reason = f"{WANT}{', '.join(missing)} (`{REMEDY}` installs it)"
    if in_ci():
        pytest.fail(reason)
    pytest.skip(reason)


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were left out, and what brings them back."""
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    found = [match["names"] for reason in reasons if (match := REASON.search(reason))]
    if not found:
        return
    names = Counter(name.strip() for each in found for name in each.split(","))
    wanted = ", ".join(f"{name} ({times})" for name, times in names.most_common())
    terminalreporter.write_line(f"{len(found)} tests were left out {WANT}{wanted}.")
    terminalreporter.write_line(f"`{REMEDY}` installs what is missing; then run them again.")
