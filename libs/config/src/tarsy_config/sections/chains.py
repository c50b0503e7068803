"""`agents` and `agent_chains`: who investigates which alerts."""

from pydantic import Field, ValidationInfo, field_validator

from tarsy_config.document.key_paths import AGENT, CHAIN, CHAT, STAGE, STAGE_AGENT
from tarsy_config.sections.agent_options import SomeOptions, with_options
from tarsy_config.sections.alert_handling import AlertHandling
from tarsy_config.sections.approval import ApprovalSettings, Approve
from tarsy_config.sections.fallbacks import Compose, FallbackChoice, ModelChoice, Scoring
from tarsy_config.sections.matchers import MatcherText
from tarsy_config.sections.verification import Verify
from tarsy_config.values import Backend, Name, Positive, wrong
from tarsy_contracts.chain import SuccessPolicy

LATER_TYPES = frozenset({"scoring"})
NEVER_SENT = LATER_TYPES | {"action"}
"""Types of agents that are nobody's sub-agents: one that acts does so in a stage, where its acts are counted."""
"""Types of agents that can be defined, and that no stage runs yet."""


@with_options(AGENT)
class Agent(SomeOptions):
    description: str = ""
    llm_backend: Backend | None = None


@with_options(STAGE_AGENT)
class StageAgent(ModelChoice, SomeOptions):
    """An agent as a stage uses it: what is set here wins."""

    name: Name


class Synthesis(ModelChoice):
    """The agent that joins the analyses of a stage into one."""

    agent: Name | None = None


@with_options(STAGE)
class StageConfig(FallbackChoice, SomeOptions):
    """`replicas`: the first agent so many times, and no other."""

    name: Name
    agents: tuple[StageAgent, ...]
    replicas: Positive | None = None
    success_policy: SuccessPolicy | None = None
    synthesis: Synthesis = Synthesis()

    @field_validator("agents")
    @classmethod
    def _require_agents(cls, agents: tuple[StageAgent, ...]) -> tuple[StageAgent, ...]:
        return _require_at_least_one(agents, "agent")


@with_options(CHAT)
class Chat(ModelChoice, SomeOptions):
    """The agent that answers questions about the finished investigation."""

    enabled: bool = True
    agent: Name | None = None


@with_options(CHAIN)
class AgentChain(ModelChoice, SomeOptions):
    """`match`: matchers that an alert of these types has to fit, all of them; an empty list fits every alert.

    Without `alert_types`, it is for alerts of all types that fit.
    """

    match: tuple[MatcherText, ...] | None = None
    alert_types: tuple[Name, ...] = Field((), validate_default=True)
    description: str = ""
    label_map: str | None = None
    executive_summary: ModelChoice = ModelChoice()
    executive_summary_provider: Name | None = None
    compose: Compose = Compose()
    scoring: Scoring = Scoring()
    chat: Chat | None = None
    alerts: AlertHandling = AlertHandling()
    approve: Approve | None = None
    approval: ApprovalSettings = ApprovalSettings()
    verify: Verify | None = None
    actions_per_hour: int | None = Field(None, ge=0)
    stages: tuple[StageConfig, ...]

    @field_validator("alert_types")
    @classmethod
    def _require_alert_types(cls, alert_types: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if not alert_types and info.data.get("match", ()) is None:
            raise wrong("is empty", "name the alert types that the chain is for, or what they match")
        return alert_types

    @field_validator("executive_summary_provider")
    @classmethod
    def _require_one_summary_provider(cls, provider: str | None, info: ValidationInfo) -> str | None:
        block: ModelChoice | None = info.data.get("executive_summary")
        if provider is not None and block is not None and block.llm_provider is not None:
            raise wrong("repeats what executive_summary.llm_provider says", "keep one of them")
        return provider

    @field_validator("alerts")
    @classmethod
    def _refuse_grouping_by_labels(cls, alerts: AlertHandling, info: ValidationInfo) -> AlertHandling:
        """Which alerts are the same is decided by their type, before a chain is chosen by their labels."""
        for key in ("window", "flapping", "grouping"):
            if info.data.get("match") is not None and getattr(alerts, key) is not None:
                raise wrong("has no place in a chain with match", "set it in defaults.alerts", key=key)
        return alerts

    @field_validator("stages")
    @classmethod
    def _require_stages(cls, stages: tuple[StageConfig, ...]) -> tuple[StageConfig, ...]:
        return _require_at_least_one(stages, "stage")


def _require_at_least_one[T](items: tuple[T, ...], what: str) -> tuple[T, ...]:
    if not items:
        raise wrong(f"has no {what}", f"name one {what}")
    return items
