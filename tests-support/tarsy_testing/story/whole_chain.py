"""The log of a whole chain, as a list: what readers of it are tested with, without an orchestrator.

Two agents in parallel (one waits for its provider, the other falls back), their synthesis, a second stage, and the
executive summary; the runbook is fetched meanwhile.
"""

from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert, McpSelection, McpServerSelection
from tarsy_contracts.chain import Controller, ResolvedAgent, ResolvedChain, ResolvedStage, StageType
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.ids import execution_id, llm_call_id, runbook_call_id, stage_id

RUNBOOK_URL = "https://example.test/runbooks/crash.md"
ALERT = Alert(
    alert_type="pod-crash",
    data="pod api-7 crashes",
    source="api",
    author="ann",
    title="Crash",
    severity="critical",
    runbook_url=RUNBOOK_URL,
    mcp=McpSelection(servers=(McpServerSelection(name="kubernetes", tools=("pods_list",)),)),
)


def _agent(name: str, controller: Controller = "function_calling") -> ResolvedAgent:
    return ResolvedAgent(name=name, llm_provider="gemini", max_iterations=20, controller=controller)


CHAIN = ResolvedChain(
    chain_id="crash",
    stages=(
        ResolvedStage(
            name="look", agents=(_agent("Pods"), _agent("Metrics")), synthesis=_agent("Synthesis", "single_shot")
        ),
        ResolvedStage(name="advise", agents=(_agent("Adviser", "react"),)),
    ),
    summary_llm_provider="gemini",
    executive_summary=_agent("Summary", "single_shot"),
    default_runbook="Look at the pods.",
)
PODS, METRICS, SYNTHESIS = "The pod runs out of memory.", "Memory grows since 03:00.", "It leaks memory since 03:00."
ADVICE, SUMMARY = "Roll back to v2.13.", "A memory leak. Roll back."
FULL = "gemini answered 400: the context is full"
LIMIT = "Logs has no tools of the MCP server loki: it lists none."


def begun() -> e.SessionStarted:
    """Until its first stage, a session waits in the queue."""
    return e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN)


def runbook(session: str, outcome: e.Outcome = "ok", content: str = "# Look at the memory") -> Iterator[e.Event]:
    call = runbook_call_id(session)
    yield e.ToolCallRequested(
        call_id=call, execution_id="", llm_call_id="", server="tarsy", tool="fetch_runbook",
        arguments={"url": RUNBOOK_URL}, repeatable=True, timeout_seconds=60, purpose="runbook",
    )  # fmt: skip
    yield e.ToolCallStarted(call_id=call, claim_id="c", worker_id="w")
    yield e.ToolCallCompleted(call_id=call, outcome=outcome, content=content, size=len(content), lines=1)


def whole_chain(session: str) -> list[e.Event]:
    """The first stage runs after the first event, both of its agents after the sixth."""
    return [begun(), *_look(session), *_alone(session, 2), *_alone(session, 3), *_alone(session, 4), _completed()]


def partial_chain(session: str) -> list[e.Event]:
    """The chain as it would have been if the context of one agent had been full."""
    return [_partial(event) for event in whole_chain(session)]


def _partial(event: e.Event) -> e.Event:
    match event:
        case e.ExecutionCompleted(agent="Metrics"):
            return event.model_copy(update={"partial_reason": FULL})
        case e.SessionCompleted():
            return event.model_copy(update={"partial_reason": f"Metrics: {FULL}"})
        case _:
            return event


def asked(
    session: str, stage: int, agent: int, attempt: int = 1, provider: str = "gemini", **wait: float
) -> e.LlmCallRequested:
    execution = execution_id(stage_id(session, stage), agent)
    return e.LlmCallRequested.model_validate(
        {
            "llm_call_id": llm_call_id(execution, 1, attempt), "execution_id": execution, "iteration": 1,
            "attempt": attempt, "purpose": "iteration", "llm_provider": provider, **wait,
        }
    )  # fmt: skip


def failed(asked: e.LlmCallRequested, kind: str, error: str, *, retryable: bool) -> e.LlmCallFailed:
    return e.LlmCallFailed(
        llm_call_id=asked.llm_call_id, execution_id=asked.execution_id, error=error, retryable=retryable, kind=kind
    )


