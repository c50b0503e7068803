"""Thinking settings of Claude. Each generation takes other settings, and refuses those of the others.

- Up to 4.5: it thinks only when it is given a budget of tokens.
- From 4.6: it decides itself how much (`adaptive`), guided by an effort; what it thinks is shown on request only.
- Opus from 5.5, Fable and Mythos: as before, and it cannot be stopped; Sonnet 5.5 thinks at least between tools.

Models of others behind the same interface are taken for the oldest kind, and are told nothing unless it is configured.
"""

import re

from pydantic import JsonValue

from tarsy_llm.model_settings import ModelSettings, Thinking

OLD = re.compile(r"claude-(?:instant|v?[123]\b|[a-z]+-[34](?![-.][6-9](?!\d)))")
UNSTOPPABLE = re.compile(r"claude-(?:fable|mythos|opus-5[-.][5-9])")
BETWEEN_TOOLS = re.compile(r"claude-sonnet-5[-.][5-9]")

BUDGET: dict[Thinking, int] = {"low": 2_000, "medium": 8_000, "high": 16_000}
LEAST_BUDGET = 1024


def decides_itself(model: str) -> bool:
    return "claude" in model and OLD.search(model) is None


def disable_thinking(model: str) -> dict[str, JsonValue]:
    """Off, or as low as the model allows."""
    if UNSTOPPABLE.search(model):
        return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}}
    return {"thinking": {"type": "between_tools" if BETWEEN_TOOLS.search(model) else "disabled"}}


def enable_thinking(settings: ModelSettings, max_tokens: int) -> dict[str, JsonValue]:
    """As configured. A budget has to leave room for an answer, and a part too small is none."""
    if decides_itself(settings.model):
        effort: dict[str, JsonValue] = (
            {} if settings.thinking is None else {"output_config": {"effort": settings.thinking}}
        )
        return {"thinking": {"type": "adaptive", "display": "summarized"}, **effort}
    if settings.thinking is None:
        return {}
    budget = min(BUDGET[settings.thinking], max_tokens // 2)
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget >= LEAST_BUDGET else {}
