"""Keys of Go TARSy that have another meaning here, or none: its users' files load, and are told about each.

Keys that mean nothing are taken out of the document, so that the models need not know them.
"""

from collections.abc import Iterable, Mapping

from tarsy_config.checks.go_tarsy_moves import move_keys
from tarsy_config.checks.references import FALLBACKS
from tarsy_config.document.key_paths import (
    AGENT,
    ANY,
    CHAIN,
    DEFAULTS,
    MODEL,
    STAGE,
    STAGE_AGENT,
    SUB_AGENTS,
    find_values,
)
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath

SERVER: KeyPath = ("mcp_servers", ANY)
SYSTEM: KeyPath = ("system",)
QUEUE: KeyPath = ("queue",)


def below(key: str, *paths: KeyPath) -> tuple[KeyPath, ...]:
    return tuple((*path, key) for path in paths)


NOT_YET = "has no effect yet"
NATIVE = "has no effect here: every provider is asked in its own way"
NO_POLLING = "has no effect here: alerts are pushed to the orchestrators, nothing polls"
HANDED_OVER = "has no effect here: an orchestrator that stops hands its investigations over at once"
OWNERS = "has no effect here: Kafka notices dead orchestrators, and others go on with their investigations"
WITHOUT_MEANING: Mapping[tuple[KeyPath, ...], str] = {
    below("embedding", (*DEFAULTS, "memory")): "has no effect here: memories are found by their words and their scope",
    below("executive_summary_backend", DEFAULTS, CHAIN): NATIVE,
    below("compose_backend", DEFAULTS, CHAIN): NATIVE,
    below("prompt_caching", SYSTEM): "has no effect here: prompts are cached wherever the provider can",
    below("cost_estimation", SYSTEM): NOT_YET,
    below("event_ttl", (*SYSTEM, "retention")): "has no effect here: the session log has what was shown live",
    below("cleanup_interval", (*SYSTEM, "retention")): "has no effect here: the chart's CronJob says when it runs",
    below("allowed_ws_origins", SYSTEM): "has no effect here: TARSY_ALLOWED_ORIGINS says it",
    below("max_tool_result_tokens", ("llm_providers", ANY)): "has no effect here: long results are summarised",
    below("worker_count", QUEUE): "has no effect here: max_concurrent_sessions counts in each orchestrator",
    below("poll_interval", QUEUE): NO_POLLING,
    below("poll_interval_jitter", QUEUE): NO_POLLING,
    below("graceful_shutdown_timeout", QUEUE): HANDED_OVER,
    below("scoring_shutdown_timeout", QUEUE): HANDED_OVER,
    below("orphan_detection_interval", QUEUE): OWNERS,
    below("orphan_threshold", QUEUE): OWNERS,
    below("heartbeat_interval", QUEUE): OWNERS,
}
NOTED: Mapping[tuple[KeyPath, ...], str] = {
    below("llm_backend", DEFAULTS, AGENT, *MODEL, *SUB_AGENTS, *FALLBACKS): NATIVE,
    below("llm_backend", (*DEFAULTS, "summarization"), (*SERVER, "summarization")): NATIVE,
    below("backend", *FALLBACKS): NATIVE,
}


def strip_unsupported(document: Document) -> None:
    move_keys(document)
    for path in _every(document, NOTED):
        document.note(*path)
    for at, sentence in _every(document, WITHOUT_MEANING):
        document.note(at, sentence)
        _take_out(document, at)
    _leaders(document)
    _idle_agents(document)
    _masking_stays(document)


def _every(document: Document, table: Mapping[tuple[KeyPath, ...], str]) -> Iterable[tuple[KeyPath, str]]:
    """Listed before anything is taken out."""
    patterns = [(pattern, sentence) for patterns, sentence in table.items() for pattern in patterns]
    return [(path, sentence) for pattern, sentence in patterns for path, _ in find_values(document.data, pattern)]


def _take_out(document: Document, path: KeyPath) -> None:
    for _, around in find_values(document.data, path[:-1]):
        if isinstance(around, dict):
            around.pop(str(path[-1]), None)


def _leaders(document: Document) -> None:
    """Earlier versions had a type of their own for agents that send others."""
    for pattern in (AGENT, STAGE_AGENT):
        for path, agent in list(find_values(document.data, pattern)):
            if isinstance(agent, dict) and agent.get("type") == "orchestrator":
                document.note((*path, "type"), "has no effect here: an agent that has sub_agents sends them")
                del agent["type"]


def _idle_agents(document: Document) -> None:
    for path, stage in find_values(document.data, STAGE):
        match stage:
            case {"replicas": int(count), "agents": [_, _, *_]} if count > 1:
                document.note((*path, "replicas"), f"runs the first agent {count} times, and none of the others")


def _masking_stays(document: Document) -> None:
    for masked in ((*SERVER, "data_masking"), (*DEFAULTS, "alert_masking")):
        for path, enabled in find_values(document.data, (*masked, "enabled")):
            if enabled is False:
                document.note(path, "leaves out what is named beside it: what is built in is masked always")
