"""REST answers to what people ask of a session: cancel, release, retry, fail, run again."""

from pydantic import ConfigDict, Field

from tarsy_contracts.alert import Priority
from tarsy_contracts.api.alert_choices import AlertChoices, McpChoice
from tarsy_contracts.api.model import ApiModel

LONGEST_RERUN_QUESTION = 10_000
LONGEST_CANCEL_REASON = 1_000
NO_CHOICES = AlertChoices()


class CancelRequest(ApiModel):
    """Cancellation of a session; the body may be empty. `reason`: people read it beside who asked for it."""

    reason: str = Field("", max_length=LONGEST_CANCEL_REASON)


class SessionRequestGranted(ApiModel):
    """The owner of the session has decided so."""

    session_id: str
    request_id: str
    message: str


class RerunRequest(ApiModel):
    """Changes of a run; an empty body repeats the investigation as it was.

    `alert_type` chooses another chain, `llm_provider` another model for all agents, `mcp` other servers and tools:
    judged as those of a submission. Without them they are the session's own. `question`: what the agents are asked to
    look at besides.
    """

    model_config = ConfigDict(extra="forbid")

    alert_type: str | None = Field(None, min_length=1, max_length=200)
    llm_provider: str | None = Field(None, min_length=1, max_length=200)
    mcp: McpChoice | None = None
    question: str = Field("", max_length=LONGEST_RERUN_QUESTION)
    priority: Priority | None = None

    @property
    def choices(self) -> AlertChoices | None:
        """The names that the configuration must have; None when there are none."""
        found = AlertChoices(alert_type=self.alert_type, llm_provider=self.llm_provider, mcp=self.mcp)
        return None if found == NO_CHOICES else found


class RerunAccepted(ApiModel):
    """Kafka has the alert: the new session begins, and its `session.started` names `parent_id`."""

    session_id: str
    parent_id: str


class SessionRequestPending(ApiModel):
    """The request was accepted, and is not answered yet. `location` is where to look."""

    session_id: str
    request_id: str
    message: str
    location: str
