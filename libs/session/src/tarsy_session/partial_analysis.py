"""Partial analysis: what an execution that cannot go on has found, in its own words and results. Pure."""

from collections.abc import Iterator

from tarsy_contracts.citations import cite
from tarsy_contracts.native_calls import describe_source
from tarsy_session.result_content import content_of
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.state.sources import sources_of
from tarsy_session.text import shorten, to_one_line

MOST_WORDS = 12_000
MOST_RESULTS = 20
RESULT_CHARACTERS = 600


def has_evidence(execution: Execution) -> bool:
    """Whether the execution has said, thought or looked at anything."""
    return (
        any(_unfinished(execution))
        or any(_pages(execution))
        or any(turn.calls or turn.answer.text.strip() or turn.answer.thinking.strip() for turn in execution.turns)
    )


def _unfinished(execution: Execution) -> tuple[str, str]:
    """Text and thoughts of an answer whose time was up before it was complete."""
    failed = execution.retries.failed
    return ("", "") if failed is None else (failed.text.strip(), failed.thinking.strip())


def compose_partial(state: Investigating, execution: Execution, reason: str) -> str:
    """Composes all that there is, with the reason why it is not more."""
    return "\n\n".join(part for part in _parts(state, execution, reason) if part)


def _parts(state: Investigating, execution: Execution, reason: str) -> Iterator[str]:
    yield f"**Partial analysis.** The agent did not conclude: {reason}. This is what it had found until then."
    texts = [(turn.answer.text.strip(), turn.answer.thinking.strip()) for turn in execution.turns]
    if any(unfinished := _unfinished(execution)):
        texts.append(unfinished)
    spoken = [text for text, _ in texts if text]
    thought = [thinking for _, thinking in texts if thinking]
    if spoken:
        yield f"## Its last words\n\n{shorten(spoken[-1], MOST_WORDS)}"
    if thought and not texts[-1][0]:
        yield f"## Its last thoughts\n\n{shorten(thought[-1], MOST_WORDS)}"
    if pages := list(dict.fromkeys(_pages(execution)))[-MOST_RESULTS:]:
        yield "## Pages that it found\n\n" + "\n".join(pages)
    # A decision that ends calls before the session has them no longer in its state.
    calls = [state.calls[id] for turn in execution.turns for id in turn.calls if id in state.calls]
    described = [_describe_call(state, call) for call in calls if call.completed is not None][-MOST_RESULTS:]
    if described:
        yield "## Results so far\n\n" + "\n".join(described)


def _pages(execution: Execution) -> Iterator[str]:
    """Also those of an answer that was not completed."""
    failed = execution.retries.failed
    found = [source for turn in execution.turns for source in sources_of(turn.answer)]
    for source in [*found, *(() if failed is None else sources_of(failed))]:
        yield f"- {describe_source(source).removeprefix('- ')}"


def _describe_call(state: Investigating, call: ToolCallState) -> str:
    requested, completed = call.requested, call.completed
    named = cite(requested.number) if requested.number else "-"
    outcome = "" if completed is None or completed.outcome == "ok" else f" ({completed.outcome})"
    content = to_one_line(content_of(state.calls, call)[0], RESULT_CHARACTERS)
    return f"- {named} `{requested.server}.{requested.tool}`{outcome}: {content}"
