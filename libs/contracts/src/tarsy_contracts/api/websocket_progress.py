"""WebSocket messages of progress and of the record, as Go TARSy's dashboard expects them."""

from typing import Literal

from tarsy_contracts.api.websocket_model import LoggedMessage

type InteractionKind = Literal["llm", "mcp"]
type ExecutionPhase = Literal[
    "investigating", "gathering_info", "distilling", "concluding", "synthesizing", "finalizing", "remediating"
]


class InteractionRecorded(LoggedMessage):
    """The record has one more interaction, which is read with REST. One of no agent has neither stage nor execution."""

    type: Literal["interaction.created"]
    interaction_id: str
    interaction_type: InteractionKind
    stage_id: str | None = None
    execution_id: str | None = None


class SessionProgressed(LoggedMessage):
    """A stage begins, `current_stage_index` of `total_stages`, if all goes well. `status_text` is for people."""

    type: Literal["session.progress"]
    current_stage_name: str
    current_stage_index: int
    total_stages: int
    active_executions: int
    status_text: str


class ExecutionProgressed(LoggedMessage):
    """An agent begins something else. `message` is for people."""

    type: Literal["execution.progress"]
    stage_id: str
    execution_id: str
    phase: ExecutionPhase
    message: str
