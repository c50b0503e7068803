"""The session as it was at its events, and the waterfall: what the page makes of answers that come of a real log."""

from collections.abc import Sequence
from typing import Any

import pytest
from played_session import Message, answer, messages

from page_logic.node_process import PAGE, Node
from tarsy_contracts.events.recorded import RecordedEvent

SUMMARY = """(session) => ({
    status: session.status,
    texts: [session.finalAnalysis, session.executiveSummary, session.error],
    stages: [...session.stages.values()].map((one) => [one.stage_id, one.stage_name, one.status]).sort(),
    agents: [...session.executions.values()].map((one) => [one.execution_id, one.agent_name, one.status]).sort(),
    items: [...session.items.values()].sort((one, other) => one.sequence - other.sequence)
        .map((one) => [one.id, one.type, one.status, one.content, one.number, one.sequence, one.executionId]),
})"""


FOLDS = f"""async ([assets, messages, answer]) => {{
    const {{ newSession, take }} = await import(`${{assets}}/state/session_state.js`);
    const {{ pastSession }} = await import(`${{assets}}/state/past_session.js`);
    const live = newSession();
    for (const message of messages) take(live, message);
    return [live, pastSession(answer)].map({SUMMARY});
}}"""


BECOMES = f"""async ([assets, before, after]) => {{
    const {{ pastSession }} = await import(`${{assets}}/state/past_session.js`);
    const {{ become }} = await import(`${{assets}}/state/replacement.js`);
    const session = pastSession(before), kept = new Map(session.items);
    const {{ items }} = become(session, pastSession(after));
    const summary = {SUMMARY};
    const isKept = [...session.items].every(([id, item]) => items.includes(id) || kept.get(id) === item);
    return [summary(session), summary(pastSession(after)), items.length, isKept];
}}"""


def test_the_past_is_what_a_page_saw_then(node: Node, log: Sequence[RecordedEvent]) -> None:
    for number in range(1, len(log) + 1, 3):
        given = [PAGE, messages(log[:number]), answer(log, number)]
        live, past = node.evaluate(FOLDS, given)
        assert past == live, f"after event {number}, {log[number - 1].envelope.type}"


def test_from_any_moment_to_any_other_only_what_differs_changes(node: Node, log: Sequence[RecordedEvent]) -> None:
    middle, end = len(log) // 2, len(log)
    for before, after in ((1, end), (end, 1), (middle, middle + 2), (end, middle)):
        found = node.evaluate(BECOMES, [PAGE, answer(log, before), answer(log, after)])
        assert found[0] == found[1]
        assert found[3] is True
    near = node.evaluate(BECOMES, [PAGE, answer(log, middle), answer(log, middle + 1)])
    assert near[2] <= 4


@pytest.mark.parametrize(
    ("text", "number"),
    [("57", 57), ("1", 1), ("0", None), ("-1", None), ("1.5", None), ("five", None), ("", None), ("9" * 40, None)],
)
def test_an_address_names_an_event_or_none(node: Node, text: str, number: int | None) -> None:
    found = node.evaluate(
        "async ([assets, text]) => (await import(`${assets}/state/event_times.js`)).eventNumber(text)", [PAGE, text]
    )
    assert found == number


def test_what_nothing_ran_in_is_short_and_places_and_times_belong_together(node: Node) -> None:
    spans = [{"from": 0, "until": 100}, {"from": 50, "until": 200}, {"from": 90_000, "until": 90_200}]
    found = node.evaluate(
        """async ([assets, spans]) => {
            const { timeScale, placeAt, timeAtPlace } = await import(`${assets}/state/time_scale.js`);
            const scale = timeScale(spans);
            const times = [-5, 0, 150, 200, 50000, 90000, 90100, 90200, 99999];
            const places = times.map((time) => placeAt(scale, time));
            return [places, places.map((place) => Math.round(timeAtPlace(scale, place))), placeAt([], 5)];
        }""",
        [PAGE, spans],
    )
    places, times, of_nothing = found
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, pytest.approx(1000))
    assert places[5] - places[3] < 21
    assert times == [0, 0, 150, 200, 50_000, 90_000, 90_100, 90_200, 90_200]
    assert of_nothing == 0


def stamp(second: int) -> str:
    return f"2026-11-22T10:00:{second:02}.000Z"


def call(id: str, begins: int, ends: int | None, took: int | None, outcome: str | None = "ok") -> Message:
    return {
        "id": id, "interaction_type": "tool_call", "server_name": "k8s", "tool_name": id, "outcome": outcome,
        "duration_ms": took, "error_message": None, "created_at": stamp(begins),
        "ended_at": None if ends is None else stamp(ends),
    }  # fmt: skip


def question(begins: int, ends: int | None, error: str | None = None) -> Message:
    return {
        "id": "l", "interaction_type": "iteration", "llm_provider": "gemini", "model_name": "gemini-3",
        "duration_ms": None, "error_message": error, "created_at": stamp(begins),
        "ended_at": None if ends is None else stamp(ends),
    }  # fmt: skip


