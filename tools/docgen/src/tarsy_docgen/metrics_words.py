"""Texts of the page of metrics beside the metrics themselves. A test checks every name in here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from tarsy_bus.metrics import WriteOutcome
from tarsy_contracts.alert import ALERT_SOURCES
from tarsy_contracts.api.dead_letters import RedriveOutcome
from tarsy_contracts.events import EVENTS, SESSION_ENDINGS, ApprovalOutcome, EndStatus, Outcome
from tarsy_contracts.inputs import INPUTS, LlmCallReported, SessionAdmitted, ToolsOffered
from tarsy_contracts.topics import LOG_PARTITIONS, Topics
from tarsy_ingest.alert_formats import FORMATS
from tarsy_ingest.metrics import REFUSED_WITH, AlertOutcome, BurialReason
from tarsy_mcp_api.metrics import CallEnd
from tarsy_mcp_api.server import TOOLS
from tarsy_notifier.metrics import NotificationOutcome
from tarsy_orchestrator.metrics import LLM_OUTCOMES, AsideReason, Queue
from tarsy_orchestrator.metrics import BurialReason as OrchestratorBurialReason
from tarsy_service.bounded_http import REFUSALS
from tarsy_service.http_metrics import METHODS, Denial
from tarsy_service.model_metrics import CHAT, TOKEN_TYPES
from tarsy_summarizer.metrics import LLM_OUTCOMES as SUMMARIZER_LLM_OUTCOMES
from tarsy_summarizer.metrics import SummaryOutcome
from tarsy_timeline.metrics import ReadOutcome, ResultRead
from tarsy_timeline.system.server_warnings import CATEGORIES
from tarsy_tool_gateway.mcp.failures import RETRIED
from tarsy_tool_gateway.mcp.health import SessionEnd
from tarsy_websocket_gateway.metrics import DropReason


def _of(literal: Any) -> tuple[str, ...]:
    values: tuple[str, ...] = get_args(literal.__value__)
    return values


TOPICS = tuple(topic.name.removeprefix("tarsy.") for topic in Topics("tarsy").all())

CONFIGURED = ("ingest", "orchestrator", "tool-gateway", "summarizer", "notifier")
"""Services that run by tarsy.yaml."""

ASKERS = ("orchestrator", "summarizer")
"""Services that ask models."""

LABELS: Mapping[str, str] = {
    "category": "what it is about",
    "door": "the door that the sender came to; api: `/api/v1/alerts`",
    "error_type": "the kind of failure, as the calls' own metric has it among its outcomes; empty when it went well",
    "gen_ai_operation_name": "what was asked for",
    "gen_ai_provider_name": "who serves the model, in OpenTelemetry's words, or `other`",
    "gen_ai_request_model": "the model of a provider of the configuration, or `other`",
    "gen_ai_token_type": "what was counted",
    "kind": "what was asked for",
    "loop": "a long-lived loop of the service, such as `projector`: docs/operations/loop-stalled.md",
    "method": f"{', '.join(METHODS)}, or `other`",
    "outcome": "how it ended",
    "partition": f"0 to {LOG_PARTITIONS - 1}, or what the first `tarsy topics apply` was told",
    "phase": "a phase after the end of this version, or `other`",
    "provider": "an LLM provider of the configuration, or `other`",
    "reason": "why",
    "receiver": "a receiver of the configuration",
    "route": "the template of a route, such as `/api/v1/sessions/{session_id}`, or `other`",
    "server": "an MCP server of the configuration, `tarsy` for the gateway's own tools, or `other`",
    "service": "ingest, orchestrator, tool-gateway, summarizer, timeline, websocket-gateway, notifier",
    "source": "where it came from",
    "status": "HTTP's code",
    "tool": "a tool that TARSy offers over MCP",
    "topic": "a topic's name without its prefix",
    "type": "a message type of the contracts, or `other`",
    "version": "of the service",
}
"""All labels that there may be, and what their values are."""

STATUSES = sorted(one.removeprefix("session.") for one in SESSION_ENDINGS)

VALUES: Mapping[tuple[str, str], Sequence[str]] = {
    ("tarsy_ingest_alerts_total", "source"): tuple(dict.fromkeys((*ALERT_SOURCES, *(form.source for form in FORMATS)))),
    ("tarsy_ingest_alerts_total", "outcome"): _of(AlertOutcome),
    ("tarsy_ingest_dead_letters_total", "reason"): _of(BurialReason),
    ("tarsy_ingest_refusals_total", "door"): ("api", *(form.source for form in FORMATS)),
    ("tarsy_ingest_refusals_total", "status"): tuple(map(str, REFUSED_WITH)),
    ("tarsy_timeline_dead_letters_redriven_total", "outcome"): _of(RedriveOutcome),
    ("tarsy_orchestrator_inputs_decided_total", "type"): (
        *INPUTS,
        LlmCallReported.type,
        ToolsOffered.type,
        SessionAdmitted.type,
    ),
    ("tarsy_orchestrator_sessions_set_aside_total", "reason"): _of(AsideReason),
    ("tarsy_orchestrator_dead_letters_total", "reason"): _of(OrchestratorBurialReason),
    ("tarsy_orchestrator_sessions_ended_total", "status"): STATUSES,
    ("tarsy_orchestrator_session_duration_seconds", "status"): STATUSES,
    ("tarsy_orchestrator_chat_replies_total", "status"): _of(EndStatus),
    ("tarsy_orchestrator_chat_reply_duration_seconds", "status"): _of(EndStatus),
    ("tarsy_orchestrator_phases_total", "status"): _of(EndStatus),
    ("tarsy_orchestrator_llm_calls_total", "outcome"): LLM_OUTCOMES,
    ("tarsy_orchestrator_tool_calls_total", "outcome"): _of(Outcome),
    ("tarsy_orchestrator_approvals_total", "outcome"): _of(ApprovalOutcome),
    ("tarsy_orchestrator_requests_published_total", "topic"): _of(Queue),
    ("tarsy_orchestrator_requests_republished_total", "topic"): _of(Queue),
    ("tarsy_tool_gateway_calls_total", "outcome"): _of(Outcome),
    ("tarsy_tool_gateway_call_retries_total", "reason"): RETRIED,
    ("tarsy_tool_gateway_sessions_ended_total", "reason"): _of(SessionEnd),
    ("tarsy_summarizer_summaries_total", "outcome"): _of(SummaryOutcome),
    ("tarsy_notifier_notifications_total", "outcome"): _of(NotificationOutcome),
    ("tarsy_summarizer_llm_calls_total", "outcome"): SUMMARIZER_LLM_OUTCOMES,
    ("tarsy_timeline_events_projected_total", "type"): (*EVENTS, "other"),
    ("tarsy_timeline_mcp_calls_total", "tool"): TOOLS,
    ("tarsy_timeline_mcp_calls_total", "outcome"): _of(CallEnd),
    ("tarsy_http_refused_total", "reason"): REFUSALS,
    ("tarsy_http_denied_total", "reason"): _of(Denial),
    ("tarsy_timeline_unprojected_total", "type"): (*EVENTS, "other"),
    ("tarsy_timeline_result_reads_total", "kind"): _of(ResultRead),
    ("tarsy_timeline_result_reads_total", "outcome"): _of(ReadOutcome),
    ("tarsy_timeline_warnings", "category"): CATEGORIES,
    ("tarsy_websocket_gateway_clients_dropped_total", "reason"): _of(DropReason),
    ("tarsy_kafka_records_total", "outcome"): _of(WriteOutcome),
    ("tarsy_kafka_records_total", "topic"): TOPICS,
    ("tarsy_config_loaded_timestamp_seconds", "service"): CONFIGURED,
    ("tarsy_config_reload_failed", "service"): CONFIGURED,
    ("tarsy_kafka_misplaced_records_total", "topic"): ("heads", "held"),
    ("tarsy_kafka_unparsable_records_total", "topic"): TOPICS,
    ("tarsy_kafka_write_duration_seconds", "topic"): TOPICS,
    ("gen_ai_client_operation_duration_seconds", "service"): ASKERS,
    ("gen_ai_client_operation_duration_seconds", "gen_ai_operation_name"): (CHAT,),
    ("gen_ai_client_token_usage", "service"): ASKERS,
    ("gen_ai_client_token_usage", "gen_ai_operation_name"): (CHAT,),
    ("gen_ai_client_token_usage", "gen_ai_token_type"): TOKEN_TYPES,
}
"""Where all values of a label are known."""


@dataclass(frozen=True, slots=True)
class Look:
    when: str
    metrics: tuple[str, ...]
    what: str


LOOKS: Sequence[Look] = (
    Look(
        "alerts are sent and no investigation begins",
        (
            "tarsy_ingest_alerts_total",
            "tarsy_ingest_dead_letters_total",
            "tarsy_ingest_alerts_topic_failing",
            "tarsy_orchestrator_sessions_started_total",
        ),
        "`refused` and `dead_letter`: the sender's form is wrong. `not_written`: Kafka does not take the alert, the "
        "sender has to repeat it. All `queued` and none started: the owners do not decide, see the next line",
    ),
    Look(
        "nothing is decided",
        (
            "tarsy_orchestrator_partitions_owned",
            "tarsy_orchestrator_partitions_wanted",
            "tarsy_orchestrator_inbox_lag_seconds",
            "tarsy_orchestrator_inputs_decided_total",
            "tarsy_orchestrator_append_duration_seconds",
            "tarsy_orchestrator_recovery_duration_seconds",
            "tarsy_orchestrator_partitions_refused",
        ),
        "the owners' sum must be what is wanted. Less: no orchestrator runs, or one recovers, or partitions are "
        "refused (see [a partition that is refused](../operations/partition-refused.md)). All owned, but "
        "appends take seconds: Kafka is slow; the lag of the inbox says for how long inputs wait",
    ),
    Look(
        "some sessions stand still and others go on",
        (
            "tarsy_orchestrator_sessions_aside",
            "tarsy_orchestrator_sessions_set_aside_total",
            "tarsy_orchestrator_inputs_held",
            "tarsy_orchestrator_held_input_age_seconds",
        ),
        "above 0: they are set aside, because a newer service has written what this orchestrator does not know, or "
        "because its code failed for them. `tarsy session held` names them; nothing is lost meanwhile, see "
        "[sessions that are set aside](../operations/sessions-set-aside.md)",
    ),
    Look(
        "investigations take long or fail",
        (
            "tarsy_orchestrator_waiting_session_age_seconds",
            "tarsy_orchestrator_session_duration_seconds",
            "tarsy_orchestrator_sessions_ended_total",
            "tarsy_orchestrator_llm_call_duration_seconds",
            "tarsy_tool_gateway_call_duration_seconds",
        ),
        "an investigation is mostly waiting: for the model, or for a tool. The slower of the two is the cause",
    ),
    Look(
        "a model misbehaves",
        (
            "tarsy_orchestrator_llm_calls_total",
            "tarsy_orchestrator_llm_first_delta_seconds",
            "tarsy_orchestrator_llm_calls_running",
        ),
        "`credentials`: the key. `rate_limited`: the quota. `provider_error`, `first_chunk_timeout`, `stalled`, "
        "`cut_off`: the provider, or the way to it. Calls that run at TARSY_LLM_CALLS_AT_ONCE: others wait for a place",
    ),
    Look(
        "tokens cost too much",
        (
            "tarsy_orchestrator_llm_input_tokens_total",
            "tarsy_orchestrator_llm_output_tokens_total",
            "tarsy_orchestrator_llm_cached_input_tokens_total",
            "tarsy_summarizer_llm_input_tokens_total",
            "tarsy_summarizer_llm_output_tokens_total",
        ),
        "the orchestrator's input grows with every iteration: long tool results, or many calls. Most of it should come "
        "from the provider's cache. The summarizer's are those of summaries, also of attempts that failed",
    ),
    Look(
        "tools do not answer",
        (
            "tarsy_tool_gateway_server_healthy",
            "tarsy_tool_gateway_server_misconfigured",
            "tarsy_tool_gateway_server_reconnects_total",
            "tarsy_tool_gateway_sessions_ended_total",
            "tarsy_tool_gateway_call_retries_total",
            "tarsy_tool_gateway_calls_total",
            "tarsy_tool_gateway_unreadable_messages_total",
        ),
        "Healthy 0 on every gateway: the MCP server is down; misconfigured 1: no repetition will help. Healthy 0 on "
        "one: that gateway cannot reach it. Many reconnects: it crashes (`ended`), hangs (`silent`, `hung`) or forgets "
        "its sessions (`expired`). `throttled`: it asks for fewer calls. `unknown`: a call that changes something may "
        "have run, and somebody has to look. Unreadable messages: the server writes what is no MCP, such as logs "
        "on its standard output",
    ),
    Look(
        "calls wait",
        (
            "tarsy_tool_gateway_calls_queued",
            "tarsy_tool_gateway_calls_held",
            "tarsy_tool_gateway_busy_refusals_total",
            "tarsy_orchestrator_requests_republished_total",
        ),
        "queued and busy: the server is slow, or its limit too low. Held: owners do not grant. Republished without "
        "busy: no gateway takes requests",
    ),
    Look(
        "workers come and go",
        ("tarsy_orchestrator_workers_declared_dead_total", "tarsy_orchestrator_tool_calls_total"),
        "a worker that was killed, or that did not reach Kafka for TARSY_DEAD_AFTER_SECONDS; its calls that must not "
        "run twice end as `unknown`",
    ),
    Look(
        "two owners seem to be at work",
        ("tarsy_orchestrator_decisions_lost_total", "tarsy_orchestrator_records_dropped_total"),
        "some at a rebalance are normal, and harmless. A steady stream is a process that was cut off and still writes",
    ),
    Look(
        "the history is behind what happens",
        (
            "tarsy_timeline_lag_seconds",
            "tarsy_timeline_projection_duration_seconds",
            "tarsy_timeline_ledger_conflicts_total",
        ),
        "lag that grows: PostgreSQL is away or slow. Conflicts that do not end: two projectors read one partition",
    ),
    Look(
        "people cannot read a long result",
        ("tarsy_timeline_result_reads_total",),
        "`failed`: Kafka is away, or too many results are read at once. `refused`: a wrong question, or it is gone",
    ),
    Look(
        "something is missing in the history of a session",
        ("tarsy_timeline_unprojected_records", "tarsy_timeline_unprojected_total"),
        "PostgreSQL, or the projection, did not take an event: docs/operations/unprojected-records.md",
    ),
    Look(
        "other teams' programs miss events, or get them late",
        (
            "tarsy_timeline_events_unpublished_total",
            "tarsy_timeline_event_delay_seconds",
            "tarsy_timeline_events_published_total",
        ),
        "nothing is published: `/ready` of the timeline, and docs/operations/unpublished-events.md. Late: the "
        "projector is behind",
    ),
    Look(
        "the page does not move",
        (
            "tarsy_websocket_gateway_connections",
            "tarsy_websocket_gateway_log_lag_seconds",
            "tarsy_websocket_gateway_clients_dropped_total",
        ),
        "`too_slow`: that client's network",
    ),
    Look(
        "the page, a webhook or a probe is answered with 421, 401 or 403",
        ("tarsy_http_denied_total",),
        "`host`: TARSY_HOSTS does not name what it is asked by. `host_header`: it sends none, or two. `origin`: the "
        "page of another address wrote, or opened the WebSocket; TARSY_ALLOWED_ORIGINS names those that may watch. "
        "`role`: the credential is known, and its role may not. `no_right`: there is no such address, or nobody may "
        "use it. `unavailable`: the provider of the tokens does not answer. The others: no credential that is known",
    ),
    Look(
        "Kafka is suspected",
        ("tarsy_kafka_records_total", "tarsy_kafka_write_duration_seconds", "tarsy_orchestrator_outbox_dropped_total"),
        "`not_written` and `uncertain` in all services: Kafka. In one: its network. Topic `dead-letters` counts what "
        "no service could read",
    ),
    Look(
        "processes of `tarsy up --processes` end",
        ("tarsy_front_door_processes_ready", "tarsy_front_door_restarts_total"),
        "0 ready: `tarsy status` names the log of the process. Restarts that go on: the same",
    ),
    Look(
        "a service is not ready, or slow in everything",
        (
            "tarsy_process_loop_idle_seconds",
            "tarsy_process_loop_lag_seconds",
            "tarsy_process_loop_held_seconds",
        ),
        "idle for more than a minute: the loop stands still, see docs/operations/loop-stalled.md. Held: the process "
        "computes on its event loop, see docs/operations/event-loop-held.md. Lag without it: the machine is busy",
    ),
    Look(
        "the API answers badly",
        (
            "tarsy_http_requests_total",
            "tarsy_http_request_duration_seconds",
            "tarsy_http_refused_total",
            "tarsy_process_ready",
        ),
        "status 503 of alerts: Kafka. 5xx of sessions: PostgreSQL. Ready 0: /ready says what it waits for. Refused: "
        "clients that are slow, broken or hostile; docs/operations/slow-senders.md",
    ),
)
