"""Fields of rows that several REST answers about sessions show, with Go TARSy's keys where we have the thing."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from tarsy_contracts.alert import PRIORITIES
from tarsy_contracts.review import FIRST_STATUSES
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.queries.session_outcome import outcome_of
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.session_rows import TOKENS, Row

NOT_SCORED = "not_scored"

type Fields = dict[str, object]
WEIGHTIEST_FIRST = ("acted", "blocked", "recommended", "nothing_to_do")


def column_fields(row: Row) -> Fields:
    """All columns, of which a model takes those that it has; times as on the wire."""
    return {name: wire_time(value) if isinstance(value, datetime) else value for name, value in row.items()}


def overview_fields(row: Row) -> Fields:
    return {**column_fields(row), "id": row["session_id"], "priority": PRIORITIES[row["priority"]]}


def session_fields(row: Row) -> Fields:
    return {
        **overview_fields(row),
        "duration_ms": duration_ms(row),
        "outcome": outcome_of(row),
        "chain_chosen_by": row["chosen_by"],
        "chain_unmatched": row["unmatched"],
        "review_status": row["review_status"] or FIRST_STATUSES.get(row["status"]),
        "investigation_feedback": row["review_note"],
        "scoring_status": row["scoring_status"] or NOT_SCORED,
    }


def token_fields(count: Callable[[str], int]) -> dict[str, int]:
    return {**{name: count(name) for name in TOKENS}, "total_tokens": count("input_tokens") + count("output_tokens")}


def cost_fields(cost: Cost) -> Fields:
    return {
        "cost": cost.amount,
        "estimated_cost_usd": cost.amount,
        "cost_completeness": cost.completeness,
        "unpriced_interaction_count": cost.unpriced,
    }


def action_fields(stages: int, verdicts: Collection[str]) -> Fields:
    """`stages`: how many of the session act. `verdicts`: those of them that have ended."""
    return {
        "has_action_stages": stages > 0,
        "action_verdict": next((one for one in WEIGHTIEST_FIRST if one in verdicts), None),
        "actions_executed": "acted" in verdicts if verdicts else None,
    }


def duration_ms(row: Row) -> int | None:
    """Milliseconds from start to end; None while it runs."""
    if row["started_at"] is None or row["completed_at"] is None:
        return None
    duration: timedelta = row["completed_at"] - row["started_at"]
    return round(duration.total_seconds() * 1000)
