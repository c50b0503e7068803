"""Facts of an execution, each spelled once. Events, timeline, tables and answers carry them whole.

A new fact is a field of ExecutionSpec or ExecutionOutcome, and a line where the session decides it. Answers of REST and
WebSocket show it with a field of ExecutionFacts.
"""

from typing import Literal

from pydantic import JsonValue

from tarsy_contracts.budgets import NOTHING_SPENT, CostCompleteness, Spending
from tarsy_contracts.chain import Controller
from tarsy_contracts.memory import GivenMemory
from tarsy_contracts.skills import PlannedSkill
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Index
from tarsy_contracts.withheld_tools import WithheldTools

type EndStatus = Literal["completed", "failed", "cancelled", "timed_out"]


class ExecutionSpec(Value):
    """Facts that are fixed when an execution begins.

    An empty `llm_provider`, or no `max_iterations`: the event is from before they were recorded. `skills`: those that
    the agent has, as they fit its alert and its tools. `memories`: those that its prompt has.
    `parent_execution_id`: of the agent that sent this one, with this `task`. Agents of the stage itself have neither.
    """

    agent: str
    llm_provider: str = ""
    controller: Controller = "function_calling"
    max_iterations: Index = 0
    unavailable_servers: tuple[str, ...] = ()
    withheld: tuple[WithheldTools, ...] = ()
    skills: tuple[PlannedSkill, ...] = ()
    memories: tuple[GivenMemory, ...] = ()
    parent_execution_id: str = ""
    task: str = ""


class ExecutionOutcome(Value):
    """Facts that are known when an execution has ended.

    `spending`: its own, at the prices of its calls; sub-agents have theirs. Null: the event is from before this was
    recorded.
    """

    status: EndStatus
    error: str = ""
    iterations: Index = 0
    forced_conclusion: bool = False
    partial_reason: str = ""
    spending: Spending | None = None


class CostFacts(Value):
    """`cost`: in US dollars, of the calls whose model has a price; null where none has, or nothing is known yet.

    `unpriced_calls`: those of models without a price.
    """

    cost: float | None = None
    cost_completeness: CostCompleteness = "none"
    unpriced_calls: int = 0

    @classmethod
    def of(cls, spending: Spending) -> "CostFacts":
        completeness = spending.cost_completeness
        return CostFacts(
            cost=None if completeness == "none" else spending.cost,
            cost_completeness=completeness,
            unpriced_calls=spending.unpriced,
        )


class ExecutionFacts(CostFacts):
    """The facts that REST and WebSocket show, under their names. Null stands for what no event said.

    `original_llm_provider` was asked before `llm_provider`. The cost is known when the execution has ended, at
    the prices of its calls.
    """

    llm_provider: str | None = None
    original_llm_provider: str | None = None
    controller: str = "function_calling"
    max_iterations: int | None = None
    iterations: int = 0
    forced_conclusion: bool = False
    partial_reason: str | None = None
    parent_execution_id: str | None = None
    task: str | None = None


NULLABLE = frozenset(name for name, field in ExecutionFacts.model_fields.items() if field.default is None)


def to_facts(*facts: ExecutionSpec | ExecutionOutcome | None) -> dict[str, JsonValue]:
    """The fields of ExecutionFacts that these say."""
    spent = [one.spending or NOTHING_SPENT for one in facts if isinstance(one, ExecutionOutcome)]
    costs: dict[str, JsonValue] = CostFacts.of(spent[0]).model_dump() if spent else {}
    return costs | {
        name: getattr(one, name) or None if name in NULLABLE else getattr(one, name)
        for one in facts
        if one is not None
        for name in type(one).model_fields.keys() & ExecutionFacts.model_fields.keys()
    }


def facts_of[F: (ExecutionSpec, ExecutionOutcome)](kind: type[F], event: F) -> F:
    """Returns the facts alone, of an event that has more fields."""
    return kind.model_construct(**{name: getattr(event, name) for name in kind.model_fields})
