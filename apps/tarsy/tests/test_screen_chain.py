"""What a person sees of a whole chain, from the very messages of the gateway."""

import io
import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

import tarsy_testing.story.whole_chain as chain
from tarsy_cli.watch.screen import Screen
from tarsy_contracts import events as e
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.ids import execution_id, llm_call_id, stage_id
from tarsy_testing.story.seen import at
from tarsy_testing.story.story import agent
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import join_deltas

type Payload = dict[str, Any]

S = "session"
NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
BOTH_RUN = 9
"""Events until both agents of the first stage have asked."""
STAGE, EXECUTION = stage_id(S, 1), execution_id(stage_id(S, 1), 1)
PODS, METRICS = (llm_call_id(execution_id(STAGE, agent), 1, 1) for agent in (1, 2))
AGAIN = llm_call_id(EXECUTION, 1, 2)
SUMMARY = llm_call_id(execution_id(stage_id(S, 4), 1), 1, 1)


class Watched:
    """A screen of 80 columns at a time that the test sets, and what stands on it."""

    def __init__(self) -> None:
        self._out = io.StringIO()
        self._feed = Feed()
        self._told = 0
        self._chunks: Counter[str] = Counter()
        self.now = 0.0
        console = Console(file=self._out, width=80, force_terminal=True, color_system=None, highlight=False)
        self.screen = Screen(console, lambda: self.now)

    def live(self, events: Sequence[e.Event]) -> None:
        """Those that were not told yet."""
        for number, event in list(enumerate(events, start=1))[self._told :]:
            self._told = number
            for message in self._feed.event(at(number, event, id=f"e{number}", session=S)):
                self.screen.show(json.loads(message.text))

    def says(self, call_id: str, execution: str, *pieces: str) -> None:
        for text in pieces:
            index, self._chunks[call_id] = self._chunks[call_id], self._chunks[call_id] + 1
            chunk = LlmChunk(call_id=call_id, execution_id=execution, run=1, index=index, part="text", text=text)
            for message in join_deltas(self._feed.chunk(S, chunk, NOW, self._told)):
                self.screen.show(json.loads(message.text))

    @property
    def lines(self) -> list[str]:
        return self._out.getvalue().splitlines()

    @property
    def text(self) -> str:
        return self._out.getvalue()


LIVE_ONLY = {"session.progress", "execution.progress", "interaction.created"}


def history(events: Sequence[e.Event]) -> list[Payload]:
    """As the gateway tells it later: stages with their agents as they are, what happened, and the session."""
    feed = Feed()
    last: dict[str, Payload] = {}
    for number, event in enumerate(events, start=1):
        for message in feed.event(at(number, event, id=f"e{number}", session=S)):
            payload = json.loads(message.text)
            if payload["type"] in LIVE_ONLY:
                continue
            place = payload.get("event_id") or payload.get("execution_id") or payload.get("stage_id") or "session"
            known = last.setdefault(place, {})
            about = known.get("metadata", {}) | payload.get("metadata", {})
            known |= payload | {"metadata": about, "type": payload["type"].replace("completed", "created")}
    kinds = ["stage.status", "execution.status", "timeline_event.created", "session.status"]
    return sorted(last.values(), key=lambda payload: kinds.index(payload["type"]))


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def events() -> list[e.Event]:
    return chain.whole_chain(S)


def steps(watched: Watched) -> list[str]:
    return [line for line in watched.lines if line.startswith("■")]


STEPS = [
    "■ stage look: started, 2 agents in parallel, one must complete",
    "■ Pods: completed",
    "■ Metrics: completed",
    "■ stage look: completed",
    "■ stage look - Synthesis: started",
    "■ stage look - Synthesis: completed",
    "■ stage advise: started",
    "■ stage advise: completed",
    "■ stage Executive Summary: started",
    "■ stage Executive Summary: completed",
    "■ session: completed",
]


def test_stages_and_parallel_agents_are_told_as_they_begin_and_end(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events)
    assert steps(watched) == ["■ session: pending", "■ session: in progress", *STEPS]


def test_a_history_is_read_in_the_order_in_which_it_happened(watched: Watched, events: list[e.Event]) -> None:
    for payload in history(events):
        watched.screen.show(payload)
    assert steps(watched) == STEPS
    text = watched.text
    places = [text.index(what) for what in (STEPS[0], chain.PODS, STEPS[3], STEPS[4], chain.SYNTHESIS, STEPS[5])]
    assert places == sorted(places)
    watched.screen.show_interruption("gone")
    for payload in history(events):
        watched.screen.show(payload)
    assert watched.text.replace("(the connection was lost, trying again: gone)\n", "") == text


