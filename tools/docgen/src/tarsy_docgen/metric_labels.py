"""Labels of metrics, and all their values where they are known. A test checks every name in here."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from tarsy_bus.metrics import WriteOutcome
from tarsy_contracts.actions import HELD_BY, HELPED, VERDICTS
from tarsy_contracts.alert import ALERT_SOURCES
from tarsy_contracts.api.dead_letters import RedriveOutcome
from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_contracts.events import EVENTS, SESSION_ENDINGS, ApprovalOutcome, EndStatus, Outcome
from tarsy_contracts.messages.inputs import INPUTS, LlmCallReported, SessionAdmitted, ToolsOffered
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics
from tarsy_ingest.formats.alert_formats import FORMATS
from tarsy_ingest.metrics import REFUSED_WITH, AlertOutcome, BurialReason
from tarsy_mcp_api.metrics import CallEnd
from tarsy_mcp_api.server import TOOLS
from tarsy_notifier.metrics import NotificationOutcome
from tarsy_orchestrator.budget_metrics import KINDS, STEPS
from tarsy_orchestrator.metrics import LLM_OUTCOMES, AsideReason, Queue
from tarsy_orchestrator.metrics import BurialReason as OrchestratorBurialReason
from tarsy_service.http.bounded_http import REFUSALS
from tarsy_service.http.metrics import METHODS, Denial
from tarsy_service.telemetry.hop_metrics import HOP_SECONDS, HOPS
from tarsy_service.telemetry.model_metrics import CHAT, TOKEN_TYPES
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
    "alert_type": "an alert type of the configuration (at most 100), or `other`",
    "budget": "whose spending is limited",
    "category": "what it is about",
    "chain": "a chain of the configuration (at most 100), or `other`",
    "door": "the door that the sender came to; api: `/api/v1/alerts`",
    "error_type": "the kind of failure, as the calls' own metric has it among its outcomes; empty when it went well",
    "gen_ai_operation_name": "what was asked for",
    "gen_ai_provider_name": "who serves the model, in OpenTelemetry's words, or `other`",
    "gen_ai_request_model": "the model of a provider of the configuration, or `other`",
    "gen_ai_token_type": "what was counted",
    "hop": "from one service to the next",
    "kind": "what was asked for",
    "loop": "a long-lived loop of the service, such as `projector`: docs/operations/loop-stalled.md",
    "method": f"{', '.join(METHODS)}, or `other`",
    "outcome": "how it ended",
    "partition": f"0 to {LOG_PARTITIONS - 1}, or what the first `tarsy topics apply` was told",
    "phase": "a phase after the end of this version, or `other`",
    "provider": "an LLM provider of the configuration, or `other`",
    "reason": "why",
    "receiver": "a receiver of the configuration",
    "skill": "a skill of the configuration, or `other`",
    "route": "the template of a route, such as `/api/v1/sessions/{session_id}`, or `other`",
    "server": "an MCP server of the configuration, `tarsy` for the gateway's own tools, or `other`",
    "service": "ingest, orchestrator, tool-gateway, summarizer, timeline, websocket-gateway, notifier",
    "source": "where it came from",
    "status": "HTTP's code",
    "step": "what became of it",
    "tool": "a tool that TARSy offers over MCP",
    "topic": "a topic's name without its prefix",
    "type": "a message type of the contracts, or `other`",
    "version": "of the service",
}
"""All labels that there may be, and what their values are."""

STATUSES = sorted(one.removeprefix("session.") for one in SESSION_ENDINGS)

VALUES: Mapping[tuple[str, str], Sequence[str]] = {
    (HOP_SECONDS, "hop"): HOPS,
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
    ("tarsy_orchestrator_approval_wait_seconds", "outcome"): _of(ApprovalOutcome),
    ("tarsy_orchestrator_chain_sessions_ended_total", "status"): STATUSES,
    ("tarsy_orchestrator_action_stages_total", "outcome"): VERDICTS,
    ("tarsy_orchestrator_actions_verified_total", "outcome"): HELPED,
    ("tarsy_orchestrator_actions_held_total", "reason"): HELD_BY,
    ("tarsy_orchestrator_budgets_total", "budget"): KINDS,
    ("tarsy_orchestrator_budgets_total", "step"): STEPS,
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
    ("tarsy_orchestrator_native_tool_calls_total", "tool"): (*NATIVE_TOOLS, "other"),
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
