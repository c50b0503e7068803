"""Decisions of people about budgets: one is extended, or its agents conclude. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.budgets import SESSION, Budget, describe_amount
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.roles import is_enough
from tarsy_session.decisions.chat import accept, refuse
from tarsy_session.executions.accounts import find_budget
from tarsy_session.state import AtRest, BudgetState, Investigating

NO_SUCH_BUDGET = "the session has no such budget"
TOO_LITTLE = "a decision about this budget needs the role {needed}, and you have the role {role}"
NOT_WAITING = "the budget does not wait for anybody: only its extension makes sense now"
NO_AMOUNT = "the budget has no limit that you extend: name an amount of {limits}"
NOT_ENOUGH = "{spent} are used already, and the limit would be {limit}: extend it by more"
ENDING = "the session is being cancelled"
ENDED = "the session has already ended: only its extension makes sense now"


def decide_budget(state: Investigating, request: i.BudgetDecisionRequested) -> list[e.Event]:
    """The first decision about a wait counts."""
    if request.request_id in state.answers:
        return []
    if state.cancelled is not None:
        return [_refuse(request, 409, ENDING)]
    budget_id = request.budget_id or _waiting(state) or SESSION
    known = state.budgets.of(budget_id)
    if refusal := _find_refusal(state, request, budget_id):
        return [_refuse(request, *refusal)]
    if request.decision == "extend":
        return _extend(state, request, budget_id, known)
    if not known.waits_for_person:
        return [_refuse(request, 409, NOT_WAITING)]
    return [accept(request, e.CONCLUDE), _decide(request, budget_id, "concluded")]


def extend_at_rest(state: AtRest, request: i.BudgetDecisionRequested) -> list[e.Event]:
    """So that people can go on to ask."""
    if request.request_id in state.answers:
        return []
    budget_id = request.budget_id or SESSION
    if refusal := _find_refusal(state, request, budget_id):
        return [_refuse(request, *refusal)]
    if request.decision == "conclude":
        return [_refuse(request, 409, ENDED)]
    return _extend(state, request, budget_id, state.budgets.of(budget_id))


def _find_refusal(
    state: Investigating | AtRest, request: i.BudgetDecisionRequested, budget_id: str
) -> tuple[int, str] | None:
    budget = None if state.started is None else find_budget(state, budget_id)
    if state.started is None or budget is None:
        return 404, NO_SUCH_BUDGET
    needed = state.started.chain.approval.role
    if not is_enough(request.role, needed):
        return 403, TOO_LITTLE.format(needed=needed, role=request.role)
    limits = [resource for resource, _ in budget.list_limits()]
    if request.decision == "extend" and not any(request.extension.amount_of(one) > 0 for one in limits):
        return 400, NO_AMOUNT.format(limits=" or ".join(limits))
    return None


def _extend(
    state: Investigating | AtRest, request: i.BudgetDecisionRequested, budget_id: str, known: BudgetState
) -> list[e.Event]:
    budget = find_budget(state, budget_id) or Budget()
    extended = budget.extend(request.extension)
    reached = known.reached
    if reached is not None and (limit := extended.amount_of(reached.resource)) <= reached.spent:
        spent = describe_amount(reached.resource, reached.spent)
        words = NOT_ENOUGH.format(spent=spent, limit=describe_amount(reached.resource, limit))
        return [_refuse(request, 409, words)]
    decided = _decide(request, budget_id, "extended")
    return [
        accept(request, e.EXTEND),
        decided.model_copy(update={"extension": request.extension, "budget": extended}),
    ]


def _decide(request: i.BudgetDecisionRequested, budget_id: str, outcome: e.BudgetOutcome) -> e.BudgetDecided:
    return e.BudgetDecided(
        budget_id=budget_id,
        outcome=outcome,
        request_id=request.request_id,
        author=request.author,
        comment=request.comment,
    )


def _refuse(request: i.BudgetDecisionRequested, code: int, reason: str) -> e.RequestRefused:
    return refuse(request, e.EXTEND if request.decision == "extend" else e.CONCLUDE, code, reason)


def _waiting(state: Investigating) -> str:
    return next((id for id, known in state.budgets.met.items() if known.waits_for_person), "")