def answered(asked: e.LlmCallRequested, text: str) -> e.LlmCallCompleted:
    return e.LlmCallCompleted(
        llm_call_id=asked.llm_call_id, execution_id=asked.execution_id, thinking="", text=text, tool_calls=(),
        usage=Usage(input_tokens=100, output_tokens=20), model="m1", duration_ms=5,
    )  # fmt: skip


def started(session: str, stage: int, agent: int, resolved: ResolvedAgent) -> e.ExecutionStarted:
    place = stage_id(session, stage)
    return e.ExecutionStarted(
        execution_id=execution_id(place, agent), stage_id=place, agent=resolved.name, index=agent, system="",
        prompt="", tools=(), llm_provider=resolved.llm_provider, controller=resolved.controller,
        max_iterations=resolved.max_iterations,
    )  # fmt: skip


def ended(
    begun: e.ExecutionStarted,
    analysis: str = "",
    status: e.EndStatus = "completed",
    error: str = "",
    used: int = 1,
    kind: StageType = "investigation",
) -> e.ExecutionCompleted:
    return e.ExecutionCompleted(
        execution_id=begun.execution_id, stage_id=begun.stage_id, agent=begun.agent, index=begun.index, status=status,
        final_analysis=analysis, error=error, iterations=used, forced_conclusion=used == 20,
        stage_type=kind,
    )  # fmt: skip


def stage_ended(begun: e.StageStarted, status: e.EndStatus = "completed", error: str = "") -> e.StageCompleted:
    return e.StageCompleted(stage_id=begun.stage_id, index=begun.index, name=begun.name, status=status, error=error)


def first_stage(session: str) -> e.StageStarted:
    return e.StageStarted(
        stage_id=stage_id(session, 1), index=1, name="look", chain_stage=0, expected_agent_count=2,
        parallel_type="multi_agent", success_policy="any",
    )  # fmt: skip


def _look(session: str) -> Iterator[e.Event]:
    stage = first_stage(session)
    pods, metrics = (started(session, 1, place, agent) for place, agent in enumerate(CHAIN.stages[0].agents, start=1))
    first, other = asked(session, 1, 1), asked(session, 1, 2)
    again = asked(session, 1, 1, 2, wait_seconds=30, rate_limited=True)
    elsewhere = asked(session, 1, 2, 2, "claude")
    yield from (stage, *runbook(session), pods, metrics, first, other)
    yield failed(first, "rate_limit", "429", retryable=True)
    yield again
    yield failed(other, "credentials", "401", retryable=False)
    yield e.ProviderFellBack(
        execution_id=metrics.execution_id, from_provider="gemini", to_provider="claude", kind="credentials", error="401"
    )
    yield from (elsewhere, answered(again, PODS), ended(pods, PODS))
    yield from (answered(elsewhere, METRICS), ended(metrics, METRICS, used=20), stage_ended(stage))


def _alone(session: str, index: int) -> Iterator[e.Event]:
    """A stage of one agent that answers at once: the synthesis, the second of the plan, the executive summary."""
    names: dict[int, tuple[str, StageType, int | None, ResolvedAgent | None, str]] = {
        2: ("look - Synthesis", "synthesis", 0, CHAIN.stages[0].synthesis, SYNTHESIS),
        3: ("advise", "investigation", 1, CHAIN.stages[1].agents[0], ADVICE),
        4: ("Executive Summary", "exec_summary", None, CHAIN.executive_summary, SUMMARY),
    }
    name, kind, place, resolved, text = names[index]
    assert resolved is not None
    stage = e.StageStarted(
        stage_id=stage_id(session, index), index=index, name=name, stage_type=kind, chain_stage=place,
        referenced_stage_id=stage_id(session, 1) if kind == "synthesis" else None,
    )  # fmt: skip
    agent, question = started(session, index, 1, resolved), asked(session, index, 1)
    yield from (stage, agent, question, answered(question, text))
    yield from (ended(agent, text, kind=kind), stage_ended(stage))


def _completed() -> e.SessionCompleted:
    return e.SessionCompleted(final_analysis=ADVICE, executive_summary=SUMMARY, evidence_limits=(LIMIT,))
