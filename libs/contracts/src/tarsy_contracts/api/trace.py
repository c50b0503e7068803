"""REST answers about the record of a session: what models and MCP servers were given, and what they answered.

Keys are Go TARSy's, but for those that it has not.
"""

from typing import Literal

from pydantic import Field, JsonValue

from tarsy_contracts.api.model import ApiModel, JsonObject, Timestamp
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events.execution import CostFacts
from tarsy_contracts.events.tool import Outcome
from tarsy_contracts.timeline.model import StepStatus

type Role = Literal["system", "user", "assistant", "tool"]


class ListedLlmInteraction(ApiModel):
    """A question to a model. `created_at`: when it was owed. `model_name` is empty before an answer named it.

    `ended_at`: when its end was recorded. It, `duration_ms` and `error_message` are null while it runs, and where
    nobody measured it or nothing failed.
    `interaction_type`: iteration, forced_conclusion, synthesis, executive_summary, chat_response, summarization; it may
    get further values.

    `timeline_event_ids`: the timeline's steps of this call, in order: thought, answer, error, tool calls, summary.
    """

    id: str
    interaction_type: str
    llm_provider: str
    model_name: str
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    thinking_tokens: int | None
    cached_input_tokens: int | None
    cache_written_tokens: int | None
    duration_ms: int | None
    error_message: str | None
    created_at: Timestamp
    ended_at: Timestamp | None = None
    timeline_event_ids: tuple[str, ...] = ()


class ListedMcpInteraction(ApiModel):
    """A call of a tool (`tool_call`), or the tools that an execution was offered by a server (`tool_list`).

    `outcome` and `ended_at` are null while the call runs, and of a `tool_list`. Between `created_at` and `ended_at` a
    call may wait, for a person or for a place; `duration_ms` is how long it ran.
    """

    id: str
    interaction_type: Literal["tool_call", "tool_list"]
    server_name: str
    tool_name: str | None
    outcome: Outcome | None
    duration_ms: int | None
    error_message: str | None
    created_at: Timestamp
    ended_at: Timestamp | None = None


class TracedExecution(CostFacts, ApiModel):
    """Interactions of one agent's run, in the order in which they began. A sub-agent has a parent and its `task`.

    The cost is that of the run itself until now, at the prices of its calls; sub-agents have theirs.
    `context_tokens`: what its present provider reads at once at most; null where nobody knows.
    """

    execution_id: str
    agent_name: str
    parent_execution_id: str | None = None
    task: str | None = None
    context_tokens: int | None = None
    llm_interactions: tuple[ListedLlmInteraction, ...]
    mcp_interactions: tuple[ListedMcpInteraction, ...]


class TracedStage(ApiModel):
    stage_id: str
    stage_name: str
    stage_type: str
    referenced_stage_id: str | None
    executions: tuple[TracedExecution, ...]


class TracedPhase(ApiModel):
    """A phase after the end. `number` counts them from 1, `author` is who wanted it; empty where a rule did.

    `stage_id` is null until it has ended. `cancelled` is also one that a question interrupted: it has no `result` then.
    """

    phase: str
    phase_id: str
    number: int
    author: str
    status: StepStatus
    error: str
    stage_id: str | None
    requested_at: Timestamp
    result: JsonValue


class SessionTrace(ApiModel):
    """The record of a session, without the contents. `session_*` belong to no execution, such as the runbook's fetch.

    `phases`: what came after the end, such as scoring, besides replies to questions.

    `complete` is false when this version cannot read an event of the session: what lies behind it is not shown.
    """

    session_id: str
    last_number: int
    complete: bool
    stages: tuple[TracedStage, ...]
    session_interactions: tuple[ListedLlmInteraction, ...]
    session_mcp_interactions: tuple[ListedMcpInteraction, ...]
    phases: tuple[TracedPhase, ...] = ()


class TracedToolCall(ApiModel):
    id: str
    name: str
    arguments: JsonObject


class TracedMessage(ApiModel):
    """A message of a conversation. `opaque`: what a provider wanted back unchanged, such as signatures of thoughts."""

    role: Role
    content: str
    tool_calls: tuple[TracedToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool = False
    opaque: JsonValue = None


class LlmRequestFacts(ApiModel):
    """Facts of a request. `iteration` and `attempt` count from 1; a summary's attempts are its questions to providers.

    `is_last`: the model could answer in words only.
    """

    iteration: int
    attempt: int
    messages_count: int
    tools_count: int
    native_tools: tuple[str, ...]
    answer_tokens: int | None
    is_last: bool


class LlmResponseFacts(ApiModel):
    text_length: int
    tool_calls_count: int


class LlmInteraction(ListedLlmInteraction):
    """A question to a model with all that it was given, in nobody's dialect, and its masked answer.

    `conversation` and `tools` are made again from the log, by the code that made them. `verified` compares their digest
    with that of the sent request. It is false if another version of TARSy sent other words, and null without a digest
    on record. A call may have been sent more than once, each time the same.

    `conversation` is null where it cannot be made again; `missing` says why. `answer` is null while there is none.
    """

    execution_id: str
    tool_call_id: str | None = Field(description="of a summary: the call whose result it shortens")
    thinking_content: str | None
    llm_request: LlmRequestFacts | None
    llm_response: LlmResponseFacts | None
    conversation: tuple[TracedMessage, ...] | None
    tools: tuple[ToolDefinition, ...]
    answer: TracedMessage | None
    request_digest: str | None
    verified: bool | None
    missing: str | None


class AvailableTool(ApiModel):
    name: str
    description: str
    input_schema: JsonObject


class TracedToolResult(ApiModel):
    """The masked answer, as far as it is inline. `size` and `lines` are of all of it; if `cut`, it is at `whole`.

    The content of a result that is cut ends with a note that says so.
    """

    content: str
    is_error: bool
    cut: bool
    size: int
    lines: int
    whole: str | None


class LearnedResult(ApiModel):
    """An answer that came after the call had ended as unknown."""

    outcome: Outcome
    content: str
    cut: bool


class McpInteraction(ListedMcpInteraction):
    """A call of a tool with its arguments as they were sent, and the masked answer; or the tools of a server.

    `available_tools` is null of a call, and the other fields are null of a `tool_list`. A call whose outcome is
    `rejected` may not have reached the server; one that is harmless to repeat may have been sent more than once.
    """

    execution_id: str
    llm_interaction_id: str | None
    tool_arguments: JsonObject | None
    tool_result: TracedToolResult | None
    learned_result: LearnedResult | None
    available_tools: tuple[AvailableTool, ...] | None


class TracedSkillFile(ApiModel):
    path: str
    text: str


class TracedSkill(ApiModel):
    """A skill as it was when the session began. Masked.

    `runbooks`: addresses that agents may read, too. `loaded_by`: the executions that loaded it, or a part of it.
    """

    name: str
    description: str
    body: str
    digest: str
    files: tuple[TracedSkillFile, ...]
    runbooks: tuple[str, ...]
    loaded_by: tuple[str, ...]


class TracedSkills(ApiModel):
    """The skills that a session recorded; none of one whose agents have none.

    `complete` is false when this server cannot read all events of the session.
    """

    session_id: str
    last_number: int
    complete: bool
    skills: tuple[TracedSkill, ...]