def bars(node: Node, questions: list[Message], calls: list[Message], items: list[Message]) -> Any:
    agent = {"execution_id": "x", "agent_name": "Pods", "llm_interactions": questions, "mcp_interactions": calls}
    trace = {
        "stages": [{"stage_id": "s", "stage_name": "look", "stage_type": "investigation", "executions": [agent]}],
        "session_mcp_interactions": [], "session_interactions": [],
    }  # fmt: skip
    detail = {"created_at": stamp(0), "started_at": stamp(2), "completed_at": None}
    return node.evaluate(
        """async ([assets, trace, items, detail, began]) => {
            const { newSession, take } = await import(`${assets}/state/session_state.js`);
            const { waterfallRows } = await import(`${assets}/state/waterfall.js`);
            const session = newSession();
            for (const item of items) take(session, item);
            const second = (time) => (time === null ? null : (time - Date.parse(began)) / 1000);
            return waterfallRows(trace, session, detail).map(({ stage, name, bars }) => [
                stage, name, bars.map((one) => [one.kind, second(one.from), second(one.until), one.hasFailed])
            ]);
        }""",
        [PAGE, trace, items, detail, stamp(0)],
    )


def item(kind: str, second: int, number: int, status: str, **metadata: object) -> Message:
    return {
        "type": "timeline_event.created", "event_id": f"{kind}{number}", "event_type": kind, "status": status,
        "execution_id": "x", "content": "", "metadata": metadata, "sequence_number": number, "number": number,
        "timestamp": stamp(second), "session_id": "a",
    }  # fmt: skip


def test_a_waterfall_has_the_queue_and_the_calls_and_waits_of_each_agent(node: Node) -> None:
    found = bars(
        node,
        [question(2, 4, "too much"), question(4, 9), question(40, None)],
        [
            call("read", 9, 15, 4000), call("delete", 9, 30, 5000), call("deny", 9, 20, None, "rejected"),
            call("run", 31, None, None, None),
        ],
        [
            item("llm_wait", 4, 5, "completed", wait_seconds=2.0),
            item("approval", 24, 6, "completed", call_id="delete"),
            item("approval", 20, 7, "completed", call_id="deny"),
            item("llm_tool_call", 30, 8, "completed", call_id="delete", repeatable=False),
        ],
    )  # fmt: skip

    assert found == [
        ["", "", [["queue", 0, 2, False]]],
        [
            "look",
            "Pods",
            [
                ["llm", 2, 4, True],
                ["pause", 4, 6, False],
                ["llm", 6, 9, False],
                ["turn", 9, 11, False],
                ["person", 9, 24, False],
                ["person", 9, 20, False],
                ["tool", 11, 15, False],
                ["tool", 20, 20, True],
                ["turn", 24, 25, False],
                ["change", 25, 30, False],
                ["tool", 31, None, False],
                ["llm", 40, None, False],
            ],
        ],
    ]


def test_a_call_that_waits_for_a_person_grows_as_a_wait(node: Node) -> None:
    asked = item("approval", 9, 6, "streaming", call_id="delete")
    found = bars(node, [], [call("delete", 9, None, None, None)], [asked])
    assert found[1][2] == [["person", 9, None, False]]


@pytest.mark.parametrize(
    ("row", "bar", "words"),
    [
        (("queue", "", ""), ("queue", 0, 2000, "", False), "Queue · queued · 2 s"),
        (("session", "", ""), ("tool", 0, 2000, "k8s.get", True), "Session · tool call · k8s.get · 2 s · failed"),
        (("x", "a", "Pods"), ("llm", 0, None, "summary", False), "a · Pods · model call · summary · 3 s so far"),
    ],
)  # fmt: skip
def test_a_bar_is_worded(node: Node, row: Sequence[str], bar: Sequence[object], words: str) -> None:
    found = node.evaluate(
        """async ([assets, [id, stage, name], [kind, from, until, what, hasFailed]]) => {
            const { barWords } = await import(`${assets}/words/waterfall_words.js`);
            return barWords({ id, stage, name, bars: [] }, { kind, from, until, name: what, hasFailed }, 3000);
        }""",
        [PAGE, list(row), list(bar)],
    )

    assert found == words


def test_2000_bars_are_few_elements(node: Node) -> None:
    found = node.evaluate(
        """async (assets) => {
            const { barPaths } = await import(`${assets}/state/bar_shapes.js`);
            const { timeScale } = await import(`${assets}/state/time_scale.js`);
            const kinds = ["llm", "tool"];
            const bars = Array.from({ length: 2000 }, (_, place) => ({
                kind: kinds[place % 2], from: place * 10, until: place * 10 + 9, name: "", hasFailed: false,
            }));
            const paths = barPaths([{ id: "x", stage: "", name: "", bars }], timeScale(bars), 0);
            return [...paths].map(([kind, path]) => [kind, path.split("M").length - 1]);
        }""",
        PAGE,
    )
    assert found == [["llm", 1000], ["tool", 1000]]


def test_a_waterfall_has_sub_agents_below_the_agent_that_sent_them(node: Node) -> None:
    sent = [("Lead", None), ("Other", None), ("Logs", "Lead"), ("Pods", "Lead"), ("Deep", "Logs")]
    executions = [
        {
            "execution_id": name, "parent_execution_id": parent, "agent_name": name,
            "llm_interactions": [question(2, 4)], "mcp_interactions": [],
        }
        for name, parent in sent
    ]  # fmt: skip
    stages = [{"stage_id": "s", "stage_name": "look", "stage_type": "investigation", "executions": executions}]
    found = node.evaluate(
        """async ([assets, trace]) => {
            const { newSession } = await import(`${assets}/state/session_state.js`);
            const { waterfallRows } = await import(`${assets}/state/waterfall.js`);
            const { rowName } = await import(`${assets}/words/waterfall_words.js`);
            return waterfallRows(trace, newSession(), null).map((row) => [rowName(row), row.depth]);
        }""",
        [PAGE, {"stages": stages, "session_mcp_interactions": [], "session_interactions": []}],
    )
    assert found == [["look · Lead", 0], ["Logs", 1], ["Deep", 2], ["Pods", 1], ["look · Other", 0]]
