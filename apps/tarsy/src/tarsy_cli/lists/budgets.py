"""`tarsy budgets`: each budget that is configured, and what is spent of it today."""

from collections.abc import Iterator
from datetime import datetime

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_cli.console.units import format_count
from tarsy_contracts.api.budgets import BudgetLimit, BudgetReport, BudgetStatus, LimitState
from tarsy_contracts.budgets import DAY, SESSION, AtEnd, describe_amount
from tarsy_local.terminal_text import one_line

LINE = "{:28}  {:>22}  {:>22}  {:>22}  {}"
HEADINGS = ("budget", "limit", "warns at", "spent today", "state")
NONE = "No budget is configured: docs/how-to/budgets.md tells how."
STATES: dict[LimitState | None, str] = {
    "below": "below its limits",
    "warned": "nearly used up",
    "met": "used up",
    None: "not told",
}
STYLES: dict[LimitState | None, str] = {"warned": "yellow", "met": "red"}
AT_END: dict[AtEnd, str] = {"conclude": "agents conclude", "ask": "a person is asked", "stop": "agents stop"}


def read_budgets(api: str) -> BudgetReport:
    """Raises ApiError or ValidationError."""
    return BudgetReport.model_validate(get(f"{api}/budgets"))


def print_budgets(report: BudgetReport, console: Console) -> None:
    if not report.budgets:
        console.print(NONE, markup=False)
        return
    ends = f"{datetime.fromisoformat(report.resets_at).astimezone():%m-%d %H:%M}"
    console.print(Text(one_line(f"The day {report.day} ({report.time_zone}) ends at {ends}, your time.")))
    console.print(Text(LINE.format(*HEADINGS), style="bold"), soft_wrap=True)
    for budget in report.budgets:
        for number, limit in enumerate(budget.limits):
            name = name_scope(budget.scope) if number == 0 else ""
            line = LINE.format(one_line(name), *_limit_cells(budget, limit))
            console.print(Text(line, style=STYLES.get(limit.state, "")), soft_wrap=True)
        if budget.unpriced_calls:
            count = format_count(budget.unpriced_calls, "call")
            console.print(Text(f"    money is unknown of {count} of models without a price", style="yellow"))


def name_scope(scope: str) -> str:
    """`all sessions`, `chain outage`, `team payments`, `each session`, `each session of outage`."""
    kind, _, name = scope.partition("/")
    match kind:
        case _ if kind == DAY:
            return "all sessions"
        case _ if kind == SESSION:
            return f"each session of {name}" if name else "each session"
        case _:
            return f"{kind} {name}"


def _limit_cells(budget: BudgetStatus, limit: BudgetLimit) -> Iterator[str]:
    yield describe_amount(limit.resource, limit.limit)
    yield "" if limit.soft_limit is None else describe_amount(limit.resource, limit.soft_limit)
    yield "" if limit.spent is None else describe_amount(limit.resource, limit.spent)
    follows = AT_END[budget.at_end]
    if budget.scope.partition("/")[0] == SESSION:
        yield f"at its end {follows}"
    elif limit.state == "met":
        yield f"{STATES['met']}: {follows}"
    else:
        yield f"{STATES[limit.state]}, then {follows}"
