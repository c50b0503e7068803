"""Words of the code: which names are retired, what stands for them now, and which names still stand twice.

docs/glossary.md has the words that are in use. When a name is retired, put it into RETIRED_MODULES or RETIRED_CLASSES.
When a name of STILL_TWICE stands once, tests-lint/test_words.py says so: take it off. The list only shrinks.
"""

RETIRED_MODULES: dict[str, dict[str, str]] = {
    "tarsy_session": {
        "given": "decision_input",
        "imagine": "lookahead",
        "consequences": "transitions",
        "closing": "termination",
        "failures": "llm_retry",
        "owed": "effects",
        "answers": "replies",
        "requesting": "queue_requests",
        "routing": "queue_requests",
        "conversing": "conversation",
        "prompting": "prompt_context",
        "reading_on": "read_result",
        "read_result_tool": "read_result",
        "shortening": "context_limit",
    },
    "tarsy_orchestrator": {
        "membership": "group_membership",
        "reviving": "rehydration",
        "sessions": "session_table",
        "deciding": "decision_batch",
        "inbox": "inbox_reader",
        "progress": "inbox_progress",
        "work": "reconciler",
        "queued": "dispatch",
        "places": "admission",
        "llm_calls": "llm_call",
        "recording": "llm_call",
        "chunks": "llm_stream",
        "catalog": "tool_catalog",
        "plans": "chain_resolution",
        "traces": "tracing",
        "surroundings": "dependencies",
    },
    "tarsy_bus": {
        "beside": "background_tasks",
        "following": "partition_reader",
        "producing": "replaceable_producer",
        "left_members": "departed_members",
        "lost_layout": "layout_recovery",
        "announcements": "heartbeats",
        "topic_fit": "topic_check",
    },
    "tarsy_tool_gateway": {
        "isolated": "per_session_pool",
        "greeting": "handshake",
        "eras": "protocol_versions",
        "reachability": "diagnosis",
        "http_answers": "http_errors",
        "cleanup": "session_termination",
        "own_server": "builtin_tools",
        "reading": "read_result",
        "asked": "arguments",
        "skipping": "paging",
        "places": "dns_guard",
    },
    "tarsy_timeline": {
        "reading": "session_queries",
        "requesting": "session_commands",
        "answers": "reply_waiter",
        "living": "worker_liveness",
        "shapes": "responses",
        "system_shapes": "responses",
        "searching": "session_filter",
        "storable": "postgres_text",
    },
    "tarsy_ingest": {
        "incoming": "raw_alert",
        "unanswered": "lenient_submission",
        "record_form": "record_parser",
        "selection": "mcp_override",
    },
    "tarsy_llm": {
        "limited": "timeouts",
        "cut_short": "truncation",
        "google_endings": "google_finish_reasons",
        "remote": "model_settings",
    },
    "tarsy_masking": {"telling_names": "sensitive_keys"},
    "tarsy_config": {
        "coherence": "cross_checks",
        "notes": "go_tarsy_compat",
        "origins": "provenance",
        "mistakes": "errors",
    },
    "tarsy_service": {
        "entry": "main",
        "running": "runner",
        "listening": "http_server",
        "foreign_pages": "csrf",
        "known_span": "recent_span",
        "queries_left_out": "redacted_queries",
    },
    "tarsy_embedded": {"class_archive": "jvm_cds"},
    "tarsy_audit": {"logins": "page_logins"},
    "tarsy_local": {
        "starting": "up",
        "telling": "instance_file",
        "crew": "process_group",
        "supervised": "supervised_process",
        "kept_servers": "server_supervisor",
        "places": "addresses",
        "refusals": "startup_errors",
        "ways": "routes",
        "passing": "http_proxy",
        "socket_passing": "websocket_proxy",
    },
    "tarsy_cli": {
        "showing": "watch",
        "floor": "stream_arbiter",
        "flowing": "text_flow",
        "generated": "tarsy_docgen",
        "surroundings": "environment",
    },
    "tarsy_contracts": {"own_tools": "builtin_tools", "identities": "ids"},
}
"""By package: the last part of the old name of a module, and the new one."""

