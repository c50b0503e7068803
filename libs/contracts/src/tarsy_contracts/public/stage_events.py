"""Public events of stages and of the agents that run in them."""

from typing import ClassVar

from tarsy_contracts.public.model import PublicEvent, StageKind, Status


class PublicStageStarted(PublicEvent):
    """A step begins. `index` counts the steps of the session from 1; `agents` run in it side by side."""

    type: ClassVar[str] = "tarsy.stage.started"
    stage_id: str
    index: int
    name: str
    stage_type: StageKind
    agents: int


class PublicStageCompleted(PublicEvent):
    """A step has ended, well or not; `status` says how, `error` why."""

    type: ClassVar[str] = "tarsy.stage.completed"
    stage_id: str
    index: int
    name: str
    status: Status
    error: str = ""


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
    than whole; empty where the agent concluded itself.
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
