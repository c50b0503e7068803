"""Facts of an execution, as its row has them: none where their event could not be read."""

from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec
from tarsy_timeline.rows.session_rows import Row


def spec_of(execution: Row) -> ExecutionSpec | None:
    return None if execution["spec"] is None else ExecutionSpec.model_validate(execution["spec"])


def outcome_of(execution: Row) -> ExecutionOutcome | None:
    return None if execution["outcome"] is None else ExecutionOutcome.model_validate(execution["outcome"])


def iteration_limit(execution: Row) -> int | None:
    """None where it is not known."""
    spec = spec_of(execution)
    return None if spec is None else spec.max_iterations or None
