"""Sessions that the page is measured with, as a websocket-gateway sends them: three agents at once, and a long one."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.ids import execution_id, llm_call_id, stage_id, tool_call_id
from tarsy_testing.story.session_logs import SESSION, log_of
from tarsy_timeline.record.replay import replay
from tarsy_timeline.record.session_trace import trace_of
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import join_deltas

AGENTS = ("Pods", "Logs", "Metrics")
EVENTS_OF_AN_ITERATION = 5
WORDS = ("memory ", "grows ", "since ", "the ", "release, ", "and ", "the ", "limit ", "stayed.\n")
TEXT = "The pod runs out of **memory** since 03:00:\n\n- `kubectl -n shop rollout undo deploy/checkout`\n- wait."
RESULT = "2026-11-22T03:00:00Z api-7 ERROR the table does not fit into memory\n" * 40


def three_agents() -> list[e.Event]:
    """They have begun, and each asks its model."""
    return [_begun(AGENTS), _stage(len(AGENTS)), *(event for agent in (1, 2, 3) for event in _asking(agent))]


def long_session(events: int) -> list[e.Event]:
    """One agent in so many events, and their end."""
    iterations = [event for number in range(2, events // EVENTS_OF_AN_ITERATION) for event in _iteration(number)]
    ended = e.ExecutionCompleted(
        execution_id=_execution(1), stage_id=_STAGE, agent=AGENTS[0], index=1, status="completed", final_analysis=TEXT,
        error="", iterations=len(iterations), forced_conclusion=False,
    )  # fmt: skip
    stage = e.StageCompleted(stage_id=_STAGE, index=1, name="look", status="completed")
    return [
        _begun(AGENTS[:1]),
        _stage(1),
        _started(1),
        *iterations,
        ended,
        stage,
        e.SessionCompleted(final_analysis=TEXT),
    ]


class Messages:
    """Messages of a session, as its watchers get them."""

    def __init__(self, events: Sequence[e.Event]) -> None:
        self._feed = Feed()
        records = log_of(*events).accepted
        self.last_number = len(records)
        self.trace = trace_of(replay(records), SESSION, self.last_number).model_dump(mode="json")
        self.history = [one.text for record in records for one in self._feed.event(record)]

    def tokens(self, index: int) -> Iterator[str]:
        """One token of each agent."""
        for agent in (1, 2, 3):
            chunk = LlmChunk(
                call_id=llm_call_id(_execution(agent), 1, 1), execution_id=_execution(agent), run=1, index=index,
                part="text", text=WORDS[index % len(WORDS)],
            )  # fmt: skip
            for one in join_deltas(self._feed.chunk(SESSION, chunk, datetime.now(UTC), self.last_number)):
                yield one.text


_STAGE = stage_id(SESSION, 1)


def _execution(agent: int) -> str:
    return execution_id(_STAGE, agent)


def _begun(names: Sequence[str]) -> e.SessionStarted:
    agents = tuple(ResolvedAgent(name=name, llm_provider="m", max_iterations=1000) for name in names)
    chain = ResolvedChain(
        chain_id="crash", stages=(ResolvedStage(name="look", agents=agents),), summary_llm_provider="m"
    )
    return e.SessionStarted(
        input_id="i", alert=Alert(alert_type="crash", data="d", source="api", author="ann"), chain=chain
    )


def _stage(agents: int) -> e.StageStarted:
    return e.StageStarted(
        stage_id=_STAGE, index=1, name="look", chain_stage=0, expected_agent_count=agents, parallel_type="multi_agent",
        success_policy="any",
    )  # fmt: skip


def _started(agent: int) -> e.ExecutionStarted:
    return e.ExecutionStarted(
        execution_id=_execution(agent), stage_id=_STAGE, agent=AGENTS[agent - 1], index=agent, system="", prompt="",
        tools=(), llm_provider="m", max_iterations=1000,
    )  # fmt: skip


def _asking(agent: int) -> Iterator[e.Event]:
    yield _started(agent)
    yield _asked(agent, 1)


def _asked(agent: int, iteration: int) -> e.LlmCallRequested:
    return e.LlmCallRequested(
        llm_call_id=llm_call_id(_execution(agent), iteration, 1), execution_id=_execution(agent), iteration=iteration,
        attempt=1, purpose="iteration", llm_provider="m",
    )  # fmt: skip


def _iteration(number: int) -> Iterator[e.Event]:
    asked = _asked(1, number)
    call = tool_call_id(asked.llm_call_id, 0)
    yield asked
    yield e.LlmCallCompleted(
        llm_call_id=asked.llm_call_id, execution_id=asked.execution_id, thinking=f"Step {number}. {TEXT}", text=TEXT,
        tool_calls=(), usage=Usage(input_tokens=100, output_tokens=20), model="m1", duration_ms=5,
    )  # fmt: skip
    yield e.ToolCallRequested(
        call_id=call, execution_id=asked.execution_id, llm_call_id=asked.llm_call_id, server="kubernetes",
        tool="pods_log", arguments={"namespace": "shop", "name": f"checkout-{number}"}, repeatable=True,
        timeout_seconds=60,
    )  # fmt: skip
    yield e.ToolCallStarted(call_id=call, claim_id="c", worker_id="w")
    yield e.ToolCallCompleted(call_id=call, outcome="ok", content=RESULT, size=len(RESULT), lines=40)