RETIRED_CLASSES: dict[str, dict[str, str]] = {
    "tarsy_session": {
        "Given": "DecisionInput",
        "OwedPlace": "AdmissionEffect",
        "OwedTools": "ToolsEffect",
        "OwedLlmCall": "LlmCallEffect",
        "OwedEnd": "EndEffect",
        "OwedToolCall": "ToolCallEffect",
        "OwedSummary": "SummaryEffect",
        "Again": "Retry",
        "FallBack": "UseFallback",
        "GiveUp": "Fail",
        "Beyond": "Unsupported",
        "Absent": "NotStarted",
        "Asked": "PendingLlmCall",
        "Tries": "RetryState",
        "Understood": "Interpretation",
    },
    "tarsy_orchestrator": {
        "Work": "Reconciler",
        "Made": "Running",
        "Queued": "DispatchedCall",
        "Places": "AdmissionQueue",
        "Waiting": "PendingInput",
        "Tail": "SessionTail",
    },
    "tarsy_contracts": {
        "PlaceGiven": "SessionAdmitted",
        "Recorded": "RecordedEvent",
        "StageBegun": "StageDetails",
        "ExecutionDone": "ExecutionResult",
    },
    "tarsy_bus": {
        "Follower": "PartitionReader",
        "Reports": "InboxClient",
        "Mark": "ChainLink",
        "Known": "LastAccepted",
        "Chains": "ChainTracker",
    },
    "tarsy_tool_gateway": {
        "McpTools": "McpToolServer",
        "Said": "ToolOutput",
        "Held": "AwaitingGrant",
        "SayClaimed": "ReportClaim",
        "SayEnded": "ReportOutcome",
        "BreakOff": "CancelRun",
        "Room": "MemoryBudget",
    },
    "tarsy_timeline": {
        "Reading": "SessionQueries",
        "Requesting": "SessionCommands",
        "Ledger": "ProjectionCheckpoint",
    },
    "tarsy_websocket_gateway": {"Everything": "StatusSubscription"},
    "tarsy_ingest": {
        "Incoming": "RawAlert",
        "Form": "Payload",
        "Refused": "AlertRejectedError",
        "TooMuch": "AlertTooLargeError",
    },
    "tarsy_llm": {
        "Gathering": "OpenAiAccumulator, AnthropicAccumulator",
        "RemoteModel": "ModelSettings",
    },
    "tarsy_masking": {"Written": "AppliedEdit", "TellingNames": "SensitiveKeys"},
    "tarsy_service": {"RefuseForeignPages": "CsrfProtection"},
    "tarsy_audit": {"LoginTrail": "PageLoginTrail"},
    "tarsy_local": {
        "Crew": "ProcessGroup",
        "Supervised": "SupervisedProcess",
        "KeptServers": "ServerSupervisor",
        "Places": "Addresses",
        "Telling": "InstanceFile",
        "Passing": "HttpProxy",
        "Way": "ServiceRoute",
    },
    "tarsy_cli": {"Floor": "StreamArbiter", "Flow": "TextFlow", "Surroundings": "SoakEnvironment"},
}
"""By package: the old name of a class, and the new one."""

COMPOSITION = frozenset({"Metrics", "Service", "Settings"})
"""Names that may stand more than once: each service is composed of its own."""

STILL_TWICE: frozenset[str] = frozenset()
"""Names of classes that more than one module has."""

IRREGULAR = """
begun bent bought brought broken built caught chosen dealt done drawn driven fallen forgotten found frozen given
gone grown heard held hidden kept known learnt left lost made meant met overdue paid redone rewritten said saw seen sent
shaken shown sold sought spent stood stuck swept taken taught thrown told torn understood unknown unread unseen unsent
unwritten upheld withheld withdrawn won written wrote
"""
PARTICIPLES = frozenset(IRREGULAR.split())
"""Participles, and forms of the past, that end neither with -ed nor with -ing."""

NO_PARTICIPLES = frozenset(
    ("bring", "exceed", "heading", "nothing", "proceed", "setting", "something", "string", "warning")
)
"""Words that end like one."""

KEPT_PARTICIPLES: dict[str, str] = {
    "tarsy_bus.client.fetch_progress:Fetching.paused": "aiokafka's consumer has it",
    "tarsy_tool_gateway.mcp.json_schema.assertions:required": "the keyword of JSON Schema that it asserts",
}
"""Public functions that are named by a participle all the same, each with the reason."""
