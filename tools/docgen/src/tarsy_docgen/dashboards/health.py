"""The dashboard that tells whether TARSy itself is well."""

from tarsy_docgen.dashboards.panels import Dashboard, Query, Row, current, lines, per_minute, quantile, stack, stat

NOW = Row(
    "Now: every number should be 0",
    (
        stat(
            "Services that are not ready",
            "short",
            "count(max by (job, service) (tarsy_process_ready) == 0) or vector(0)",
            "Ask /ready of the service that the panel Ready shows at 0; docs/operations/loop-stalled.md.",
            limit=1,
        ),
        stat(
            "Targets that do not answer",
            "short",
            "count(up == 0) or vector(0)",
            "Look whether the process runs, and whether Prometheus reaches it; docs/operations/processes-end.md.",
            limit=1,
        ),
        stat(
            "Partitions without an owner",
            "short",
            "max(tarsy_orchestrator_partitions_wanted) - sum(tarsy_orchestrator_partitions_owned)",
            "Start an orchestrator, or see what its recovery waits for; docs/operations/partitions-not-owned.md.",
            limit=1,
        ),
        stat(
            "Sessions set aside",
            "short",
            "sum(tarsy_orchestrator_sessions_aside)",
            "Ask `tarsy session held` which and why; docs/operations/sessions-set-aside.md.",
            limit=1,
        ),
        stat(
            "Events missing in the history",
            "short",
            "max(tarsy_timeline_unprojected_records)",
            "Read the table `unprojected`; docs/operations/unprojected-records.md.",
            limit=1,
        ),
        stat(
            "MCP servers that nobody reaches",
            "short",
            "count(max by (job, server) (tarsy_tool_gateway_server_healthy) == 0) or vector(0)",
            "Ask `tarsy servers` for the reason; docs/operations/mcp-servers.md.",
            limit=1,
        ),
    ),
)
PROGRESS = Row(
    "Ready, and making progress",
    (
        lines(
            "Alerts that fire",
            "short",
            "Open the page that the alert names in its annotation `page`.",
            Query('count by (alertname) (ALERTS{alertname=~"Tarsy.+", alertstate="firing"})', "{{alertname}}"),
        ),
        lines(
            "Ready, by service: 1 when an instance does its work",
            "short",
            "Ask /ready of the service at 0, which says what it waits for.",
            current("max", "tarsy_process_ready", "job", "service", named="{{service}}"),
        ),
        lines(
            "Time since the last step of each loop",
            "s",
            "See to Kafka and PostgreSQL when it is above a minute; docs/operations/loop-stalled.md.",
            current("max", "tarsy_process_loop_idle_seconds", "service", "loop"),
            limit=60,
        ),
        lines(
            "Restarts of a process in 30 minutes",
            "short",
            "Read the end of the process's log: it names the task that ended; docs/operations/processes-end.md.",
            Query("job_instance:tarsy_restarts:changes30m", "{{instance}}"),
            limit=3,
        ),
        lines(
            "Restarts by `tarsy up --processes`, per minute",
            "cpm",
            "Ask `tarsy status`, which names the log of the process.",
            per_minute("tarsy_front_door_restarts_total", "service"),
        ),
        lines(
            "Processes of `tarsy up --processes` that are ready",
            "short",
            "Ask `tarsy status` about a service at 0.",
            current("sum", "tarsy_front_door_processes_ready", "service"),
        ),
    ),
)
LAG = Row(
    "Lag",
    (
        lines(
            "Age of the oldest undecided input, by partition",
            "s",
            "Look at the time of an append and at the event loop; docs/operations/inbox-behind.md.",
            current("max", "tarsy_orchestrator_inbox_lag_seconds", "partition"),
            limit=60,
        ),
        lines(
            "How far the history is behind, by partition",
            "s",
            "See to PostgreSQL; docs/operations/timeline-behind.md.",
            current("max", "tarsy_timeline_lag_seconds", "partition"),
            limit=60,
        ),
        lines(
            "Events not yet in the history, by partition",
            "short",
            "Start another timeline when it grows while PostgreSQL is well.",
            current("max", "tarsy_timeline_lag_records", "partition"),
        ),
        lines(
            "How late events are on tarsy.events",
            "s",
            "The projector publishes before it writes; docs/operations/unpublished-events.md.",
            quantile(0.5, "tarsy_timeline_event_delay_seconds"),
            quantile(0.99, "tarsy_timeline_event_delay_seconds"),
        ),
        lines(
            "How far the page's events are behind",
            "s",
            "Look at the websocket-gateway's /ready and at Kafka.",
            current("max", "tarsy_websocket_gateway_log_lag_seconds", "instance"),
        ),
        lines(
            "Duration of an append, and of a recovery",
            "s",
            "Look at Kafka's disks and network when an append takes more than a second.",
            Query(quantile(0.99, "tarsy_orchestrator_append_duration_seconds").expr, "append p99"),
            Query(quantile(0.99, "tarsy_orchestrator_recovery_duration_seconds").expr, "recovery p99"),
        ),
        lines(
            "Inputs of sessions that are set aside",
            "short",
            "Release, retry or fail their sessions; docs/operations/sessions-set-aside.md.",
            current("sum", "tarsy_orchestrator_inputs_held", named="inputs"),
        ),
    ),
)
PROCESS = Row(
    "Processes",
    (
        lines(
            "Lag of the event loop, p99",
            "s",
            "Give the machine more CPU, or start more instances; docs/operations/event-loop-held.md.",
            Query("job_instance:tarsy_process_loop_lag_seconds:p99_5m", "{{instance}}"),
            limit=1,
        ),
        lines(
            "Times that a computation held the event loop, in 15 minutes",
            "short",
            "Look for loop.held in the log, and report what stands around it; docs/operations/event-loop-held.md.",
            Query("job_instance:tarsy_process_loop_held:increase15m", "{{instance}}"),
            limit=3,
        ),
        lines(
            "CPU that a process uses, of one core",
            "percentunit",
            "Start more instances when it stays near 100%: a process uses one core.",
            Query("sum by (instance) (rate(process_cpu_seconds_total[$__rate_interval]))", "{{instance}}"),
        ),
        lines(
            "Memory of a process",
            "bytes",
            "Compare it with the limit of the container; report growth that does not end.",
            current("max", "process_resident_memory_bytes", "instance"),
        ),
        lines(
            "Partitions that a process owns",
            "short",
            "Start an orchestrator when the sum is less than all; docs/operations/partitions-not-owned.md.",
            current("sum", "tarsy_orchestrator_partitions_owned", "instance"),
        ),
        lines(
            "Open files and connections",
            "short",
            "Look for clients that never close a connection; docs/operations/slow-senders.md.",
            current("max", "process_open_fds", "instance"),
        ),
    ),
)
KAFKA = Row(
    "Kafka, alerts and dead letters",
    (
        lines(
            "Writes that Kafka did not acknowledge, per minute",
            "cpm",
            "See to Kafka if all services show it, to the network if one does; docs/operations/kafka-writes-fail.md.",
            per_minute('tarsy_kafka_records_total{outcome=~"not_written|uncertain"}', "service", "outcome"),
        ),
        lines(
            "Duration of a write to Kafka, p99",
            "s",
            "Look at the brokers' disks and at the network when it is above a second.",
            quantile(0.99, "tarsy_kafka_write_duration_seconds", "service"),
        ),
        stack(
            "Dead letters, per minute",
            "cpm",
            "Read tarsy.dead-letters: headers have position and reason; docs/operations/dead-letters.md.",
            per_minute('tarsy_kafka_records_total{topic="dead-letters", outcome="ok"}', "service"),
        ),
        stack(
            "Records that cannot be parsed, per minute",
            "cpm",
            "Find out who writes to the topic; docs/operations/records-unparsable.md.",
            per_minute("tarsy_kafka_unparsable_records_total", "topic"),
        ),
        stack(
            "Alerts, by what became of them, per minute",
            "cpm",
            "Look at the sender when alerts are refused, and at Kafka when they are not written.",
            per_minute("tarsy_ingest_alerts_total", "source", "outcome"),
        ),
        lines(
            "Decisions that lost, and records that were dropped, per minute",
            "cpm",
            "Look for a process that was cut off and still writes, when it goes on after a rebalance.",
            per_minute("tarsy_orchestrator_decisions_lost_total", named="decisions lost"),
            per_minute("tarsy_orchestrator_records_dropped_total", named="records dropped"),
        ),
        lines(
            "Alerts topic that is not read: 1",
            "short",
            "Ask /ready of that ingest; docs/operations/alerts-topic-not-read.md.",
            current("max", "tarsy_ingest_alerts_topic_failing", "instance"),
        ),
        lines(
            "Requests that were dropped because Kafka is slow, per minute",
            "cpm",
            "Look at Kafka: they are sent again later.",
            per_minute("tarsy_orchestrator_outbox_dropped_total", named="dropped"),
        ),
        lines(
            "Warnings that the API tells",
            "short",
            "Read /api/v1/system/warnings, or the head of the page.",
            current("max", "tarsy_timeline_warnings", "category"),
        ),
    ),
)
HTTP = Row(
    "HTTP",
    (
        stack(
            "Answers that are errors of the server, per minute",
            "cpm",
            "See to Kafka for routes of alerts, to PostgreSQL for routes of sessions.",
            per_minute('tarsy_http_requests_total{status=~"5.."}', "route", "status"),
        ),
        lines(
            "Duration of an answer, p99",
            "s",
            "See to PostgreSQL: most routes read it.",
            quantile(0.99, "tarsy_http_request_duration_seconds", "route"),
        ),
        stack(
            "Connections that were refused, per minute",
            "cpm",
            "Look at the clients behind it; docs/operations/slow-senders.md.",
            per_minute("tarsy_http_refused_total", "reason"),
            per_minute("tarsy_http_denied_total", "reason", named="not let in: {{reason}}"),
        ),
    ),
)
HEALTH = Dashboard(
    "tarsy-health",
    "TARSy: is it healthy",
    "Whether all parts of TARSy do their work, and what stands in their way.",
    (NOW, PROGRESS, LAG, PROCESS, KAFKA, HTTP),
    by_service=True,
)