def test_where_several_agents_run_each_line_says_whose_it_is(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events)
    assert f"· Pods says\n{chain.PODS}" in watched.text
    assert f"· Metrics says\n{chain.METRICS}" in watched.text
    assert "Adviser" not in watched.text
    assert f"· says\n{chain.SYNTHESIS}" in watched.text


def test_a_tool_call_among_several_agents_says_whose_it_is(watched: Watched, events: list[e.Event]) -> None:
    call: dict[str, Any] = {
        "call_id": "c", "execution_id": EXECUTION, "llm_call_id": PODS, "server": "kubernetes", "tool": "pods_list",
        "arguments": {"namespace": "shop"}, "repeatable": True, "timeout_seconds": 60,
    }  # fmt: skip
    result = e.ToolCallCompleted(call_id="c", outcome="ok", content="six pods", size=8, lines=1)
    watched.live([*events[:BOTH_RUN], e.ToolCallRequested.model_validate(call), result])
    assert "→ Pods: kubernetes.pods_list(namespace=shop)\n← Pods: kubernetes.pods_list: ok, 1 line" in watched.text


def test_what_two_agents_say_at_once_is_read_one_after_the_other(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events[:BOTH_RUN])
    metrics = execution_id(STAGE, 2)
    for word in ("one ", "two ", "three "):
        watched.says(PODS, EXECUTION, f"pods-{word}")
        watched.says(METRICS, metrics, f"metrics-{word}")
    assert "metrics-one" not in watched.text
    watched.live([*events[:BOTH_RUN], chain.answered(chain.asked(S, 1, 1), "pods-one pods-two pods-three ")])
    watched.says(METRICS, metrics, "four ", "")
    assert "· Pods says\npods-one pods-two pods-three\n· Metrics says\nmetrics-one metrics-two metrics-three four" in (
        watched.text
    )


def test_an_analysis_is_not_repeated_when_another_agent_spoke_in_between(
    watched: Watched, events: list[e.Event]
) -> None:
    pods, _ = (event for event in events[:BOTH_RUN] if isinstance(event, e.ExecutionStarted))
    first, other = chain.asked(S, 1, 1), chain.asked(S, 1, 2)
    watched.live(events[:BOTH_RUN])
    watched.says(PODS, EXECUTION, "The ")
    watched.live([*events[:BOTH_RUN], chain.answered(other, chain.METRICS)])
    assert chain.METRICS not in watched.text
    watched.live(
        [
            *events[:BOTH_RUN], chain.answered(other, chain.METRICS), chain.answered(first, chain.PODS),
            chain.ended(pods, chain.PODS),
        ]
    )  # fmt: skip
    assert watched.text.index(chain.PODS) < watched.text.index(chain.METRICS)
    assert watched.text.count(chain.PODS) == 1


def test_who_falls_silent_lets_others_speak_and_goes_on_later(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events[:BOTH_RUN])
    watched.says(PODS, EXECUTION, "It ", "is ")
    watched.says(METRICS, execution_id(STAGE, 2), "Memory ", "grows ")
    watched.screen.idle()
    assert "Memory" not in watched.text
    watched.now += 3
    watched.screen.idle()
    assert "· Pods says\nIt is\n· Metrics says\nMemory" in watched.text
    watched.now += 3
    watched.says(PODS, EXECUTION, "full ", "")
    assert "grows\n· Pods says\nfull" in watched.text


def test_nobody_has_to_wait_for_ever_while_another_talks(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events[:BOTH_RUN])
    for number in range(1_200):
        watched.says(PODS, EXECUTION, f"p{number} ")
        watched.says(METRICS, execution_id(STAGE, 2), f"m{number} ")
    words = watched.text.split()
    assert 400 < words.index("m0") - words.index("p0") < 600
    assert words.index("m0") < words.index("m400") < words.index("p600")


def test_what_is_held_back_is_shown_before_the_connection_is_given_up(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events[:BOTH_RUN])
    watched.says(PODS, EXECUTION, "It ")
    watched.says(METRICS, execution_id(STAGE, 2), "Memory ", "")
    watched.screen.show_interruption("gone")
    assert watched.text.index("Memory") < watched.text.index("(the connection was lost")


