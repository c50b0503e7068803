"""The body of `POST /api/v1/alerts`: as the Go TARSy has it, and with severity, priority, title and LLM provider."""

from dataclasses import replace

from pydantic import ConfigDict, Field, JsonValue

from tarsy_contracts.alert import Priority
from tarsy_contracts.api.alert_choices import McpChoice
from tarsy_contracts.runbook_urls import RunbookUrlRefusedError, require_allowed_runbook_url
from tarsy_ingest.alert_choices import mistakes_in_choices
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.raw_alert import AlertRejectedError, FieldError, Payload, RawAlert, check_size, validate


class Submission(Payload):
    """`data` is for the agent to read, in any form. `llm_provider`: the provider of the configuration that all agents
    ask. `slack_message_fingerprint`: text of the Slack message that told of the alert; notifications go to its thread.
    """

    model_config = ConfigDict(extra="forbid")

    alert_type: str | None = None
    data: str
    runbook: str | None = None
    mcp: McpChoice | None = None
    llm_provider: str | None = Field(None, max_length=200)
    priority: Priority | None = None
    title: str | None = None
    severity: str | None = Field(None, max_length=300)
    slack_message_fingerprint: str | None = Field(None, max_length=1_000)

    def apply_choices(self, alert: RawAlert) -> RawAlert:
        """The alert, with what was chosen for it alone."""
        mcp = self.mcp.to_selection() if self.mcp else None
        title = self.title or alert.title
        return replace(
            alert,
            title=title,
            severity=self.severity or alert.severity,
            runbook_url=self.runbook or None,
            priority=self.priority,
            mcp=mcp,
            llm_provider=self.llm_provider or None,
            slack_message_fingerprint=self.slack_message_fingerprint or None,
        )


OWN_FIELDS = frozenset({"alert_type", "mcp", "llm_provider", "slack_message_fingerprint"})
"""No other format has a field of these names next to `data`."""


def may_be_ours(value: JsonValue) -> bool:
    """Whether a body may be meant as a submission, be it with a mistake."""
    match value:
        case {"data": str()}:
            return True
        case dict():
            has_only_ours = value.keys() <= Submission.model_fields.keys()
            return has_only_ours or ("data" in value and not OWN_FIELDS.isdisjoint(value))
        case [dict(), *_]:
            return any(may_be_ours(one) for one in value)
        case _:
            return True


def read_submission(value: JsonValue, rules: AlertRules, *, session_id: str, author: str) -> RawAlert:
    """For a sender who can be told what is wrong. Raises AlertRejectedError."""
    submission = validate(Submission, value)
    mistakes = _list_mistakes(submission, rules)
    if mistakes:
        raise AlertRejectedError(*mistakes)
    alert = RawAlert(
        session_id=session_id,
        alert_type=rules.types.require(submission.alert_type or None),
        data=check_size(submission.data, ("data",)),
        source="api",
        author=author,
        place=("data",),
        same="content",
    )
    return submission.apply_choices(alert)


def _list_mistakes(submission: Submission, rules: AlertRules) -> list[FieldError]:
    found = mistakes_in_choices(submission.llm_provider, submission.mcp, rules)
    if submission.runbook:
        try:
            require_allowed_runbook_url(submission.runbook, rules.runbook_domains)
        except RunbookUrlRefusedError as problem:
            found.append((("runbook",), str(problem)))
    return found
