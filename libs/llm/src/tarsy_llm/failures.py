"""Failures of a call on their way out of an adapter: with what they cost, and what the refusal means."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tarsy_contracts.conversation import ToolDefinition, Usage
from tarsy_llm.protocol import LlmCallError
from tarsy_llm.refusals import refine


@contextmanager
def refined_failures(usage: Callable[[], Usage], tools: Sequence[ToolDefinition]) -> Iterator[None]:
    """Adds to an LlmCallError what was counted until then, and what the provider's words say."""
    try:
        yield
    except LlmCallError as problem:
        problem.usage = usage()
        raise refine(problem, [tool.name for tool in tools]) from None
