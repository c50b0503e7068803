"""How each agent's context fills up."""

from typing import Any

from page_logic.node_process import PAGE, Node

SCRIPT = "async ([page, trace]) => (await import(`${page}/state/context_use.js`)).contextUses(trace)"


def agent(*read: int | None, limit: int | None = None, kind: str = "iteration") -> dict[str, Any]:
    calls = [{"interaction_type": kind, "input_tokens": tokens} for tokens in read]
    return {"execution_id": "x", "agent_name": "Pods", "context_tokens": limit, "llm_interactions": calls}


def uses(node: Node, *agents: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = node.evaluate(SCRIPT, [PAGE, {"stages": [{"executions": agents}]}])
    return found


def test_each_question_is_a_part_of_what_the_provider_reads(node: Node) -> None:
    [use] = uses(node, agent(20, None, 90, 300, limit=200))

    assert (use["parts"], use["last"], use["limit"]) == ([10, 45, 100], 300, 200)


def test_without_a_limit_the_longest_is_the_whole(node: Node) -> None:
    [use] = uses(node, agent(20, 40))

    assert (use["parts"], use["limit"]) == ([50, 100], None)


def test_summaries_and_agents_that_read_nothing_are_left_out(node: Node) -> None:
    assert uses(node, agent(20, kind="summarization"), agent(None), agent()) == []


def test_the_latest_of_many_questions_are_shown(node: Node) -> None:
    [use] = uses(node, agent(*range(1, 101), limit=100))

    assert (len(use["parts"]), use["parts"][-1]) == (60, 100)
