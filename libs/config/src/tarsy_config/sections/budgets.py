"""`budget`: what an execution or a session may use; `system.budgets`: what all may use in a day."""

from collections.abc import Mapping
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, Field, field_validator

from tarsy_config.values import Name, Positive, Seconds, Section, wrong
from tarsy_contracts.budgets import DAY, Budget, DayBudget, DayBudgets

MOST_DOLLARS = 1_000_000_000


def percent(value: object) -> object:
    """`"80%"` or 80."""
    return int(value[:-1]) if isinstance(value, str) and value[:-1].isdigit() and value.endswith("%") else value


class DayLimits(Section):
    """`money` is in US dollars, as prices are. `soft`: a warning is given at this part of a limit."""

    tokens: Positive | None = None
    money: Annotated[float, Field(gt=0, le=MOST_DOLLARS)] | None = None
    calls: Positive | None = None
    soft: Annotated[int, BeforeValidator(percent), Field(ge=1, le=100)] = 80
    at_end: Literal["conclude", "ask", "stop"] = "conclude"

    def to_budget(self) -> Budget:
        return Budget(
            tokens=self.tokens or 0,
            money=self.money or 0.0,
            calls=self.calls or 0,
            soft_percent=self.soft,
            at_end=self.at_end,
        )


class BudgetSettings(DayLimits):
    """`time`: since the agent or the session began, without waits for people."""

    time: Seconds | None = None

    def to_budget(self) -> Budget:
        return super().to_budget().model_copy(update={"seconds": self.time or 0.0})


class DayBudgetSettings(Section):
    """Budgets of a day: of all sessions, of those of a chain, and of those whose alert has a team in `team_label`."""

    time_zone: Name = "UTC"
    day: DayLimits | None = None
    chains: dict[Name, DayLimits] = Field(default_factory=dict)
    team_label: Name = "team"
    teams: dict[Name, DayLimits] = Field(default_factory=dict)

    @property
    def limits_days(self) -> bool:
        """Whether any is configured."""
        return bool(self.list_all().budgets)

    @field_validator("time_zone")
    @classmethod
    def _require_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            raise wrong("is not a time zone", "write it as Europe/Berlin or UTC") from None
        return value

    def list_all(self) -> DayBudgets:
        """All that are configured, the shared one first."""
        scoped = {DAY: self.day} | {f"chain/{id}": one for id, one in self.chains.items()}
        return self._to_budgets(scoped | {f"team/{name}": one for name, one in self.teams.items()})

    def of_session(self, chain_id: str, team: str) -> DayBudgets:
        """Those that a session counts to."""
        named = {
            DAY: self.day,
            f"chain/{chain_id}": self.chains.get(chain_id),
            f"team/{team}": self.teams.get(team),
        }
        return self._to_budgets(named)

    def _to_budgets(self, named: Mapping[str, DayLimits | None]) -> DayBudgets:
        budgets = tuple(
            DayBudget(scope=scope, budget=one.to_budget()) for scope, one in named.items() if one is not None
        )
        return DayBudgets(time_zone=self.time_zone, budgets=budgets)
