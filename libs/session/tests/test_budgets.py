"""Given an agent, a session or a day with a budget, when a limit is near or met, then this follows."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.budgets import NO_BUDGET, Amounts, Budget, DayBudget, DayBudgets, Spending
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.prices import ModelPrices, TokenPrice
from tarsy_contracts.wire.ids import budget_wait_id
from tarsy_session.deadlines import list_deadlines
from tarsy_session.decision_input import NO_SPENDINGS, Spendings
from tarsy_session.state import AtRest
from tarsy_session.state_queries import only_waits_for_people
from tarsy_testing.story.delegation import answers, begun, send
from tarsy_testing.story.story import READ, SESSION, Story, agent, chain, stage, types

DAY = "2026-11-22/day"
PRICES = Spendings(prices=ModelPrices(prices={"scripted": TokenPrice(input=1.0, output=10.0)}))


def plan(budget: Budget = NO_BUDGET, *, of_agent: Budget = NO_BUDGET, day: Budget | None = None) -> ResolvedChain:
    one = agent(max_iterations=9).model_copy(update={"budget": of_agent})
    days = DayBudgets(budgets=() if day is None else (DayBudget(scope="day", budget=day),))
    made = chain(stage(one), executive_summary=True)
    return made.model_copy(update={"budget": budget, "day_budgets": days})


def look(story: Story, tokens: int = 100) -> list[e.Event]:
    """The agent looks at something with an answer of so many tokens, and reads the result."""
    usage = Usage(input_tokens=tokens - 10, output_tokens=10)
    answer = story.answer("looking", tools=(READ,))
    calls = tuple(one.model_copy(update={"arguments": {"page": story.offset}}) for one in answer.tool_calls)
    story.when(answer.model_copy(update={"usage": usage, "tool_calls": calls}))
    return story.when(story.result(story.call_ids[-1]))


def asking(made: ResolvedChain, **facts: Any) -> Story:
    return Story(plan=made, **facts).asking()


def decide(story: Story, decision: str = "extend", role: str | None = None, **amounts: Any) -> list[e.Event]:
    asked = {"request_id": f"r{story.offset}", "author": "ann", "decision": decision, "role": role}
    return story.when(i.BudgetDecisionRequested(**asked, extension=Amounts(**amounts)))


@pytest.mark.parametrize(
    ("budget", "spends"),
    [
        (Budget(tokens=250), "300 tokens"),
        (Budget(money=0.0005), "$0.0006"),
        (Budget(calls=3), "3 calls"),
    ],
)
@pytest.mark.parametrize("where", ["session", "agent"])
def test_an_agent_concludes_when_its_budget_or_the_sessions_is_used_up(budget: Budget, spends: str, where: str) -> None:
    made = plan(budget) if where == "session" else plan(of_agent=budget)
    story = asking(made, spendings=PRICES)
    look(story)
    look(story)
    assert "budget.reached" not in types([one.event for one in story.log if one.event])
    events = look(story)
    assert types(events) == ["tool_call.completed", "budget.reached", "llm_call.requested"]
    assert (story.asked().purpose, story.asked().reason) == ("conclusion", "budget")
    ended = story.when(story.answer("so far"))
    if where == "agent":
        ended = story.when(story.answer("short"))
    completed = next(one for one in ended if isinstance(one, e.SessionCompleted))
    assert completed.final_analysis == "so far"
    assert completed.partial_reason.startswith("budget: ")
    assert spends in completed.partial_reason
    # Nothing begins any more in a session without a budget; that of one agent bounds no other.
    assert completed.executive_summary_error == (completed.partial_reason if where == "session" else "")


def test_the_time_of_a_budget_is_asked_before_a_question() -> None:
    story = asking(plan(Budget(seconds=60)))
    look(story)
    story.now += timedelta(seconds=60)
    assert "budget.reached" in types(look(story))
    assert story.asked().purpose == "conclusion"


def test_a_warning_comes_once_and_before_the_question() -> None:
    story = asking(plan(Budget(tokens=1000, soft_percent=20)))
    look(story)
    assert types(look(story)) == ["tool_call.completed", "budget.warned", "llm_call.requested"]
    assert types(look(story)) == ["tool_call.completed", "llm_call.requested"]


def test_a_limit_of_money_says_that_it_does_not_hold_for_a_model_without_a_price() -> None:
    story = asking(plan(Budget(money=0.01)))
    (warned,) = [one for one in look(story) if isinstance(one, e.BudgetWarned)]
    assert (warned.unpriced, warned.spending) == (True, Spending(tokens=100, calls=1, unpriced=1))
    assert story.asked().purpose == "iteration"
    assert "budget.warned" not in types(look(story))


def test_stop_asks_nobody_any_more_and_keeps_what_was_found() -> None:
    story = asking(plan(Budget(tokens=100, at_end="stop")))
    events = look(story)
    assert "llm_call.requested" not in types(events)
    assert isinstance(story.state, AtRest)
    assert isinstance(events[-1], e.SessionCompleted)
    assert "Partial analysis" in events[-1].final_analysis


def test_a_person_is_asked_extends_it_and_is_asked_again_until_he_says_conclude() -> None:
    story = asking(plan(Budget(tokens=100, at_end="ask")))
    reached = look(story)[-1]
    assert isinstance(reached, e.BudgetReached)
    assert (reached.at_end, reached.role) == ("ask", "responder")
    assert only_waits_for_people(story.investigating)
    assert story.execution().waiting_for is None
    assert [one.id for one in list_deadlines(story.investigating)] == [budget_wait_id(SESSION, "session", 1)]
    refused = decide(story, tokens=0, calls=5)[0]
    assert isinstance(refused, e.RequestRefused)
    assert refused.code == 400
    story.now += timedelta(hours=1) / 4
    assert types(decide(story, tokens=150)) == ["request.accepted", "budget.decided", "llm_call.requested"]
    assert story.asked().purpose == "iteration"
    assert story.investigating.life.waiting_since is None
    assert story.investigating.life.waited >= timedelta(minutes=15)
    look(story)
    look(story)
    assert story.investigating.budgets.wait_for_people
    refused = decide(story, tokens=20)[0]
    assert isinstance(refused, e.RequestRefused)
    assert refused.code == 409
    assert types(decide(story, "conclude")) == ["request.accepted", "budget.decided", "llm_call.requested"]
    assert (story.asked().purpose, story.asked().reason) == ("conclusion", "budget")


def test_nobody_answers_and_the_agent_concludes() -> None:
    story = asking(plan(Budget(tokens=100, at_end="ask")))
    look(story)
    (deadline,) = list_deadlines(story.investigating)
    story.now = deadline.at
    events = story.when(i.DeadlinePassed(call_id=deadline.id))
    assert types(events) == ["budget.decided", "llm_call.requested"]
    assert story.asked().purpose == "conclusion"


@pytest.mark.parametrize(
    ("request_of", "code"),
    [
        ({"budget_id": "execution/none", "extension": Amounts(tokens=1)}, 404),
        ({"role": "viewer", "extension": Amounts(tokens=1)}, 403),
        ({"decision": "conclude"}, 409),
    ],
)
def test_what_makes_no_sense_is_refused(request_of: dict[str, Any], code: int) -> None:
    story = asking(plan(Budget(tokens=1000)))
    facts = {"request_id": "r", "author": "ann", "decision": "extend"} | request_of
    refused = story.when(i.BudgetDecisionRequested(**facts))[0]
    assert isinstance(refused, e.RequestRefused)
    assert refused.code == code


def test_a_session_over_the_budget_of_its_day_ends_at_once_and_says_so() -> None:
    spent = Spendings(days={("2026-11-22", "day"): Spending(tokens=5_000, calls=9)})
    story = Story(plan=plan(day=Budget(tokens=5_000)), spendings=spent).started()
    events = story.offered()
    assert types(events)[-4:] == ["budget.reached", "execution.completed", "stage.completed", "session.failed"]
    assert isinstance(events[-1], e.SessionFailed)
    assert "the day 2026-11-22" in events[-1].error


def asking_at_midnight(time_zone: str) -> Story:
    """The budget of the day is used up by others, and the first agent of two stages waits for somebody."""
    spent = Spendings(days={("2026-11-22", "day"): Spending(tokens=5_000, calls=9)})
    days = DayBudgets(time_zone=time_zone, budgets=(DayBudget(scope="day", budget=Budget(tokens=5_000, at_end="ask")),))
    made = chain(stage(agent()), stage(agent("Second"))).model_copy(update={"day_budgets": days})
    approval = made.approval.model_copy(update={"timeout_seconds": 86_400.0})
    story = Story(plan=made.model_copy(update={"approval": approval}), spendings=spent).started()
    assert types(story.offered())[-1] == "budget.reached"
    return story


@pytest.mark.parametrize(
    ("time_zone", "midnight"), [("UTC", "2026-11-23T00:00:00+00:00"), ("Europe/Berlin", "2026-11-22T23:00:00+00:00")]
)
def test_whoever_waits_for_an_extension_goes_on_when_the_day_is_over(time_zone: str, midnight: str) -> None:
    story = asking_at_midnight(time_zone)
    (deadline,) = list_deadlines(story.investigating)
    assert deadline.at == datetime.fromisoformat(midnight)
    story.now = deadline.at
    events = story.when(i.DeadlinePassed(call_id=deadline.id))
    assert types(events) == ["budget.decided", "llm_call.requested"]
    assert story.asked().purpose == "iteration"
    assert story.investigating.life.waiting_since is None
    done = story.when(story.answer("done"))
    assert types(done)[-1] == "stage.started"
    (charged,) = [one.charge for one in done if isinstance(one, e.LlmCallCompleted) and one.charge is not None]
    assert charged.day == "2026-11-23"


def test_a_session_over_the_budget_of_its_day_asks_and_goes_on_when_it_is_extended() -> None:
    spent = Spendings(days={("2026-11-22", "day"): Spending(tokens=5_000, calls=9)})
    story = Story(plan=plan(day=Budget(tokens=5_000, at_end="ask")), spendings=spent).started()
    assert types(story.offered())[-1] == "budget.reached"
    decided = story.when(
        i.BudgetDecisionRequested(
            request_id="r", author="ann", decision="extend", budget_id=DAY, extension=Amounts(tokens=1)
        )
    )
    assert types(decided)[-1] == "llm_call.requested"
    completed = story.when(story.answer("done"))[0]
    assert isinstance(completed, e.LlmCallCompleted)
    assert completed.charge is not None
    assert (completed.charge.day, completed.charge.scopes) == ("2026-11-22", ("day",))


def test_an_ended_session_is_extended_so_that_people_can_ask() -> None:
    story = asking(plan(Budget(tokens=100)))
    look(story)
    story.when(story.answer("so far"))
    story.when(story.question())
    assert types(story.offered())[-1] == "reply.completed" or isinstance(story.state, AtRest)
    assert types(decide(story, tokens=1_000)) == ["request.accepted", "budget.decided"]
    story.questioned("And now?")
    assert story.asked().purpose == "iteration"


def test_nobody_sends_others_when_the_budget_is_used_up() -> None:
    story = begun(agent("Lead", max_iterations=9))
    lead = story.investigating
    story.state = type(lead)(
        **{name: getattr(lead, name) for name in lead.__dataclass_fields__ if name != "started"},
        started=lead.started.model_copy(
            update={"chain": lead.started.chain.model_copy(update={"budget": Budget(calls=1)})}
        ),
    )
    assert answers(send(story, "a"))[0][0] == "rejected"


@pytest.mark.parametrize(("known", "cost"), [(PRICES, 0.00019), (NO_SPENDINGS, 0.0)])
def test_the_end_of_an_agent_says_what_it_has_spent(known: Spendings, cost: float) -> None:
    story = asking(plan(), spendings=known)
    look(story)
    usage = Usage(input_tokens=50, output_tokens=0)
    events = story.when(story.answer("done").model_copy(update={"usage": usage}))
    (ended,) = [one for one in events if isinstance(one, e.ExecutionCompleted)]
    unpriced = 0 if cost else 2
    assert ended.spending == Spending(tokens=150, cost=cost and cost + 0.00005, calls=2, unpriced=unpriced)


def test_a_price_that_changes_in_the_middle_counts_from_the_next_answer_on() -> None:
    story = asking(plan(Budget(money=0.0021)), spendings=PRICES)
    look(story)
    story.spendings = Spendings(prices=ModelPrices(prices={"scripted": TokenPrice(input=10.0, output=100.0)}))
    assert "budget.reached" not in types(look(story))
    reached = next(one for one in look(story) if isinstance(one, e.BudgetReached))
    assert reached.spent == 0.00019 + 0.0019 + 0.0019
    story.spendings = NO_SPENDINGS
    assert story.investigating.budgets.total == Spending(tokens=300, cost=0.00399, calls=3)


def test_an_agent_that_is_cancelled_has_spent_what_its_broken_call_counts() -> None:
    story = asking(plan(), spendings=PRICES)
    look(story)
    ended = next(
        one
        for one in story.when(i.CancelRequested(request_id="r", author="ann"))
        if isinstance(one, e.ExecutionCompleted)
    )
    assert ended.spending == Spending(tokens=100, cost=0.00019, calls=2)
