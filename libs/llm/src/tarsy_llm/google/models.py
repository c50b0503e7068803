"""Capabilities of Gemini's models, by their names. Imports the SDK.

Sources: ai.google.dev/gemini-api/docs/thinking, .../thought-signatures and .../tool-combination. A name that says
nothing is taken for a current model: aliases (gemini-flash-latest) are, and a gateway's own names most likely.
"""

import re

from google.genai import types

from tarsy_contracts.chain import NativeTool
from tarsy_llm.model_settings import Thinking

VERSION = re.compile(r"(?:^|/)gemini-(\d+)(?:\.(\d+))?\b")
THOUGHTLESS = re.compile(r"(?:^|/)(?:gemma|learnlm)-")
FIRST_THAT_THINKS = (2, 5)
FIRST_WITH_LEVELS = (3, 0)
FIRST_THAT_COMBINES = (3, 0)
"""Its own tools together with functions of ours. Those before it take one or the other."""
FIRST_WITH: dict[NativeTool, tuple[int, int]] = {
    "google_search": (2, 0),
    "url_context": (2, 5),
    "code_execution": (2, 0),
}

LEVELS: dict[Thinking, types.ThinkingLevel] = {
    "low": types.ThinkingLevel.LOW,
    "medium": types.ThinkingLevel.MEDIUM,
    "high": types.ThinkingLevel.HIGH,
}
BUDGETS: dict[Thinking, int] = {"low": 1024, "medium": 8192, "high": 24576}
"""Tokens: what Google itself takes these words for with models that know no levels."""
SMALLEST_BUDGET = 128
"""The smallest budget of the Pro models, which always think."""


def choose_thinking(model: str, thinking: Thinking | None) -> types.ThinkingConfig | None:
    version = _version(model)
    if version < FIRST_THAT_THINKS or (THOUGHTLESS.search(model) and thinking is None):
        return None
    if thinking is None:
        return types.ThinkingConfig(include_thoughts=True)
    if version < FIRST_WITH_LEVELS:
        return _budget(model, thinking)
    if thinking == "off":
        # They cannot be told not to think. "Minimal" is refused by some; all take "low".
        return types.ThinkingConfig(include_thoughts=False, thinking_level=types.ThinkingLevel.LOW)
    return types.ThinkingConfig(include_thoughts=True, thinking_level=LEVELS[thinking])


def wants_signatures(model: str) -> bool:
    """It refuses calls in the conversation that have none."""
    return _version(model) >= FIRST_WITH_LEVELS and not THOUGHTLESS.search(model)


def combines(model: str) -> bool:
    return _version(model) >= FIRST_THAT_COMBINES and not THOUGHTLESS.search(model)


def native_tools_of(model: str, wanted: tuple[NativeTool, ...]) -> tuple[NativeTool, ...]:
    """Those of them that the model has, and that are known here."""
    version = (0, 0) if THOUGHTLESS.search(model) else _version(model)
    return tuple(tool for tool in wanted if tool in FIRST_WITH and version >= FIRST_WITH[tool])


def _budget(model: str, thinking: Thinking) -> types.ThinkingConfig:
    if thinking == "off":
        return types.ThinkingConfig(include_thoughts=False, thinking_budget=SMALLEST_BUDGET if "-pro" in model else 0)
    return types.ThinkingConfig(include_thoughts=True, thinking_budget=BUDGETS[thinking])


def _version(model: str) -> tuple[int, int]:
    found = VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else (99, 0)
