"""Budgets: what calls of models may use, and what they have used. Pure."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from tarsy_contracts.conversation import Usage
from tarsy_contracts.prices import TokenPrice
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Amount, Count, Index, Seconds

type Resource = Literal["tokens", "money", "time", "calls"]
type AtEnd = Literal["conclude", "ask", "stop"]
type CostCompleteness = Literal["complete", "partial", "none"]
"""Whether all models that were used have a price, some, or none."""
RESOURCES: Final[tuple[Resource, ...]] = ("tokens", "money", "time", "calls")
DIGITS: Final = 6
SESSION: Final = "session"
"""The id of the budget of a session."""
OF_EXECUTION: Final = "execution/"
"""The id of the budget of an agent begins so, and ends with that of its execution."""
DAY: Final = "day"
"""The scope of all calls of a day."""


class Charge(Value):
    """How one question to a model counts, fixed when it ends: later prices change nothing of it.

    `price`: None where the model has none. `day`: the day whose budgets it counts to, and `scopes` those of them; empty
    where none are configured.
    """

    price: TokenPrice | None = None
    day: str = ""
    scopes: tuple[str, ...] = ()


class Spending(Value):
    """Tokens, cost and number of some questions to models. `cost` is in US dollars, of those whose model has a price.

    `unpriced`: how many used tokens of a model without one.
    """

    tokens: Count = 0
    cost: Amount = 0.0
    calls: Count = 0
    unpriced: Count = 0

    def add(self, usage: Usage, charge: Charge | None) -> "Spending":
        """Returns this with one more question."""
        price = None if charge is None else charge.price
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return Spending(
            tokens=self.tokens + tokens,
            cost=round(self.cost + (0.0 if price is None else price.cost(usage)), DIGITS),
            calls=self.calls + 1,
            unpriced=self.unpriced + (tokens > 0 and price is None),
        )

    @property
    def cost_completeness(self) -> CostCompleteness:
        if self.unpriced:
            return "partial" if self.cost else "none"
        return "complete" if self.tokens or self.cost else "none"

    def amount_of(self, resource: Resource) -> float:
        """A spending has no time."""
        match resource:
            case "tokens":
                return self.tokens
            case "money":
                return self.cost
            case "calls":
                return self.calls
            case "time":
                return 0.0


NOTHING_SPENT: Final = Spending()


def sum_spendings(spendings: Iterable[Spending]) -> Spending:
    found = list(spendings)
    return Spending(
        tokens=sum(one.tokens for one in found),
        cost=round(sum(one.cost for one in found), DIGITS),
        calls=sum(one.calls for one in found),
        unpriced=sum(one.unpriced for one in found),
    )


class Amounts(Value):
    """Amounts of what a budget limits; 0 is no limit, or nothing that is added to one. `money` is in US dollars."""

    tokens: Count = 0
    money: Amount = 0.0
    seconds: Seconds = 0.0
    calls: Count = 0

    def amount_of(self, resource: Resource) -> float:
        return self.seconds if resource == "time" else float(getattr(self, resource))

    def list_limits(self) -> Iterator[tuple[Resource, float]]:
        """Yields those that are set."""
        for resource in RESOURCES:
            if (amount := self.amount_of(resource)) > 0:
                yield resource, amount


class Budget(Amounts):
    """Limits of an execution, of a session or of a day. `soft_percent` of one is worth a warning; 0 is none.

    `at_end`: what happens when one is reached. Agents conclude with what they have, a person is asked, or they stop.
    """

    soft_percent: Index = 80
    at_end: AtEnd = "conclude"

    @property
    def is_set(self) -> bool:
        return any(True for _ in self.list_limits())

    def extend(self, by: Amounts) -> "Budget":
        """Only what is limited is extended."""
        raised = {
            field: getattr(self, field) + getattr(by, field)
            for field in ("tokens", "money", "seconds", "calls")
            if getattr(self, field) > 0
        }
        return self.model_copy(update=raised)


NO_BUDGET: Final = Budget()


class DayBudget(Value):
    """A budget of a day that a session counts to. `scope`: `day`, `chain/NAME` or `team/NAME`."""

    scope: str
    budget: Budget


class DayBudgets(Value):
    """Those of a session. A day begins at midnight in `time_zone`, a name of the IANA."""

    time_zone: str = "UTC"
    budgets: tuple[DayBudget, ...] = ()


NO_DAY_BUDGETS: Final = DayBudgets()


class ConfiguredBudgets(Value):
    """Those that the configuration has now. `sessions`: of each session, by its chain; that of `defaults` has none."""

    days: DayBudgets = NO_DAY_BUDGETS
    sessions: dict[str, Budget] = Field(default_factory=dict)


def find_day(at: datetime, time_zone: str) -> str:
    """The day of this moment, as `2026-11-29`. A zone that is not known here is UTC."""
    return at.astimezone(_zone_of(time_zone)).date().isoformat()


def find_day_end(day: str, time_zone: str) -> datetime:
    """The midnight after this day, which `find_day` has returned."""
    midnight = datetime.combine(date.fromisoformat(day) + timedelta(days=1), time.min, _zone_of(time_zone))
    return midnight.astimezone(UTC)


def _zone_of(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return UTC


def describe_amount(resource: Resource, amount: float) -> str:
    """For people: `50,000 tokens`, `$1.25`, `600 seconds`, `12 calls`."""
    match resource:
        case "tokens":
            return f"{amount:,.0f} tokens"
        case "money":
            return f"${amount:,.2f}" if amount >= 1 else f"${amount:,.4f}".rstrip("0").rstrip(".")
        case "time":
            return f"{amount:,.0f} seconds"
        case "calls":
            return f"{amount:,.0f} {'call' if amount == 1 else 'calls'} of models"


def describe_spent(budget_id: str, resource: Resource, spent: float, limit: float) -> str:
    """For people and models: `12,300 tokens of the session were used, and the limit is 12,000 tokens`."""
    used, most = describe_amount(resource, spent), describe_amount(resource, limit)
    return f"{used} of {name_budget(budget_id)} were used, and the limit is {most}"


def find_day_of(budget_id: str) -> str:
    """The day of a day's budget; empty for another one."""
    day, _, scope = budget_id.partition("/")
    return day if scope and not budget_id.startswith(OF_EXECUTION) else ""


def name_budget(budget_id: str) -> str:
    if budget_id.startswith(OF_EXECUTION):
        return "the agent"
    if "/" not in budget_id:
        return "the session"
    day, _, scope = budget_id.partition("/")
    kind, _, name = scope.partition("/")
    return f"the {kind} {name} on {day}" if name else f"the day {day}"


def resource_of(name: str) -> Resource:
    """A resource that is not known here is shown as a number of calls."""
    return next((one for one in RESOURCES if one == name), "calls")
