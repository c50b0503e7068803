"""`agents` and `agent_chains`: who investigates which alerts."""

from pydantic import field_validator

from tarsy_config.values import Name, Positive, Section, later, wrong


class Agent(Section):
    description: str = ""
    mcp_servers: tuple[Name, ...] = ()
    custom_instructions: str = ""
    max_iterations: Positive | None = None


class StageAgent(Section):
    """An agent as a stage uses it: what is set here wins."""

    name: Name
    llm_provider: Name | None = None
    max_iterations: Positive | None = None


class Stage(Section):
    name: Name
    agents: tuple[StageAgent, ...]

    @field_validator("agents")
    @classmethod
    def _one(cls, agents: tuple[StageAgent, ...]) -> tuple[StageAgent, ...]:
        return _exactly_one(agents, "agent")


class AgentChain(Section):
    alert_types: tuple[Name, ...]
    description: str = ""
    stages: tuple[Stage, ...]

    @field_validator("alert_types")
    @classmethod
    def _some(cls, alert_types: tuple[str, ...]) -> tuple[str, ...]:
        if not alert_types:
            raise wrong("is empty", "name the alert types that the chain is for")
        return alert_types

    @field_validator("stages")
    @classmethod
    def _one(cls, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        return _exactly_one(stages, "stage")


def _exactly_one[T](items: tuple[T, ...], what: str) -> tuple[T, ...]:
    if not items:
        raise wrong(f"has no {what}", f"name one {what}")
    if len(items) > 1:
        raise later(f"more than one {what}", f"keep one {what}")
    return items
