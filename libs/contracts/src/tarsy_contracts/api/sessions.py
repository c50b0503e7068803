"""REST answers about a session: its stages and executions, its status, its numbers. Keys are Go TARSy's."""

from pydantic import Field

from tarsy_contracts.actions import ActionOutcome, Verdict
from tarsy_contracts.alert import Priority
from tarsy_contracts.api.model import ApiModel, JsonObject, Timestamp
from tarsy_contracts.budgets import CostCompleteness
from tarsy_contracts.chain import ParallelType, SuccessPolicy
from tarsy_contracts.confidence import Confidence
from tarsy_contracts.events.execution import ExecutionFacts
from tarsy_contracts.native_calls import WebSource
from tarsy_contracts.review import Rating, ReviewStatus
from tarsy_contracts.timeline.model import SessionStatus, StepStatus


class SessionOverview(ApiModel):
    """A session, as every answer shows it. `last_number`: the number of the last event that the answer includes.

    `severity`, `cluster`, `namespace` and `workload` are null where the alert does not say them.
    """

    id: str
    alert_type: str
    title: str
    severity: str | None
    cluster: str | None = None
    namespace: str | None = None
    workload: str | None = None
    source: str
    chain_id: str
    status: SessionStatus
    author: str
    priority: Priority
    created_at: Timestamp
    last_number: int


class SessionActivity(ApiModel):
    """Activity of a running session. `stage` counts from 1; of `stages`, if all goes well.

    `agent` is the one that began something last, in its `iteration` of at most `iteration_limit`. `server` and `tool`
    are those of the call that it waits for; without them it waits for the model, or for its tools where `agent` is
    null, too. `since`: when that began.
    """

    stage: int
    stages: int
    stage_name: str
    agent: str | None
    iteration: int | None
    iteration_limit: int | None
    server: str | None
    tool: str | None
    since: Timestamp


class SessionTotals(SessionOverview):
    """A session with its totals, as lists and details show it. `duration_ms` is null while it runs.

    The stages that are counted are those of the investigation. Interactions and tokens are those of all executions,
    replies and summaries of long results included, also those that failed. `input_tokens` include what providers read
    from their caches (`cached_input_tokens`) and wrote to them (`cache_written_tokens`), `output_tokens` include
    `thinking_tokens`. `repeat_count`: how often the alert came again, the last time at `last_alert_at`.
    `parent_id`: the session that this one was run again from; null for an alert that came by itself.
    `approvals_waiting`: calls that wait for a person. `evidence_limits`: which agents had no tools of which servers, a
    sentence each.

    `outcome`: the first sentence of the executive summary, or else of the final analysis, as plain text of at most 200
    characters. It is null until the session has one. `now`: null while it does not run. `changed`: calls that may have
    changed something, as they ran and their tools are not read-only. `models`: those that answered agents.
    `llm_provider`: what the sender chose instead of the configuration. `cost`: of its tokens in US dollars, by the
    prices that are configured now; null where no model that it used has one (`estimated_cost_usd`: the same, by Go
    TARSy's name). `unpriced_interaction_count`: answers of models without a price. `partial_reason`: why its analysis
    is less than whole; null where each agent concluded itself. `chain_chosen_by`: the rule by which the chain was
    chosen, for people; empty in older sessions. `chain_unmatched`: it is the default, as none matched.
    `has_sub_agents`: an agent has sent another one. `has_action_stages`: its chain has stages that act.
    `action_verdict`: what they came to, the weightiest; null before one has ended. `actions_executed`: whether one
    changed something, or may have; null likewise. `session_labels`: `weekday`, `weekend` or `holiday`, `staffed` or
    `unstaffed`, and those that its executive summary gave it.

    `review_status`: of its review by people; null while it runs. `assignee`: who has claimed or done it.
    `quality_rating`: of the analysis, by a person. `review_cause`: the real cause, `investigation_feedback`: what else
    was said of it. `latest_score`: of a judge, 0 to 100; `scoring_status`: `not_scored`, `scoring_in_progress`,
    `scored` or `scoring_failed`. `confidence`: as the analysis itself says; null where it does not.
    """

    scripted: bool
    started_at: Timestamp | None
    completed_at: Timestamp | None
    duration_ms: int | None
    queue_position: int | None
    error_message: str | None
    executive_summary: str | None = None
    executive_summary_error: str | None = None
    partial_reason: str | None = None
    evidence_limits: tuple[str, ...] = ()
    session_labels: tuple[str, ...] = ()
    total_stages: int
    has_parallel_stages: bool
    has_sub_agents: bool = False
    llm_interaction_count: int
    mcp_interaction_count: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    thinking_tokens: int = 0
    cached_input_tokens: int = 0
    cache_written_tokens: int = 0
    provider_fallback_count: int
    completed_stages: int
    failed_stages: int
    current_stage_index: int | None
    current_stage_id: str | None
    chat_message_count: int = 0
    parent_id: str | None = None
    approvals_waiting: int = 0
    repeat_count: int = 0
    last_alert_at: Timestamp | None = None
    outcome: str | None = None
    now: SessionActivity | None = None
    changed: int = 0
    models: tuple[str, ...] = ()
    cost: float | None = None
    estimated_cost_usd: float | None = None
    cost_completeness: CostCompleteness = "none"
    unpriced_interaction_count: int = 0
    llm_provider: str | None = None
    chain_chosen_by: str = ""
    chain_unmatched: bool = False
    has_action_stages: bool = False
    action_verdict: Verdict | None = None
    actions_executed: bool | None = None
    review_status: ReviewStatus | None = None
    assignee: str | None = None
    quality_rating: Rating | None = None
    review_cause: str | None = None
    investigation_feedback: str | None = None
    reviewed_by: str | None = None
    reviewed_at: Timestamp | None = None
    latest_score: int | None = None
    scoring_status: str = "not_scored"
    confidence: Confidence | None = None


