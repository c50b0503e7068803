"""Events of the stages of a chain and the executions of their agents."""

from typing import ClassVar

from tarsy_contracts.actions import ActionOutcome
from tarsy_contracts.chain import ParallelType, StageType, SuccessPolicy
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events.execution import EndStatus, ExecutionOutcome, ExecutionSpec, facts_of
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Index
from tarsy_contracts.withheld_tools import WithheldTools


class StageStarted(Message):
    """A stage begins. `index` counts the stages of the session from 1, also those that the chain does not name.

    `chain_stage` is its place in the plan, from 0; a synthesis has that of the stage whose analyses it joins, which is
    `referenced_stage_id`. None: it belongs to no stage of the plan.
    """

    type: ClassVar[str] = "stage.started"
    stage_id: str
    index: Index
    name: str
    stage_type: StageType = "investigation"
    chain_stage: Index | None = 0
    expected_agent_count: Index = 1
    parallel_type: ParallelType | None = None
    success_policy: SuccessPolicy | None = None
    referenced_stage_id: str | None = None


class OfferedTool(Value):
    """A tool that agents of a stage may call, as the catalog described it before the first of them began.

    `repeatable` says that running it twice is harmless (its server calls it read-only or idempotent). `read_only`: it
    changes nothing, by its server's word or the configuration's.
    """

    server: str
    tool: str
    repeatable: bool
    definition: ToolDefinition
    read_only: bool = False


class SubAgentTools(Value):
    """Tools of an agent that others of the stage may send. `key`: its name in the plan's table of sub-agents.

    `tools`: the names of those that it may call. `missing`: words of its instructions that look like tools.
    """

    key: str
    tools: tuple[str, ...]
    withheld: tuple[WithheldTools, ...] = ()
    missing: tuple[str, ...] = ()


class StageToolsOffered(Message):
    """The tools of a stage are known. They are said once, however many agents run in it.

    Each `execution.started` names those that its agent may call. `sub_agents`: the tools of those that may be sent.
    """

    type: ClassVar[str] = "stage.tools_offered"
    stage_id: str
    tools: tuple[OfferedTool, ...]
    sub_agents: tuple[SubAgentTools, ...] = ()


class ExecutionStarted(ExecutionSpec, Message):
    """An agent begins. Its instructions, prompt and tools are fixed here, so that any owner goes on with the same.

    Agents that run in parallel are asked the same: only the first has the prompt, the others name it in `prompt_of`.
    `stage_tools` are the names (`definition.name`) of the tools of `stage.tools_offered` that the agent may call.
    `tools` is empty then: older logs have the tools themselves there. `withheld`: by server, what it does not get.
    `index` counts the executions of the stage from 1, those of sub-agents behind those of the stage's own agents.
    """

    type: ClassVar[str] = "execution.started"
    execution_id: str
    stage_id: str
    index: Index
    system: str
    prompt: str
    tools: tuple[OfferedTool, ...]
    prompt_of: str = ""
    stage_tools: tuple[str, ...] = ()

    @property
    def spec(self) -> ExecutionSpec:
        return facts_of(ExecutionSpec, self)


class ProviderFellBack(Message):
    """The provider that the agent asked did not answer. From here on, until the execution ends, another is asked.

    `kind` is the class of the error (`LlmCallFailed.kind`).
    """

    type: ClassVar[str] = "execution.fell_back"
    execution_id: str
    from_provider: str
    to_provider: str
    kind: str
    error: str


class ExecutionCompleted(ExecutionOutcome, Message):
    """An agent has ended, well or not; `status` says how, `error` why.

    `forced_conclusion`: it had used all its iterations or its time, and was made to conclude. `partial_reason`: why the
    analysis was made of what there was, or too early (it begins with `time_budget`); empty where the agent concluded
    itself.
    """

    type: ClassVar[str] = "execution.completed"
    execution_id: str
    stage_id: str
    agent: str
    index: Index
    final_analysis: str = ""
    stage_type: StageType = "investigation"

    @property
    def outcome(self) -> ExecutionOutcome:
        return facts_of(ExecutionOutcome, self)


class StageCompleted(Message):
    """A stage has ended, well or not; `status` says how, `error` why. `action`: what a stage that acts has done."""

    type: ClassVar[str] = "stage.completed"
    stage_id: str
    index: Index
    name: str
    status: EndStatus
    error: str = ""
    action: ActionOutcome | None = None
