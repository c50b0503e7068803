"""What the page knows of sessions: the pure modules are loaded from their address and called."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from page_logic.node_process import PAGE, Node
from tarsy_websocket_gateway.messages.feed import Feed

type Message = dict[str, Any]
type Story = Callable[[], Any]


def fold(node: Node, messages: list[Message]) -> Message:
    """What is known of a session after these; `{"type": "again"}` stands for a connection that came back."""
    found: Message = node.evaluate(
        """async ([assets, messages]) => {
            const { newSession, take, beginAgain } = await import(`${assets}/state/session_state.js`);
            const session = newSession();
            for (const message of messages) {
                if (message.type === "again") beginAgain(session);
                else take(session, message);
            }
            return {
                status: session.status,
                finalAnalysis: session.finalAnalysis,
                stages: [...session.stages.values()].map((one) => [one.stage_name, one.status]),
                executions: [...session.executions.values()].map((one) => [one.agent_name, one.status]),
                items: [...session.items.values()]
                    .sort((one, other) => one.sequence - other.sequence)
                    .map((one) => [one.type, one.status, one.content.slice(0, 20)]),
            };
        }""",
        [PAGE, messages],
    )
    return found


AGAIN: Message = {"type": "again"}


def created(
    id: str, status: str = "streaming", number: int | None = None, content: str = "", place: int = 1
) -> Message:
    return {
        "type": "timeline_event.created", "event_id": id, "event_type": "llm_response", "status": status,
        "content": content, "metadata": {}, "sequence_number": place, "number": number,
    }  # fmt: skip


def chunk(id: str, delta: str) -> Message:
    return {"type": "stream.chunk", "event_id": id, "delta": delta, "number": None}


def reset(id: str) -> Message:
    return {"type": "stream.reset", "event_id": id, "number": None}


def completed(id: str, content: str, number: int, **metadata: object) -> Message:
    status = "failed" if metadata else "completed"
    return created(id, status, number, content) | {"type": "timeline_event.completed", "metadata": metadata}


def status(value: str, number: int) -> Message:
    return {"type": "session.status", "status": value, "number": number, "timestamp": "2026-11-22T10:00:00Z"}


def test_a_whole_session_folds_to_what_history_tells(node: Node, story: Story) -> None:
    session, feed = story(), Feed()
    live = [json.loads(one.text) for number in range(1, 14) for one in feed.event(session.recorded(number))]

    once, twice = fold(node, live), fold(node, [*live, AGAIN, *live])

    assert once == twice
    assert once["status"] == "completed"
    assert once["finalAnalysis"] == "It was DNS."
    assert once["stages"] == [["look", "completed"]]
    assert once["executions"] == [["looker", "completed"]]
    assert once["items"] == [
        ["llm_thinking", "completed", "hm"],
        ["llm_response", "completed", "I look."],
        ["llm_tool_call", "completed", "line\nline\nline\nline\n"],
        ["mcp_tool_summary", "completed", "short"],
        ["final_analysis", "completed", "It was DNS."],
    ]


@pytest.mark.parametrize(
    ("messages", "items"),
    [
        ([created("a"), chunk("a", "It "), chunk("a", "was")], [["streaming", "It was"]]),
        ([created("a"), chunk("a", "old"), reset("a"), chunk("a", "new")], [["streaming", "new"]]),
        ([created("a"), chunk("a", "It "), completed("a", "It was.", 5)], [["completed", "It was."]]),
        ([created("a"), completed("a", "It was.", 5), chunk("a", "late"), reset("a")], [["completed", "It was."]]),
        ([created("a"), chunk("a", "It "), completed("a", "", 5, discarded=True)], []),
        ([completed("a", "whole", 5), completed("a", "", 6, discarded=True)], [["completed", "whole"]]),
        ([completed("a", "new", 7), created("a", "streaming", 3), completed("a", "old", 5)], [["completed", "new"]]),
        ([chunk("unknown", "x"), reset("unknown")], []),
        ([created("b", place=20), chunk("b", "2"), created("a", place=10)], [["streaming", ""], ["streaming", "2"]]),
        ([created("a"), chunk("a", "It"), AGAIN, created("a"), chunk("a", "It was")], [["streaming", "It was"]]),
        ([created("a"), chunk("a", "It"), AGAIN], []),
        ([created("a", number=4), chunk("a", "It"), AGAIN], [["streaming", "It"]]),
        ([created("a", number=4), chunk("a", "It"), AGAIN, chunk("a", "It was")], [["streaming", "It was"]]),
        ([created("a"), chunk("a", "It"), AGAIN, created("a", "completed", 5, "It was.")], [["completed", "It was."]]),
    ],
    ids=[
        "it grows", "a newer run", "the end replaces it", "late chunks", "it came to nothing",
        "what is on the log stays", "the newer word stays", "unknown ids", "the log's order",
        "what streams is told again", "what is over is not", "what the log announced stays", "and grows on",
        "it ended meanwhile",
    ],
)  # fmt: skip
def test_messages_fold_to_items(node: Node, messages: list[Message], items: list[list[str]]) -> None:
    assert [item[1:] for item in (fold(node, messages))["items"]] == items


def test_an_older_status_does_not_replace_a_newer(node: Node) -> None:
    assert (fold(node, [status("completed", 9), AGAIN, status("in_progress", 1)]))["status"] == "completed"


def test_the_list_keeps_what_came_live_when_an_older_answer_comes(node: Node) -> None:
    row = {"id": "a", "title": "", "alert_type": "crash", "status": "in_progress", "last_number": 3}
    ended = status("completed", 9) | {"session_id": "a"}

    found = node.evaluate(
        """async ([assets, row, ended]) => {
            const { newSessions, takePage, takeStatus } = await import(`${assets}/state/sessions_state.js`);
            const sessions = newSessions();
            const before = takeStatus(sessions, ended);
            takePage(sessions, [row]);
            const after = takeStatus(sessions, ended);
            takePage(sessions, [row]);
            const [kept] = sessions.rows;
            return [before, after, kept.title, kept.status, kept.endedAt];
        }""",
        [PAGE, row, ended],
    )
    assert found == [False, True, "crash", "completed", ended["timestamp"]]


def test_sub_agents_stand_behind_the_agent_that_sent_them(node: Node) -> None:
    agents = [("Lead", 1, None), ("Other", 2, None), ("Logs", 3, "Other"), ("Pods", 4, "Lead"), ("Deep", 5, "Pods")]
    found = node.evaluate(
        """async ([assets, agents]) => {
            const { agentsOf, ownAgentsOf } = await import(`${assets}/state/order_of_stages.js`);
            const executions = new Map(agents.map(([id, agent_index, parent_execution_id]) =>
                [id, { execution_id: id, agent_index, parent_execution_id, stage_id: "s" }]));
            return [agentsOf({ executions }, "s"), ownAgentsOf({ executions }, "s")]
                .map((found) => found.map((one) => one.execution_id));
        }""",
        [PAGE, agents],
    )
    assert found == [["Lead", "Pods", "Deep", "Other", "Logs"], ["Lead", "Other"]]


@pytest.mark.parametrize(
    ("chosen", "agents", "lanes"),
    [
        ("", ["Lead", "Pods", "Deep", "Other"], ["Lead", "Pods", "Deep", "Other"]),
        ("Lead", ["Lead", "Pods", "Deep"], ["Lead", "Pods", "Deep"]),
        ("Pods", ["Pods", "Deep"], ["Lead", "Pods", "Deep"]),
        ("Deep", ["Deep"], ["Lead", "Pods", "Deep"]),
    ],
)
def test_an_agent_that_is_chosen_is_shown_with_those_below_it(
    chosen: str, agents: list[str], lanes: list[str], node: Node
) -> None:
    found = node.evaluate(
        """async ([assets, chosen]) => {
            const { showsAgent, showsLane } = await import(`${assets}/state/story_filter.js`);
            const sent = [["Lead", null], ["Pods", "Lead"], ["Deep", "Pods"], ["Other", null]];
            const executions = new Map(sent.map(([id, parent_execution_id], agent_index) =>
                [id, { execution_id: id, agent_index, parent_execution_id, stage_id: "s" }]));
            const shown = (shows) => [...executions.values()].filter((one) => shows({ executions }, one, chosen));
            return [showsAgent, showsLane].map((shows) => shown(shows).map((one) => one.execution_id));
        }""",
        [PAGE, chosen],
    )
    assert found == [agents, lanes]


@pytest.mark.parametrize(
    ("budget_events", "alone"),
    [
        ([], "asking the model"),
        (["budget.reached"], "waiting for a decision on its budget"),
        (["budget.reached", "budget.decided"], "asking the model"),
    ],
)
def test_who_waits_for_others_or_for_a_person_does_not_ask_its_model(
    budget_events: list[str], alone: str, node: Node
) -> None:
    found = node.evaluate(
        """async ([assets, events]) => {
            const { runningAgents } = await import(`${assets}/state/outcome.js`);
            const { doing } = await import(`${assets}/words/session_words.js`);
            const agents = [["Lead", null, "active"], ["Logs", "Lead", "active"], ["Done", "Logs", "completed"]];
            const executions = new Map(agents.map(([id, parent_execution_id, status]) =>
                [id, { execution_id: id, agent_name: id, parent_execution_id, status }]));
            const items = new Map(events.map((event, sequence) => [event, {
                id: event, type: "budget", status: "completed", executionId: null, sequence,
                metadata: { budget: { event, budget_id: "b", at_end: "ask" } },
            }]));
            const running = runningAgents({ executions, items, status: "in_progress", stages: new Map() });
            return running.map(({ agent, item, waitsFor }) => [agent.agent_name, doing(item, waitsFor)]);
        }""",
        [PAGE, budget_events],
    )
    assert found == [["Lead", "waiting for its sub-agents"], ["Logs", alone]]