def test_what_is_held_back_is_shown_before_the_session_is_cancelled(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events[:BOTH_RUN])
    watched.says(PODS, EXECUTION, "It ")
    watched.says(METRICS, execution_id(STAGE, 2), "Memory ", "")
    asked = e.RequestAccepted(request_id="r", request=e.CANCEL, author="ann")
    watched.live([*events[:BOTH_RUN], asked])
    assert watched.text.index("Memory") < watched.text.index("ann asked") < watched.text.index("■ session: cancelling")


def test_a_runbook_is_one_line(watched: Watched, events: list[e.Event]) -> None:
    watched.live(events)
    (place,) = (place for place, line in enumerate(watched.lines) if "runbook" in line)
    line = " ".join(" ".join(watched.lines[place : place + 2]).split())
    assert line == f"· runbook “Look at the memory” ({chain.RUNBOOK_URL}): 1 line, 20 bytes"


def test_a_runbook_that_could_not_be_fetched_says_why(watched: Watched) -> None:
    watched.live([chain.begun(), chain.first_stage(S), *chain.runbook(S, "tool_error", "HTTP 404.\nNo token.")])
    assert f"· runbook {chain.RUNBOOK_URL}: tool_error: HTTP 404. No token." in " ".join(watched.text.split())


def test_waits_fallbacks_and_attempts_that_are_repeated_are_quiet_lines(
    watched: Watched, events: list[e.Event]
) -> None:
    watched.live(events)
    text = " ".join(watched.text.split())
    assert "· Pods: an attempt failed: 429" in text
    assert "· Pods: gemini has too much to do (rate limit). It is asked again in 30 s (attempt 2)." in text
    assert "· Metrics: gemini did not answer (401). From here on claude is asked." in text


def test_what_the_limits_of_a_model_cost_is_a_line(watched: Watched, events: list[e.Event]) -> None:
    refused = chain.failed(chain.asked(S, 1, 1), "tools_refused", "bad schema", retryable=False)
    again = chain.asked(S, 1, 1, 2).model_copy(update={"tools_left_out": ("k8s__exec",)})
    watched.live([*events[:BOTH_RUN], refused, again])
    text = " ".join(watched.text.split())
    assert "· Pods: an attempt failed: bad schema" in text
    assert "! Pods: gemini does not take these tools: k8s__exec. The agent goes on without them." in text


def test_who_is_sent_is_told_with_the_task_and_the_analysis_is_that_of_the_sender(watched: Watched) -> None:
    lead, stage = chain.started(S, 1, 1, agent("Lead")), chain.first_stage(S)
    stage = stage.model_copy(update={"expected_agent_count": 1, "parallel_type": None})
    sent = {"parent_execution_id": lead.execution_id, "task": "errors\nin shop"}
    logs = chain.started(S, 1, 2, agent("Logs")).model_copy(update=sent)
    watched.live(
        [
            chain.begun(), stage, lead, chain.asked(S, 1, 1), chain.answered(chain.asked(S, 1, 1), "I send one."), logs,
            chain.asked(S, 1, 2), chain.answered(chain.asked(S, 1, 2), "none"), chain.ended(logs, "none"),
            chain.asked(S, 1, 1, 2), chain.answered(chain.asked(S, 1, 1, 2), "It leaks."),
            chain.ended(lead, "It leaks."), chain.stage_ended(stage),
            e.SessionCompleted(final_analysis="It leaks."),
        ]
    )  # fmt: skip
    assert steps(watched)[2:] == [
        "■ stage look: started", "■ Lead sends Logs: errors in shop", "■ Logs: completed", "■ Lead: completed",
        "■ stage look: completed", "■ session: completed",
    ]  # fmt: skip
    assert "· Logs says\nnone" in watched.text
    assert watched.text.count("It leaks.") == 1


def test_a_failure_that_nobody_repeats_is_an_error(watched: Watched, events: list[e.Event]) -> None:
    watched.live([*events[:BOTH_RUN], chain.failed(chain.asked(S, 1, 1), "credentials", "no key", retryable=False)])
    assert "· Pods: error\nno key" in watched.text


def test_an_agent_that_fails_among_several_says_why(watched: Watched, events: list[e.Event]) -> None:
    begun = next(event for event in events if isinstance(event, e.ExecutionStarted))
    watched.live([*events[:BOTH_RUN], chain.ended(begun, status="failed", error="no provider is left")])
    assert "■ Pods: failed\nno provider is left" in watched.text


def test_what_an_agent_said_last_stands_before_the_end_of_its_stage(watched: Watched, events: list[e.Event]) -> None:
    answered = max(place for place, event in enumerate(events, start=1) if isinstance(event, e.LlmCallCompleted))
    stage = [event for event in events if isinstance(event, e.StageStarted)][-1]
    watched.live([*events[:answered], chain.stage_ended(stage, "failed", "no provider is left")])
    assert watched.text.index(chain.SUMMARY) < watched.text.index("■ stage Executive Summary: failed")


