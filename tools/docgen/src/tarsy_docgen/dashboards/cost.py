"""The dashboard that tells what models cost, in tokens: prices are the providers'."""

from tarsy_docgen.dashboards.panels import Dashboard, Panel, Query, Row, lines, per_minute, stack, stat

AGENTS = "tarsy_orchestrator_llm"
SUMMARIES = "tarsy_summarizer_llm"
ENDED = "tarsy_orchestrator_sessions_ended_total"
OF_SUMMARIES = "{{provider}}, summaries"


def in_range(counter: str) -> str:
    return f"sum(increase({counter}[$__range]))"


def both(tokens: str) -> str:
    """Tokens of agents and of summaries. A site without summaries has no series of theirs."""
    return f"({in_range(f'{AGENTS}_{tokens}_total')} + ({in_range(f'{SUMMARIES}_{tokens}_total')} or vector(0)))"


def share(part: str, whole: str, *labels: str) -> str:
    by = f" by ({', '.join(labels)})" if labels else ""
    return f"sum{by} (increase({part}[1h])) / sum{by} (increase({whole}[1h]))"


def by_provider(title: str, tokens: str, does: str) -> Panel:
    return stack(
        title,
        "cpm",
        does,
        per_minute(f"{AGENTS}_{tokens}_total", "provider"),
        per_minute(f"{SUMMARIES}_{tokens}_total", "provider", named=OF_SUMMARIES),
    )


RANGE = Row(
    "In the time that you look at",
    (
        stat(
            "Input tokens",
            "short",
            both("input_tokens"),
            "Look which provider and which share of summaries it is below.",
        ),
        stat(
            "Output tokens, thoughts included",
            "short",
            both("output_tokens"),
            "Lower `thinking` of the provider if most of it is thoughts.",
        ),
        stat(
            "Thinking tokens",
            "short",
            both("thinking_tokens"),
            "Lower `thinking` of the provider.",
        ),
        stat(
            "Share of input from caches",
            "percentunit",
            f"{both('cached_input_tokens')} / {both('input_tokens')}",
            "Look which provider does not cache: a cached token costs a fraction of another.",
        ),
        stat(
            "Share of input for summaries",
            "percentunit",
            f"({in_range(f'{SUMMARIES}_input_tokens_total')} or vector(0)) / {both('input_tokens')}",
            "Choose a cheaper model for summaries, or raise summarization.size_threshold_tokens.",
        ),
        stat(
            "Tokens of an investigation, mean",
            "short",
            f"({both('input_tokens')} + {both('output_tokens')}) / {in_range(ENDED)}",
            "Look at the LLM calls of an agent: input grows with every iteration.",
        ),
    ),
)
TOKENS = Row(
    "Tokens by provider",
    (
        by_provider(
            "Input tokens, per minute",
            "input_tokens",
            "Look at long results and at many iterations: both grow the input of every later call.",
        ),
        by_provider(
            "Output tokens, per minute",
            "output_tokens",
            "Compare it with the thoughts beside it.",
        ),
        by_provider(
            "Thinking tokens, per minute",
            "thinking_tokens",
            "Lower `thinking` of the provider.",
        ),
        by_provider(
            "Input tokens from caches, per minute",
            "cached_input_tokens",
            "Look whether the provider caches at all when it is 0.",
        ),
        lines(
            "Share of agents' input from caches, in an hour",
            "percentunit",
            "Look for prompts that change at their beginning when it falls: most of an agent's input repeats.",
            Query(
                share(f"{AGENTS}_cached_input_tokens_total", f"{AGENTS}_input_tokens_total", "provider"), "{{provider}}"
            ),
        ),
        by_provider(
            "Tokens written to caches, per minute",
            "cache_written_tokens",
            "Compare it with what is read from caches: a write costs more than other input.",
        ),
    ),
)
CALLS = Row(
    "Calls",
    (
        stack(
            "LLM calls of agents and for summaries, per minute",
            "cpm",
            "Look at the iterations of agents on the other dashboard when it grows without more sessions.",
            per_minute(f"{AGENTS}_calls_total", "provider"),
            per_minute(f"{SUMMARIES}_calls_total", "provider", named=OF_SUMMARIES),
        ),
        lines(
            "Input tokens of an agent's call, mean of an hour",
            "short",
            "Summarise earlier, or give agents tools with filters.",
            Query(share(f"{AGENTS}_input_tokens_total", f"{AGENTS}_calls_total", "provider"), "{{provider}}"),
        ),
        lines(
            "Output tokens of an agent's call, mean of an hour",
            "short",
            "Lower `thinking` of the provider.",
            Query(share(f"{AGENTS}_output_tokens_total", f"{AGENTS}_calls_total", "provider"), "{{provider}}"),
        ),
        stack(
            "LLM calls that failed, and may cost all the same, per minute",
            "cpm",
            "Mend the cause: providers count many failed calls; docs/operations/model-fails.md.",
            per_minute(f'{AGENTS}_calls_total{{outcome!="ok"}}', "provider"),
            per_minute(f'{SUMMARIES}_calls_total{{outcome!="ok"}}', "provider", named=OF_SUMMARIES),
        ),
        lines(
            "Investigations that began, per minute",
            "cpm",
            "Compare it with the tokens: more alerts are more cost, and the sender may group them.",
            per_minute("tarsy_orchestrator_sessions_started_total", named="began"),
        ),
    ),
)
SUMMARIES_ROW = Row(
    "Summaries",
    (
        lines(
            "Bytes of results for each token of a summary, in an hour",
            "short",
            "Raise summarization.size_threshold_tokens if it is below 20: 4 bytes are about a token.",
            Query(share("tarsy_summarizer_input_bytes_sum", f"{SUMMARIES}_output_tokens_total"), "bytes a token"),
        ),
        lines(
            "Input tokens of a summary's call, mean of an hour",
            "short",
            "Lower TARSY_SUMMARY_INPUT_BYTES.",
            Query(share(f"{SUMMARIES}_input_tokens_total", f"{SUMMARIES}_calls_total", "provider"), "{{provider}}"),
        ),
        lines(
            "LLM calls for each summary, mean of an hour",
            "short",
            "Look at failures of the model for summaries when it is above 1.",
            Query(share(f"{SUMMARIES}_calls_total", "tarsy_summarizer_summaries_total"), "calls"),
        ),
    ),
)
COST = Dashboard(
    "tarsy-cost",
    "TARSy: what does it cost",
    "Tokens by provider, of agents and of summaries. Prices are not known here.",
    (RANGE, TOKENS, CALLS, SUMMARIES_ROW),
)
