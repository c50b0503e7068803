"""Timeline of budgets: warnings, ends, and what people decided."""

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.budgets import Amounts, describe_amount, describe_spent
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import TimelineCreated, create_event

NEXT = {
    "conclude": "Agents conclude with what they have, and no other begins.",
    "ask": "Agents wait for somebody with the role {role} who extends it.",
    "stop": "No model is asked any more.",
}


def budget_warning(record: RecordedEvent, event: e.BudgetWarned) -> TimelineCreated:
    text = f"Budget nearly used up: {describe_spent(event.budget_id, event.resource, event.spent, event.limit)}."
    if event.unpriced:
        text = (
            f"The limit of money does not hold: {event.spending.unpriced} calls were of models without a price."
            " Add them to prices in tarsy.yaml."
        )
    return _create(record, event, text)


def budget_end(record: RecordedEvent, event: e.BudgetReached) -> TimelineCreated:
    spent = describe_spent(event.budget_id, event.resource, event.spent, event.limit)
    return _create(record, event, f"Budget used up: {spent}. {NEXT[event.at_end].format(role=event.role)}")


def budget_decision(record: RecordedEvent, event: e.BudgetDecided) -> TimelineCreated:
    comment = f" {event.comment}" if event.comment else ""
    match event.outcome:
        case "extended":
            text = f"{event.author} extended the budget by {_describe(event.extension)}.{comment}"
        case "concluded":
            text = f"{event.author} did not extend the budget: agents conclude.{comment}"
        case "expired" if event.day_over:
            text = "The day of the budget is over: agents go on with that of the next one."
        case "expired":
            text = "Nobody extended the budget in time: agents conclude."
    metadata: dict[str, JsonValue] = {"budget": {**event.model_dump(mode="json"), "event": event.type}}
    return create_event(record, "budget", text, cause=record.envelope.id, metadata=metadata)


def _create(record: RecordedEvent, event: e.BudgetWarned | e.BudgetReached, text: str) -> TimelineCreated:
    metadata: dict[str, JsonValue] = {"budget": {**event.model_dump(mode="json"), "event": event.type}}
    return create_event(record, "budget", text, cause=record.envelope.id, metadata=metadata)


def _describe(extension: Amounts) -> str:
    return " and ".join(describe_amount(resource, amount) for resource, amount in extension.list_limits())
