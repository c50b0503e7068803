"""Token rates of a session: what the usage on its log teaches about the sizes of results. Pure.

An agent's conversation grows from question to question by the last answer, the results of its calls, and late outcomes.
The provider has counted all of it. Without the answer it is texts whose bytes are
known.
"""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.token_rates import LEAST_BYTES, TokenRates, kind_of_text
from tarsy_session.conversations.between_turns import messages_after
from tarsy_session.result_content import content_of
from tarsy_session.state import Execution, Investigating, Turn

MOST_THOUGHTS = 0.1
"""Share of the growth. Some providers count thoughts again when they go back, others do not: more teaches nothing."""


def learn_rates(state: Investigating, execution: Execution, answer: e.LlmCallCompleted) -> TokenRates:
    """Returns the rates after an answer on record; as they were where it teaches nothing."""
    pending = execution.waiting_for
    if pending is None or not execution.turns:
        return state.token_rates
    before = execution.turns[-1]
    if not before.calls or not _is_continued(before.requested, pending.requested):
        return state.token_rates
    tokens = _growth(before, answer)
    if tokens is None:
        return state.token_rates
    texts = [content_of(state.calls, state.calls[call_id])[0] for call_id in before.calls]
    texts += [message.content for message in messages_after(state, execution, len(execution.turns))]
    size = sum(len(text.encode(errors="replace")) for text in texts)
    if size < LEAST_BYTES:
        return state.token_rates
    kinds = {kind_of_text(text) for text in _large(texts, size)}
    if len(kinds) != 1:
        return state.token_rates
    return state.token_rates.observe(pending.requested.llm_provider, kinds.pop(), size=size, tokens=tokens)


def _is_continued(before: e.LlmCallRequested, after: e.LlmCallRequested) -> bool:
    """Another provider counts otherwise, and a conclusion may come without the tools."""
    return before.llm_provider == after.llm_provider and before.purpose == after.purpose == "iteration"


def _growth(before: Turn, answer: e.LlmCallCompleted) -> int | None:
    """The tokens of all but the answer; None where the provider did not count, or where thoughts may be among them."""
    earlier, now = before.answer.usage, answer.usage
    if earlier.input_tokens is None or now.input_tokens is None:
        return None
    thoughts = earlier.thinking_tokens or 0
    grown = now.input_tokens - earlier.input_tokens - max(0, (earlier.output_tokens or 0) - thoughts)
    return grown if thoughts <= MOST_THOUGHTS * grown else None


def _large(texts: Sequence[str], size: int) -> list[str]:
    """Only large ones matter: a word or two next to a log change nothing."""
    return [text for text in texts if len(text) * 20 > size]
