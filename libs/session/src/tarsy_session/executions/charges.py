"""Charges: how a question to a model counts in budgets, by the prices of that day. Pure."""

from collections.abc import Iterable
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.budgets import Charge, find_day
from tarsy_session.decision_input import Spendings
from tarsy_session.state import Investigating


def charge_call(state: Investigating, model: str, provider: str, at: datetime, spendings: Spendings) -> Charge | None:
    """None where there is nothing to say: the model has no price, and no budget of a day counts it."""
    price, days = spendings.price_of(model, provider, at), state.started.chain.day_budgets
    if price is None and not days.budgets:
        return None
    return Charge(
        price=price,
        day=find_day(at, days.time_zone) if days.budgets else "",
        scopes=tuple(one.scope for one in days.budgets),
    )


def charge_attempts(
    state: Investigating, attempts: Iterable[e.SummaryAttempt], at: datetime, spendings: Spendings
) -> tuple[e.SummaryAttempt, ...]:
    return tuple(
        one.model_copy(update={"charge": charge_call(state, one.model, one.provider, at, spendings)})
        for one in attempts
    )
