"""Report of the doctor: a table for people, JSON for machines, and the exit code."""

from collections.abc import Sequence

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsy_cli.doctor.findings import CheckResult, CheckStatus
from tarsy_local.terminal_text import one_line

WORDS: dict[CheckStatus, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED", "bold red"),
    "not_checked": ("not checked", "dim"),
}
WIDE = 200
"""Columns where the output is no terminal."""


class DoctorReport(BaseModel):
    findings: tuple[CheckResult, ...]

    @property
    def exit_code(self) -> int:
        """0: nothing is wrong; 1: warnings; 2: something failed."""
        found = {finding.status for finding in self.findings}
        return 2 if "failed" in found else 1 if "warning" in found else 0


def print_report(report: DoctorReport, console: Console) -> None:
    if not console.is_terminal:
        console = Console(file=console.file, width=WIDE, highlight=False)
    table = Table.grid(padding=(0, 2, 0, 0))
    for finding in report.findings:
        word, style = WORDS[finding.status]
        table.add_row(Text(word, style=style), finding.check, _render_finding(finding))
    console.print(table)
    console.print(Text(_count_by_status(report.findings)))


def _render_finding(finding: CheckResult) -> Text:
    text = Text(one_line(finding.sentence))
    if finding.remedy:
        text.append(f"\n→ {one_line(finding.remedy)}", style="cyan")
    return text


def _count_by_status(findings: Sequence[CheckResult]) -> str:
    count = {status: sum(finding.status == status for finding in findings) for status in WORDS}
    counts = [f"{count[status]} {WORDS[status][0].lower()}" for status in WORDS if count[status]]
    return f"{', '.join(counts)}."
