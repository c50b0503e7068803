"""Prometheus metrics of the orchestrator."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter

from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events import (
    SESSION_ENDINGS,
    ApprovalOutcome,
    EndStatus,
    ExecutionStarted,
    Outcome,
    PhaseCompleted,
    ProviderFellBack,
    ReplyCompleted,
    SessionStarted,
    SummaryCompleted,
    ToolCallApprovalDecided,
    ToolCallCompleted,
)
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_llm.protocol import ErrorKind
from tarsy_orchestrator.action_metrics import ActionMetrics
from tarsy_orchestrator.budget_metrics import BudgetMetrics
from tarsy_orchestrator.outcome_metrics import OutcomeMetrics
from tarsy_orchestrator.skill_metrics import SkillMetrics
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_service.telemetry.metric_kinds import MetricKinds
from tarsy_session.llm_failures import OwnKind
from tarsy_session.phases import PHASES

OTHER = "other"
APPEND_SECONDS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20)
RECOVERY_SECONDS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300)
REPLY_SECONDS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900)
SESSION_SECONDS = (5, 15, 30, 60, 120, 300, 600, 1200, 2400, 7200)
FIRST_DELTA_SECONDS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)
LLM_SECONDS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300)
BATCH_EVENTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
BATCH_BYTES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, LIMIT_BYTES)
DEAD_REMEMBERED = 100

type LlmOutcome = Literal["ok"] | OwnKind | ErrorKind

type AsideReason = Literal["newer_input", "newer_event", "decision", "evolve", "work"]
type BurialReason = Literal["unreadable", "too_large", "ended"]

type Queue = Literal["tool-calls", "summaries"]

LLM_OUTCOMES: tuple[str, ...] = ("ok", *get_args(OwnKind.__value__), *get_args(ErrorKind.__value__))


class Metrics:
    def __init__(self, registry: CollectorRegistry, providers: Collection[str]) -> None:
        """`providers` are the LLM providers of the configuration: no other name becomes a label."""
        self._providers = frozenset(providers)
        self._dead: deque[str] = deque(maxlen=DEAD_REMEMBERED)
        make = MetricKinds(registry)
        self._sessions(make)
        self._chat(make)
        self._background(make)
        self._log(make)
        self._llm(make)
        self._calls(make)
        self.skills = SkillMetrics(registry)
        self.actions = ActionMetrics(registry)
        self.budgets = BudgetMetrics(registry)
        self.outcomes = OutcomeMetrics(registry)
        self.hops = HopTimes(registry)

    def know_providers(self, providers: Collection[str]) -> None:
        """These are labels from now on, too."""
        self._providers |= frozenset(providers)

    def _sessions(self, make: MetricKinds) -> None:
        self.partitions = make.gauge("tarsy_orchestrator_partitions_owned", "Partitions owned now")
        self.partitions_refused = make.gauge(
            "tarsy_orchestrator_partitions_refused",
            "Partitions that are not owned, as their log, heads or inbox do not fit each other",
        )
        self.partitions_wanted = make.gauge(
            "tarsy_orchestrator_partitions_wanted", "Partitions that need an owner, of all orchestrators"
        )
        self.sessions_open = make.gauge(
            "tarsy_orchestrator_sessions_open",
            "Sessions that investigate, wait for their turn or reply, of the partitions owned",
        )
        self.sessions_waiting = make.gauge(
            "tarsy_orchestrator_sessions_waiting", "Investigations that wait for their turn here"
        )
        self._waiting_age = make.gauge(
            "tarsy_orchestrator_waiting_session_age_seconds",
            "How long the investigation waits that has waited for its turn here for longest; 0 when none waits",
        )
        self._sessions_started = make.counter(
            "tarsy_orchestrator_sessions_started_total", "Investigations that began here"
        )
        self._sessions_ended = make.counter(
            "tarsy_orchestrator_sessions_ended_total", "Investigations that ended here, by status", ["status"]
        )
        self._session_duration = make.histogram(
            "tarsy_orchestrator_session_duration_seconds",
            "From the first event of an investigation to its last, by Kafka's stamps",
            ["status"],
            buckets=SESSION_SECONDS,
        )
        for type in sorted(SESSION_ENDINGS):
            self._sessions_ended.labels(_status(type))
        self.sessions_aside = make.gauge(
            "tarsy_orchestrator_sessions_aside",
            "Investigations that are set aside, of the partitions owned: they wait for an operator",
        )
        self._set_aside = make.counter(
            "tarsy_orchestrator_sessions_set_aside_total",
            "Investigations that were set aside here, by reason",
            ["reason"],
        )
        for reason in get_args(AsideReason.__value__):
            self._set_aside.labels(reason)

    def _chat(self, make: MetricKinds) -> None:
        self._replies = make.counter(
            "tarsy_orchestrator_chat_replies_total", "Replies to questions that ended here, by status", ["status"]
        )
        self._reply_duration = make.histogram(
            "tarsy_orchestrator_chat_reply_duration_seconds",
            "From a question to the end of its reply, by Kafka's stamps",
            ["status"],
            buckets=REPLY_SECONDS,
        )
        for status in get_args(EndStatus.__value__):
            self._replies.labels(status)

    def _background(self, make: MetricKinds) -> None:
        self._phases = make.counter(
            "tarsy_orchestrator_phases_total",
            "Phases after the end of an investigation that ended here, by phase and status",
            ["phase", "status"],
        )
        self._sub_agents = make.counter(
            "tarsy_orchestrator_sub_agents_started_total", "Sub-agents that agents have sent"
        )
        self.phases_waiting = make.gauge(
            "tarsy_orchestrator_phases_waiting", "Phases after the end of an investigation that wait for their turn"
        )

    def _log(self, make: MetricKinds) -> None:
        self.inputs_decided = make.counter(
            "tarsy_orchestrator_inputs_decided_total", "Inputs decided, by type", ["type"]
        )
        self.decisions_lost = make.counter(
            "tarsy_orchestrator_decisions_lost_total",
            "Decisions that lost against another owner's, and were made again",
        )
        self.records_dropped = make.counter(
            "tarsy_orchestrator_records_dropped_total",
            "Records of the log that continue no chain: written by a zombie, or twice",
        )
        self.append_duration = make.histogram(
            "tarsy_orchestrator_append_duration_seconds",
            "From the append of a batch to the moment when it was read back",
            buckets=APPEND_SECONDS,
        )
        self._batch_events = make.histogram(
            "tarsy_orchestrator_batch_events", "Events appended in one batch", buckets=BATCH_EVENTS
        )
        self._batch_bytes = make.histogram(
            "tarsy_orchestrator_batch_bytes", "Bytes appended in one batch", buckets=BATCH_BYTES
        )
        self.recovery_duration = make.histogram(
            "tarsy_orchestrator_recovery_duration_seconds",
            "From an assignment of partitions to deciding again",
            buckets=RECOVERY_SECONDS,
        )
        self._inbox_lag = make.gauge(
            "tarsy_orchestrator_inbox_lag_seconds",
            "Age of the oldest input that was read and whose decision has not come back; 0 when none waits",
            ["partition"],
        )
        self._inputs_held = make.gauge(
            "tarsy_orchestrator_inputs_held", "Inputs that wait because their investigation is set aside"
        )
        self._held_age = make.gauge(
            "tarsy_orchestrator_held_input_age_seconds",
            "Age of the oldest input whose investigation is set aside; 0 without any",
        )
        self._buried = make.counter(
            "tarsy_orchestrator_dead_letters_total",
            "Inputs that went to the dead letters, by reason; ended counts an operator's decision once",
            ["reason"],
        )
        for reason in get_args(BurialReason.__value__):
            self._buried.labels(reason)

    def _llm(self, make: MetricKinds) -> None:
        self._llm_calls = make.counter(
            "tarsy_orchestrator_llm_calls_total",
            "LLM calls that ended, by provider and outcome; one that was cancelled is not counted",
            ["provider", "outcome"],
        )
        self._native_calls = make.counter(
            "tarsy_orchestrator_native_tool_calls_total",
            "Uses of tools that the provider of a model ran itself, within its answers",
            ["provider", "tool"],
        )
        self._web_searches = make.counter(
            "tarsy_orchestrator_llm_web_searches_total",
            "Web searches that providers counted in answers; each may have a price",
            ["provider"],
        )
        self.llm_running = make.gauge("tarsy_orchestrator_llm_calls_running", "LLM calls that run now")
        self._llm_duration = make.histogram(
            "tarsy_orchestrator_llm_call_duration_seconds",
            "From wanting a call to its end, the wait for a place included",
            ["provider"],
            buckets=LLM_SECONDS,
        )
        self._llm_first_delta = make.histogram(
            "tarsy_orchestrator_llm_first_delta_seconds",
            "From asking a model to the first piece of its answer",
            ["provider"],
            buckets=FIRST_DELTA_SECONDS,
        )
        self._input_tokens = make.counter(
            "tarsy_orchestrator_llm_input_tokens_total",
            "Tokens that models were given, those from caches included, as providers count them",
            ["provider"],
        )
        self._output_tokens = make.counter(
            "tarsy_orchestrator_llm_output_tokens_total",
            "Tokens that models answered with, thoughts included, as providers count them",
            ["provider"],
        )
        self._thinking_tokens = make.counter(
            "tarsy_orchestrator_llm_thinking_tokens_total",
            "Tokens of output that models thought with, as providers count them",
            ["provider"],
        )
        self._cached_tokens = make.counter(
            "tarsy_orchestrator_llm_cached_input_tokens_total",
            "Tokens of input that providers read from their caches",
            ["provider"],
        )
        self._cache_written_tokens = make.counter(
            "tarsy_orchestrator_llm_cache_written_tokens_total",
            "Tokens of input that providers wrote to their caches, where they say so",
            ["provider"],
        )
        self._fallbacks = make.counter(
            "tarsy_orchestrator_llm_fallbacks_total",
            "Executions that went on with another provider, by the one that was given up",
            ["provider"],
        )
        self._llm_calls_of, self._llm_duration_of = cache(self._llm_calls.labels), cache(self._llm_duration.labels)
        self._llm_first_delta_of, self._tokens_of = cache(self._llm_first_delta.labels), cache(self._token_counters)
        for provider in self._providers:
            self._fallbacks.labels(provider)
            for outcome in LLM_OUTCOMES:
                self._llm_calls.labels(provider, outcome)

    def _calls(self, make: MetricKinds) -> None:
        self._tool_calls = make.counter(
            "tarsy_orchestrator_tool_calls_total", "Tool calls that ended, by the outcome on record", ["outcome"]
        )
        self._summaries_reused = make.counter(
            "tarsy_orchestrator_summaries_reused_total",
            "Summaries of results for which no model was asked, as an earlier result of the agent was the same",
        )
        self._approvals = make.counter(
            "tarsy_orchestrator_approvals_total",
            "Waits of tool calls for a person that ended, by how they ended",
            ["outcome"],
        )
        for ending in get_args(ApprovalOutcome.__value__):
            self._approvals.labels(ending)
        self.requests_published = make.counter(
            "tarsy_orchestrator_requests_published_total", "Requests put into a queue, repeats included", ["topic"]
        )
        self.requests_republished = make.counter(
            "tarsy_orchestrator_requests_republished_total",
            "Requests put into a queue again: nobody had claimed them, or they were given back",
            ["topic"],
        )
        self._workers_dead = make.counter(
            "tarsy_orchestrator_workers_declared_dead_total",
            "Workers whose calls were taken from them; each owner counts those that worked for it",
        )
        self.outbox_dropped = make.counter(
            "tarsy_orchestrator_outbox_dropped_total",
            "Requests and answers dropped because too many waited for Kafka; they are sent again later",
        )
        for outcome in get_args(Outcome.__value__):
            self._tool_calls.labels(outcome)
        for queue in get_args(Queue.__value__):
            self.requests_published.labels(queue)
            self.requests_republished.labels(queue)

    def record_event(self, record: RecordedEvent, opened_at: datetime | None) -> None:
        """Counts an event of a decision of ours that came back: of several owners only one counts it."""
        type = record.envelope.type
        self.skills.record_event(record.event)
        self.actions.record_event(record.event)
        self.budgets.record_event(record.event)
        match record.event:
            case SessionStarted():
                self._sessions_started.inc()
            case ToolCallCompleted(outcome=outcome):
                self._tool_calls.labels(outcome).inc()
            case SummaryCompleted(reused_from=earlier) if earlier:
                self._summaries_reused.inc()
            case ToolCallApprovalDecided(outcome=ending):
                self._approvals.labels(ending).inc()
            case ProviderFellBack(from_provider=provider):
                self._fallbacks.labels(self._known(provider)).inc()
            case ReplyCompleted(status=status):
                self._count_reply(status, None if opened_at is None else record.appended_at - opened_at)
            case ExecutionStarted(parent_execution_id=parent) if parent:
                self._sub_agents.inc()
            case PhaseCompleted(phase=phase, status=status):
                self._phases.labels(phase if phase in PHASES else OTHER, status).inc()
            case _ if type in SESSION_ENDINGS:
                self._count_end(_status(type), None if opened_at is None else record.appended_at - opened_at)
            case _:
                pass

    def _count_end(self, status: str, lasted: timedelta | None) -> None:
        self._sessions_ended.labels(status).inc()
        if lasted is not None:
            self._session_duration.labels(status).observe(lasted.total_seconds())

    def _count_reply(self, status: EndStatus, lasted: timedelta | None) -> None:
        self._replies.labels(status).inc()
        if lasted is not None:
            self._reply_duration.labels(status).observe(lasted.total_seconds())

    def count_set_aside(self, reason: AsideReason) -> None:
        self._set_aside.labels(reason).inc()

    def count_dead_letter(self, reason: BurialReason) -> None:
        self._buried.labels(reason).inc()

    def observe_batch(self, events: int, bytes: int) -> None:
        self._batch_events.observe(events)
        self._batch_bytes.observe(bytes)

    def update_held(self, since: Sequence[datetime], now: datetime) -> None:
        self._inputs_held.set(len(since))
        self._held_age.set(_age(min(since, default=None), now))

    def update_inbox_lag(self, oldest: Mapping[int, datetime | None], now: datetime) -> None:
        """`oldest`: when the oldest input that waits came, of each partition that is owned."""
        self._inbox_lag.clear()
        for partition, since in oldest.items():
            self._inbox_lag.labels(str(partition)).set(_age(since, now))

    def update_waiting(self, oldest: datetime | None, now: datetime) -> None:
        self._waiting_age.set(_age(oldest, now))

    def observe_llm_call(self, provider: str, outcome: LlmOutcome, seconds: float) -> None:
        self._llm_calls_of(self._known(provider), outcome).inc()
        self._llm_duration_of(self._known(provider)).observe(seconds)

    def observe_first_delta(self, provider: str, seconds: float) -> None:
        self._llm_first_delta_of(self._known(provider)).observe(seconds)

    def count_tokens(self, provider: str, usage: Usage) -> None:
        counted = (
            usage.input_tokens,
            usage.output_tokens,
            usage.thinking_tokens,
            usage.cached_input_tokens,
            usage.cache_written_tokens,
        )
        for counter, tokens in zip(self._tokens_of(self._known(provider)), counted, strict=True):
            counter.inc(tokens or 0)
        if usage.web_searches:
            self._web_searches.labels(self._known(provider)).inc(usage.web_searches)

    def count_native_call(self, provider: str, tool: str) -> None:
        self._native_calls.labels(self._known(provider), tool if tool in NATIVE_TOOLS else OTHER).inc()

    def _token_counters(self, provider: str) -> tuple[Counter, ...]:
        """In the order of `count_tokens`."""
        counters = (
            self._input_tokens,
            self._output_tokens,
            self._thinking_tokens,
            self._cached_tokens,
            self._cache_written_tokens,
        )
        return tuple(counter.labels(provider) for counter in counters)

    def count_dead_worker(self, worker_id: str) -> None:
        """Counts a worker once, however many calls it had."""
        if worker_id not in self._dead:
            self._dead.append(worker_id)
            self._workers_dead.inc()

    def _known(self, provider: str) -> str:
        return provider if provider in self._providers else OTHER


def _age(since: datetime | None, now: datetime) -> float:
    """Kafka's clock may be ahead of ours."""
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


def _status(ending: str) -> str:
    return ending.removeprefix("session.")
