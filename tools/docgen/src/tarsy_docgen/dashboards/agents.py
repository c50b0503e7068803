"""The dashboard that tells what agents do: sessions, models, tools, summaries, and the people who watch."""

from tarsy_docgen.dashboards.panels import Dashboard, Query, Row, current, lines, per_minute, quantile, stack, stat

FAILED_CALLS = 'tarsy_orchestrator_llm_calls_total{outcome!="ok"}'
MODEL_CALLS = 'increase(tarsy_timeline_events_projected_total{type="llm_call.requested"}[1h])'
EXECUTIONS = 'increase(tarsy_timeline_events_projected_total{type="execution.started"}[1h])'

NOW = Row(
    "Now",
    (
        stat(
            "Sessions that investigate or reply",
            "short",
            "sum(tarsy_orchestrator_sessions_open) - sum(tarsy_orchestrator_sessions_waiting)",
            "Nothing to do: it is at most max_concurrent_sessions for each orchestrator, and replies.",
        ),
        stat(
            "Sessions that wait for their turn",
            "short",
            "sum(tarsy_orchestrator_sessions_waiting)",
            "Start another orchestrator, or allow it more at once; docs/operations/sessions-wait.md.",
        ),
        stat(
            "Longest wait for a turn",
            "s",
            "max(tarsy_orchestrator_waiting_session_age_seconds)",
            "Start another orchestrator, or allow it more at once; docs/operations/sessions-wait.md.",
            limit=900,
        ),
        stat(
            "LLM calls that run",
            "short",
            "sum(tarsy_orchestrator_llm_calls_running)",
            "Raise TARSY_LLM_CALLS_AT_ONCE if it stands at that number.",
        ),
        stat(
            "Tool calls that run",
            "short",
            "sum(tarsy_tool_gateway_calls_running)",
            "Look which MCP server is slow if it does not go down.",
        ),
        stat(
            "Clients that watch",
            "short",
            "sum(tarsy_websocket_gateway_connections)",
            "Look at the websocket-gateway's /ready if people say that the page stands still and it is 0.",
        ),
    ),
)
SESSIONS = Row(
    "Sessions",
    (
        stack(
            "Investigations that ended, per minute",
            "cpm",
            "Open a failed session on the page: it says why it failed; docs/operations/sessions-fail.md.",
            per_minute("tarsy_orchestrator_sessions_ended_total", "status"),
        ),
        lines(
            "Share of investigations that failed or timed out, in an hour",
            "percentunit",
            "Look at models and tools below: one of them is mostly the cause; docs/operations/sessions-fail.md.",
            Query("job:tarsy_sessions_ended_badly:ratio1h", "{{job}}"),
            limit=0.3,
        ),
        lines(
            "Duration of an investigation",
            "s",
            "Compare it with the latency of models and tools below: the slower is the cause.",
            Query(quantile(0.5, "tarsy_orchestrator_session_duration_seconds").expr, "p50"),
            quantile(0.9, "tarsy_orchestrator_session_duration_seconds", "status"),
        ),
        lines(
            "Open sessions, and those that wait",
            "short",
            "Start another orchestrator when the line of those that wait does not come down.",
            current("sum", "tarsy_orchestrator_sessions_open", named="open"),
            current("sum", "tarsy_orchestrator_sessions_waiting", named="waiting"),
            current("sum", "tarsy_orchestrator_sessions_aside", named="set aside"),
        ),
        lines(
            "Investigations that began, per minute",
            "cpm",
            "Compare it with the alerts of the other dashboard when it is 0.",
            per_minute("tarsy_orchestrator_sessions_started_total", named="began"),
        ),
        lines(
            "LLM calls of an agent, mean of an hour",
            "short",
            "Compare it with max_iterations: agents that use all of them lack a tool, or a better instruction.",
            Query(f"sum({MODEL_CALLS}) / sum({EXECUTIONS})", "calls"),
        ),
        stack(
            "Inputs that were decided, per minute",
            "cpm",
            "See whether partitions have owners when it is 0 while alerts come.",
            per_minute("tarsy_orchestrator_inputs_decided_total", "type"),
        ),
        stack(
            "Replies to questions, per minute",
            "cpm",
            "Open the session of a failed reply on the page.",
            per_minute("tarsy_orchestrator_chat_replies_total", "status"),
        ),
        lines(
            "Duration of a reply, p90",
            "s",
            "Look at the latency of models: a reply mostly waits for one.",
            quantile(0.9, "tarsy_orchestrator_chat_reply_duration_seconds", "status"),
        ),
    ),
)
MODELS = Row(
    "Models",
    (
        stack(
            "LLM calls, per minute",
            "cpm",
            "Look at the failures beside it when it falls while sessions are open.",
            per_minute("tarsy_orchestrator_llm_calls_total", "provider"),
        ),
        stack(
            "LLM calls that failed, by kind, per minute",
            "cpm",
            "Mend the key for credentials, the quota for rate_limited; docs/operations/model-fails.md.",
            per_minute(FAILED_CALLS, "provider", "outcome"),
        ),
        lines(
            "Share of LLM calls that failed, in 10 minutes",
            "percentunit",
            "Look at the kinds beside it; docs/operations/model-fails.md.",
            Query("job_provider:tarsy_llm_calls_failed:ratio10m", "{{provider}}"),
            limit=0.2,
        ),
        lines(
            "Duration of an LLM call, the wait for a place included",
            "s",
            "Raise TARSY_LLM_CALLS_AT_ONCE if calls wait for a place, else ask the provider.",
            quantile(0.5, "tarsy_orchestrator_llm_call_duration_seconds", "provider"),
            quantile(0.9, "tarsy_orchestrator_llm_call_duration_seconds", "provider"),
        ),
        lines(
            "Time to the first piece of an answer, p90",
            "s",
            "Ask the provider: the model is slow to begin.",
            quantile(0.9, "tarsy_orchestrator_llm_first_delta_seconds", "provider"),
        ),
        stack(
            "Retries: failed calls on record and fallbacks, per minute",
            "cpm",
            "Look at the provider that was given up: agents go on with another, which may cost more.",
            per_minute('tarsy_timeline_events_projected_total{type="llm_call.failed"}', named="failed on record"),
            per_minute("tarsy_orchestrator_llm_fallbacks_total", "provider", named="given up: {{provider}}"),
        ),
    ),
)
TOOLS = Row(
    "Tools",
    (
        stack(
            "Tool calls, per minute",
            "cpm",
            "Look at the servers' health beside it when one is missing.",
            per_minute("tarsy_tool_gateway_calls_total", "server"),
        ),
        stack(
            "Tool calls that did not succeed, per minute",
            "cpm",
            "Read tool_error in the session; see to the server for unavailable; docs/operations/mcp-servers.md.",
            per_minute('tarsy_tool_gateway_calls_total{outcome!="ok"}', "server", "outcome"),
        ),
        lines(
            "Duration of a tool call, p90",
            "s",
            "Look at the MCP server, or at the system behind it.",
            quantile(0.9, "tarsy_tool_gateway_call_duration_seconds", "server"),
        ),
        lines(
            "MCP servers: 1 when a gateway reaches it",
            "short",
            "Ask `tarsy servers NAME` for the reason; docs/operations/mcp-servers.md.",
            current("max", "tarsy_tool_gateway_server_healthy", "server"),
            current("max", "tarsy_tool_gateway_server_misconfigured", "server", named="{{server}} misconfigured"),
        ),
        stack(
            "Calls that run, and that wait",
            "short",
            "Raise max_concurrent_calls of the server, or start more gateways, when many wait.",
            current("sum", "tarsy_tool_gateway_calls_running", "server", named="{{server}} run"),
            current("sum", "tarsy_tool_gateway_calls_queued", "server", named="{{server}} wait for a place"),
            current("sum", "tarsy_tool_gateway_calls_held", "server", named="{{server}} wait for a grant"),
        ),
        stack(
            "Calls that were given back: busy, per minute",
            "cpm",
            "Raise queue_size or max_concurrent_calls of the server, or start more gateways.",
            per_minute("tarsy_tool_gateway_busy_refusals_total", "server"),
        ),
        stack(
            "Further attempts and reconnects, per minute",
            "cpm",
            "Read the MCP server's own log: it crashes, hangs, or forgets its sessions.",
            per_minute("tarsy_tool_gateway_call_retries_total", "server", "reason"),
            per_minute("tarsy_tool_gateway_server_reconnects_total", "server", named="{{server}} reconnected"),
        ),
        lines(
            "Size of a result, p90",
            "bytes",
            "Give agents tools with filters: long results cost summaries and tokens.",
            quantile(0.9, "tarsy_tool_gateway_result_bytes", "server"),
        ),
        stack(
            "Workers that died, requests sent again, and calls of unknown outcome, per minute",
            "cpm",
            "Look at the gateways' logs; for unknown outcomes see docs/operations/call-unknown.md.",
            per_minute("tarsy_orchestrator_workers_declared_dead_total", named="workers dead"),
            per_minute("tarsy_orchestrator_requests_republished_total", "topic", named="{{topic}} sent again"),
            per_minute('tarsy_orchestrator_tool_calls_total{outcome="unknown"}', named="outcome unknown"),
        ),
    ),
)
SUMMARIES = Row(
    "Summaries",
    (
        stack(
            "Summaries, per minute",
            "cpm",
            "Look at the calls of models beside it when summaries end with error.",
            per_minute("tarsy_summarizer_summaries_total", "outcome"),
        ),
        lines(
            "Duration of a summary, p90",
            "s",
            "Choose a faster model for summaries.",
            quantile(0.9, "tarsy_summarizer_run_duration_seconds"),
        ),
        lines(
            "Share of summaries that were given back: busy, in 15 minutes",
            "percentunit",
            "Start another summarizer, or raise TARSY_SUMMARIES_AT_ONCE; docs/operations/summaries-busy.md.",
            Query("job:tarsy_summaries_busy:ratio15m", "{{job}}"),
            limit=0.5,
        ),
        lines(
            "Summaries that are being written",
            "short",
            "Start another summarizer if it stands at TARSY_SUMMARIES_AT_ONCE.",
            current("sum", "tarsy_summarizer_summaries_running", named="running"),
        ),
        stack(
            "LLM calls for summaries that failed, by kind, per minute",
            "cpm",
            "Mend the key for credentials, the quota for rate_limited; docs/operations/model-fails.md.",
            per_minute('tarsy_summarizer_llm_calls_total{outcome!="ok"}', "provider", "outcome"),
        ),
    ),
)
WATCHING = Row(
    "Streams and clients",
    (
        lines(
            "Clients, and channels that they watch",
            "short",
            "Start another websocket-gateway when many clients are closed as too_slow.",
            current("sum", "tarsy_websocket_gateway_connections", named="clients"),
            current("sum", "tarsy_websocket_gateway_subscriptions", named="channels"),
        ),
        stack(
            "Pieces of answers, and progress of calls, per minute",
            "cpm",
            "Look at the LLM calls when it is 0 while sessions are open.",
            per_minute("tarsy_websocket_gateway_chunks_total", named="pieces of answers"),
            per_minute("tarsy_tool_gateway_progress_chunks_total", "server", named="progress of {{server}}"),
            per_minute("tarsy_tool_gateway_progress_dropped_total", "server", named="dropped of {{server}}"),
        ),
        stack(
            "Messages to clients, and clients that were closed, per minute",
            "cpm",
            "Look at the network of clients for too_slow.",
            per_minute("tarsy_websocket_gateway_messages_sent_total", named="messages"),
            per_minute("tarsy_websocket_gateway_clients_dropped_total", "reason", named="closed: {{reason}}"),
        ),
        stack(
            "Results that people read, per minute",
            "cpm",
            "See to Kafka when they fail.",
            per_minute("tarsy_timeline_result_reads_total", "kind", "outcome"),
        ),
    ),
)
AGENTS = Dashboard(
    "tarsy-agents",
    "TARSy: what are my agents doing",
    "Investigations, models, tools and summaries: how many, how long, and how they end.",
    (NOW, SESSIONS, MODELS, TOOLS, SUMMARIES, WATCHING),
)
