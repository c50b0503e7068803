"""Decision input: an input together with all that a decision about it may need."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tarsy_contracts.budgets import NOTHING_SPENT, Spending
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.events.heads import Span
from tarsy_contracts.messages.inputs import Input
from tarsy_contracts.prices import NO_PRICES, ModelPrices, TokenPrice
from tarsy_contracts.skills import Skill
from tarsy_session.downtime import NO_DOWNTIME, Downtime


@dataclass(frozen=True, slots=True)
class EarlierAlert:
    """The fields are those of the decision input."""

    input_id: str
    alert_id: str
    offset: int


@dataclass(frozen=True, slots=True)
class ActionGate:
    """Reasons to hold calls that change something, at the moment of a decision. `paused_by`: who paused them; empty
    while they go on. `granted`: how many were granted in the last hour, by chain and workload, as far as it is known.
    """

    paused_by: str = ""
    comment: str = ""
    granted: Mapping[tuple[str, str], int] = field(default_factory=dict)


OPEN_GATE = ActionGate()


@dataclass(frozen=True, slots=True)
class Spendings:
    """Prices and spendings that the owner knows when it decides.

    `prices`: as the configuration has them now; `models`: whom a provider asks. `days`: what was used of a
    day's budget in all partitions, as far as it is known, by day and scope.
    """

    prices: ModelPrices = NO_PRICES
    models: Mapping[str, str] = field(default_factory=dict)
    days: Mapping[tuple[str, str], Spending] = field(default_factory=dict)

    def price_of(self, model: str, provider: str, at: datetime) -> TokenPrice | None:
        """`model`: as it answered; that of the provider where it did not name itself, or has no price by that name."""
        day = at.astimezone(UTC).date()
        found = self.prices.find(model, day)
        return self.prices.find(self.models.get(provider, ""), day) if found is None else found

    def of_day(self, day: str, scope: str) -> Spending:
        return self.days.get((day, scope), NOTHING_SPENT)


NO_SPENDINGS = Spendings()


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """`at` is the broker's stamp of an inbox input, or when the owner learned its own.

    `offset` is the input's place in the inbox; None for what the owner learned itself. `chain` comes with an alert: the
    plan that the configuration resolves it to now. `traceparent` is the span that the input came out of. `downtime`:
    time that counts against no limit. `aside`: the session is set aside; it comes with an operator's request. `spans`
    come with a question to a session at rest: where its lives lie in the log. `alert_id`: the id that the sender of an
    alert was given, which is another session's where the alert joins one; empty for the session's own. `repeats`:
    alerts for the same session that came before it and are decided with it. `skills` come with the chain: those that
    the configuration has now, masked. `actions`: what holds calls that change something, as it is when the decision is
    made; `spendings`: prices, and what was used of the budgets of days, likewise.
    """

    input: Input
    input_id: str
    at: datetime
    offset: int | None = None
    chain: ResolvedChain | None = None
    traceparent: str | None = None
    downtime: Downtime = NO_DOWNTIME
    aside: bool = False
    spans: tuple[Span, ...] = ()
    alert_id: str = ""
    repeats: tuple[EarlierAlert, ...] = ()
    skills: tuple[Skill, ...] = ()
    actions: ActionGate = OPEN_GATE
    spendings: Spendings = NO_SPENDINGS
