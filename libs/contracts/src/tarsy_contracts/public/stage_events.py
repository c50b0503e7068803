"""Public events of stages and of the agents that run in them."""

from typing import Annotated, ClassVar

from pydantic import Field

from tarsy_contracts.public.model import PublicEvent, PublicValue, StageKind, Status


class PublicStageStarted(PublicEvent):
    """A step begins. `index` counts the steps of the session from 1; `agents` run in it side by side."""

    type: ClassVar[str] = "tarsy.stage.started"
    stage_id: str
    index: int
    name: str
    stage_type: StageKind
    agents: int


class CountedCall(PublicValue):
    """A call of a tool that changes something. `approved_by`: the person who said yes, if one was asked."""

    call_id: str
    server: str
    tool: str
    result: Annotated[str, Field(examples=["done", "failed", "denied", "unknown", "proposed"])]
    approved_by: str = ""


class CountedAction(PublicValue):
    """Outcome of a step that acts, counted from its calls, of which `calls` are the first fifty.

    `helped`: what the call `verified_by` showed afterwards (`yes`, `no`, `unknown`), empty where nobody looked;
    `not_verified` says why it is unknown. All values may grow.
    """

    verdict: Annotated[str, Field(examples=["acted", "recommended", "nothing_to_do", "blocked"])]
    done: int = 0
    failed: int = 0
    denied: int = 0
    unknown: int = 0
    proposed: int = 0
    calls: tuple[CountedCall, ...] = ()
    helped: str = ""
    verified_by: str = ""
    not_verified: str = ""


class PublicStageCompleted(PublicEvent):
    """A step has ended, well or not; `status` says how, `error` why. `action`: what a step that acts has done."""

    type: ClassVar[str] = "tarsy.stage.completed"
    stage_id: str
    index: int
    name: str
    status: Status
    error: str = ""
    action: CountedAction | None = None


class PublicExecutionStarted(PublicEvent):
    """An agent begins. `unavailable_servers`: MCP servers that it should have had, and has not.

    `parent_execution_id`: of the agent that sent this one, with this `task`; both are empty for an agent of the stage.
    """

    type: ClassVar[str] = "tarsy.execution.started"
    execution_id: str
    stage_id: str
    agent: str
    index: int
    llm_provider: str = ""
    unavailable_servers: tuple[str, ...] = ()
    parent_execution_id: str = ""
    task: str = ""


class PublicExecutionFellBack(PublicEvent):
    """The agent's provider did not answer. Until the agent ends, another is asked."""

    type: ClassVar[str] = "tarsy.execution.fell_back"
    execution_id: str
    from_provider: str
    to_provider: str
    error: str


class PublicExecutionCompleted(PublicEvent):
    """An agent has ended, well or not; `status` says how, `error` why.

    `analysis` is its result: in a stage of the type `chat` the answer to the question. `partial_reason`: why it is less
    than whole; empty where the agent concluded itself. `cost`: of its own calls in US dollars, at their prices then;
    null where none of its models has one, or the event is from before it was recorded.
    """

    type: ClassVar[str] = "tarsy.execution.completed"
    execution_id: str
    stage_id: str
    agent: str
    index: int
    stage_type: StageKind
    status: Status
    analysis: str = ""
    error: str = ""
    iterations: int = 0
    partial_reason: str = ""
    cost: float | None = None
    cost_completeness: Annotated[str, Field(examples=["complete", "partial", "none"])] = "none"
    unpriced_calls: int = 0