def test_a_history_that_reaches_less_far_than_what_was_seen_takes_nothing_back(
    watched: Watched, events: list[e.Event]
) -> None:
    ended = next(place for place, event in enumerate(events, start=1) if isinstance(event, e.StageCompleted))
    watched.live(events[:ended])
    seen = steps(watched)
    watched.screen.show_interruption("gone")
    for payload in history(events[: ended - 3]):
        watched.screen.show(payload)
    assert steps(watched) == seen


def test_only_the_analysis_of_the_session_is_marked_and_its_summary_stands_last(
    watched: Watched, events: list[e.Event]
) -> None:
    watched.live(events)
    assert watched.text.count("final analysis") == watched.text.count("executive summary") == 1
    for analysis in (chain.PODS, chain.METRICS, chain.SYNTHESIS, chain.ADVICE, chain.SUMMARY):
        assert watched.text.count(analysis) == 1
    end = [line.strip("─ ") for line in watched.lines[-11:]]
    assert end == [
        "■ stage advise: completed",
        "final analysis",
        chain.ADVICE,
        "",
        "■ stage Executive Summary: started",
        "executive summary",
        chain.SUMMARY,
        "",
        "■ stage Executive Summary: completed",
        "■ session: completed",
        f"(limited evidence: {chain.LIMIT})",
    ]


def test_a_history_marks_the_same(watched: Watched, events: list[e.Event]) -> None:
    for payload in history(events):
        watched.screen.show(payload)
    assert watched.text.count("final analysis") == watched.text.count("executive summary") == 1
    assert watched.text.count(chain.ADVICE) == watched.text.count(chain.SUMMARY) == 1


def test_an_executive_summary_that_streamed_is_not_printed_again(watched: Watched, events: list[e.Event]) -> None:
    summary_asked = max(place for place, event in enumerate(events, start=1) if isinstance(event, e.LlmCallRequested))
    watched.live(events[:summary_asked])
    watched.says(SUMMARY, execution_id(stage_id(S, 4), 1), *(f"{word} " for word in chain.SUMMARY.split()))
    watched.live(events)
    assert watched.text.count("executive summary") == watched.text.count("Roll back.") == 1
    rule = watched.lines.index(next(line for line in watched.lines if "executive summary" in line))
    assert watched.lines[rule + 1] == chain.SUMMARY
    assert set(watched.lines[rule + 2]) == {"─"}


def test_a_session_without_its_summary_says_why(watched: Watched, events: list[e.Event]) -> None:
    end = e.SessionCompleted(final_analysis=chain.ADVICE, executive_summary_error="no provider is left")
    watched.live([*events[:-1], end])
    assert watched.text.endswith("■ session: completed\n(no executive summary: no provider is left)\n")


def test_a_partial_analysis_says_of_which_agent_and_why(watched: Watched) -> None:
    watched.live(chain.partial_chain(S))
    ended = watched.lines.index("■ Metrics: completed")
    assert watched.lines[ended + 1] == f"(partial analysis: {chain.FULL})"
    less = f"(partial analysis: Metrics: {chain.FULL})\n(limited evidence: {chain.LIMIT})\n"
    assert watched.text.endswith(f"■ session: completed\n{less}")


def test_analyses_that_nobody_joined_are_shown_as_the_session_tells_them(
    watched: Watched, events: list[e.Event]
) -> None:
    joined = f"## Pods\n\n{chain.PODS}\n\n## Metrics\n\n{chain.METRICS}"
    until = next(place for place, event in enumerate(events) if isinstance(event, e.StageCompleted)) + 1
    watched.live([*events[:until], e.SessionCompleted(final_analysis=joined)])
    assert watched.text.count("final analysis") == 1
    assert watched.text.index("final analysis") > watched.text.rindex("■ stage look: completed")


def test_a_place_in_the_queue_is_told_when_it_changes_until_its_turn_comes(
    watched: Watched, events: list[e.Event]
) -> None:
    watched.screen.show_queue_position(5)
    watched.live(events[:1])
    for position in (3, 3, 1, None):
        watched.screen.show_queue_position(position)
    watched.live(events[:2])
    watched.screen.show_queue_position(1)
    assert [line for line in watched.lines if "queue" in line] == [
        "· queued: number 3 in the queue",
        "· queued: number 1 in the queue",
    ]
