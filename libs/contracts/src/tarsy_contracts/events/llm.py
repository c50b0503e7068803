"""Events of LLM calls."""

from typing import ClassVar, Final, Literal

from pydantic import JsonValue

from tarsy_contracts.budgets import Charge
from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import ToolCall, Usage
from tarsy_contracts.native_calls import NativeCall
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count, Index, Seconds

type LlmPurpose = Literal["iteration", "conclusion"]
TIME_BUDGET: Final = "time_budget"
"""The `reason` of a conclusion, and the `kind` of an LLM call that was broken off for it."""

TOKEN_BUDGET: Final = "token_budget"
"""The `reason` of a conclusion: the sub-agents of its parent have used their tokens."""

BUDGET: Final = "budget"
"""The `reason` of a conclusion: a budget is used up. `budget.reached` says which."""

ENDED_BY_US: Final = "cancelled"
"""The `kind` of an LLM call that did not fail: nobody waits for it any longer."""


class Shortening(Value):
    """A conversation is shown shorter, because it is too long for its model.

    `results_left_out`: the first so many results are notes with the id to read them again. `result_characters`: of each
    of the others only its beginning; None for all of it.
    """

    results_left_out: Count = 0
    result_characters: Count | None = None


class LlmCallRequested(Message):
    """The session owes a question to a model. A failed one is asked again as the next `attempt`.

    Retries no earlier than `wait_seconds` after this event: a busy provider asked for it (`rate_limited`), or a failure
    needs a pause.

    `shortened`: from here on the conversation is shown so. `tools_left_out`: the provider refused these tools, which
    the agent does without from here on. `reason`: why the agent has to conclude before its last iteration:
    `time_budget`, where the time of the session, the reply or the sub-agent is nearly up, `token_budget` or `budget`.
    """

    type: ClassVar[str] = "llm_call.requested"
    llm_call_id: str
    execution_id: str
    iteration: Index
    attempt: Index
    purpose: LlmPurpose
    llm_provider: str = ""
    wait_seconds: Seconds = 0.0
    rate_limited: bool = False
    shortened: Shortening | None = None
    tools_left_out: tuple[str, ...] = ()
    reason: str = ""


class LlmCallCompleted(Message):
    """The model's answer, and the tools that it asks for. `opaque` is what the provider wants back unchanged.

    `final_answer`: what a ReAct agent marked as such; of other agents `text` is it, when there are no tool calls.
    `reminder`: what the agent is told, because nothing follows from the answer, or less than it asked for.
    `request_digest`: of all that the model was given (request_digest.py); events of 0.1.0 have none.
    `cut`: the answer ended at the limit of output tokens, not where the model wanted. `charge`: how it counts in
    budgets; None where its model has no price, and no budget of a day counts it.
    `native_calls`: what the model did with tools of its provider. `text` cites their sources (`[source 2]`).
    `native_tools_left_out`: those that the agent has, and that this model did not get; told once while it stays so.
    """

    type: ClassVar[str] = "llm_call.completed"
    llm_call_id: str
    execution_id: str
    thinking: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model: str
    duration_ms: Count
    opaque: JsonValue = None
    final_answer: str = ""
    reminder: str = ""
    request_digest: str = ""
    cut: bool = False
    native_calls: tuple[NativeCall, ...] = ()
    native_tools_left_out: tuple[NativeTool, ...] = ()
    charge: Charge | None = None


class LlmCallFailed(Message):
    """No answer came. The consequence depends on `kind`, and stands in the same batch: another attempt, another
    provider, or the end.

    `kind` is one of tarsy_llm's, or `call_timeout`, `iteration_timeout`, `session_timeout`, `time_budget`,
    `repetition`, `broken`, `cancelled`. `thinking`, `text`: what had been streamed where its time was up.
    `native_calls`: what the model had done with tools of its provider until then.
    `retryable`: the same question may succeed later. `usage`: what the provider had counted until then, if anything.
    `request_digest`: of all that the model was given; empty when nothing is known to have been sent.
    `refused_tools`: names of tools that the provider does not take. `most_tools`: how many it takes at most.
    `context_tokens`: how long a conversation its model takes at most. Each where the refusal says so.
    """

    type: ClassVar[str] = "llm_call.failed"
    llm_call_id: str
    execution_id: str
    error: str
    retryable: bool
    kind: str = ""
    retry_after_seconds: Seconds | None = None
    usage: Usage = Usage()
    request_digest: str = ""
    refused_tools: tuple[str, ...] = ()
    most_tools: Count | None = None
    context_tokens: Count | None = None
    thinking: str = ""
    text: str = ""
    native_calls: tuple[NativeCall, ...] = ()
    charge: Charge | None = None