class StageExecution(ExecutionFacts, ApiModel):
    """One agent's run in a stage.

    The fields of a fallback are those of the last one; `original_llm_provider` was asked first. `number`: the event
    that changed it last. Interactions and tokens are those of the session's totals. `partial_reason`: why its analysis
    is less than whole; null where it concluded itself.
    """

    execution_id: str
    agent_name: str
    agent_index: int
    status: StepStatus
    error_message: str | None
    fallback_reason: str | None
    fallback_error_code: str | None
    fallback_attempt: int | None
    model_name: str | None
    llm_interaction_count: int
    mcp_interaction_count: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    thinking_tokens: int = 0
    cached_input_tokens: int = 0
    cache_written_tokens: int = 0
    started_at: Timestamp
    completed_at: Timestamp | None
    duration_ms: int | None
    number: int


class SessionStage(ApiModel):
    """One stage with the executions of its agents. `number`: the event that changed it last.

    `action`: what a stage that acts has done; null while it runs, and for all others. `actions_executed`: whether it
    changed something, or may have; null likewise.
    """

    id: str
    stage_name: str
    stage_index: int
    stage_type: str = "investigation"
    chain_stage: int | None = None
    status: StepStatus
    error_message: str | None
    expected_agent_count: int = 1
    parallel_type: ParallelType | None = None
    success_policy: SuccessPolicy | None = None
    referenced_stage_id: str | None = None
    started_at: Timestamp
    completed_at: Timestamp | None
    duration_ms: int | None
    number: int
    action: ActionOutcome | None = None
    actions_executed: bool | None = None
    executions: tuple[StageExecution, ...]


class SessionDetail(SessionTotals):
    """A session with its stages and executions. `mcp_selection`: what its sender chose instead of the configuration.
    `slack_message_fingerprint`: text of the Slack message that told of the alert. `labels`: what the alert's sender
    labelled it with besides, as `team`.

    `chat_enabled`: questions can be asked once it has ended. `chat_id` is null before the first one.
    `details_deleted_at`: when its timeline was deleted to make room; null while it is there. `reruns`: sessions that
    were run again from it, at most fifty. `sources`: the web pages that its models found and that texts of it can cite
    by their numbers (`[source 2]`). Titles and addresses come from outside.
    """

    alert_data: str
    labels: dict[str, str] = Field(default_factory=dict)
    final_analysis: str | None
    runbook_url: str | None
    mcp_selection: JsonObject | None
    slack_message_fingerprint: str | None = None
    chat_enabled: bool = True
    chat_id: str | None = None
    details_deleted_at: Timestamp | None = None
    reruns: tuple[str, ...] = ()
    sources: tuple[WebSource, ...] = ()
    stages: tuple[SessionStage, ...]


class SessionState(ApiModel):
    """The progress of a session, and its outcome."""

    id: str
    status: SessionStatus
    final_analysis: str | None
    executive_summary: str | None
    error_message: str | None
    queue_position: int | None
    last_number: int
    partial_reason: str | None = None


class ChainStatistics(ApiModel):
    """The stages of the investigation, without those of its chat."""

    total_stages: int
    completed_stages: int
    failed_stages: int
    current_stage_index: int | None


class SessionStatistics(ApiModel):
    """Numbers of a session. `total_duration_ms` is null while it runs, and when it never began.

    Costs are those of the session's totals.
    """

    session_id: str
    total_interactions: int
    llm_interactions: int
    mcp_interactions: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost_usd: float | None = None
    cost_completeness: CostCompleteness = "none"
    unpriced_interaction_count: int = 0
    total_duration_ms: int | None
    chain_statistics: ChainStatistics
    last_number: int
