"""An alert, as the investigation sees it: masked, and with the identity of its episode already in the session id."""

from typing import Annotated, Literal

from pydantic import Field

from tarsy_contracts.wire.message import Value

DATA_LIMIT_BYTES = 1024 * 1024
ALERT_LIMIT_BYTES = 2_560 * 1024
"""Limit of an alert in the inbox, as JSON, where a control character takes six bytes. The session's first event repeats
the alert beside the plan: both have to fit one record."""

ALERT_SOURCES = (
    "api",
    "alertmanager",
    "grafana",
    "pagerduty",
    "pagerduty-events",
    "cloudevent",
    "text",
    "json",
    "kafka",
)
AlertSource = Annotated[str, Field(examples=[*ALERT_SOURCES])]
"""Grows with the doors that alerts come through. One that is not known is shown as it is."""

SOURCES_THAT_RESOLVE = frozenset({"alertmanager", "grafana", "pagerduty", "pagerduty-events"})
"""Those whose senders report that an alert is over. It is unknown of any other alert whether it still fires."""

type Priority = Literal["urgent", "high", "normal", "low"]

PRIORITIES: tuple[Priority, ...] = ("urgent", "high", "normal", "low")
"""In the order in which they are taken from the queue."""

SEVERITIES: dict[str, Priority] = {
    **dict.fromkeys(("critical", "emergency", "fatal", "disaster", "page", "p1", "sev1", "sev0", "p0"), "urgent"),
    **dict.fromkeys(("error", "high", "major", "p2", "sev2"), "high"),
    **dict.fromkeys(("info", "informational", "low", "minor", "debug", "p4", "p5", "sev4", "sev5"), "low"),
}
"""Priorities of the severities that senders write; all others are normal."""


class McpServerSelection(Value):
    """`tools`: only these of the server's tools; empty for all."""

    name: str
    tools: tuple[str, ...] = ()


class McpSelection(Value):
    """MCP servers and native tools of one investigation, instead of the configured ones.

    `servers`, if any, replace all others. `native_tools`: tools of the LLM provider itself, on or off
    (chain.NATIVE_TOOLS); those that are not named are as configured.
    """

    servers: tuple[McpServerSelection, ...] = ()
    native_tools: dict[str, bool] | None = None


class Rerun(Value):
    """A person wants the alert of another session investigated again: in a session of its own, which joins no other.

    `parent_id`: that session. `question`: what the agents are asked to look at besides, masked; empty for nothing.
    """

    parent_id: str
    question: str = ""


class Alert(Value):
    """`data` is text for the model, in whatever form the sender chose. `priority` goes before what `severity` says.

    `cluster`, `namespace` and `workload`: where it comes from, as far as its labels or its data say it.
    `labels`: what its sender labelled it with besides, as `team`; the names are in lower case.
    `rerun`: the alert was investigated before. `llm_provider`: the provider that all agents ask, instead of the
    configured ones. `slack_message_fingerprint`: text of the Slack message that told of the alert, by which
    notifications find its thread. `names_no_type`: the alert names no type that a chain has, and so has the
    default one.
    """

    alert_type: str
    data: str
    source: AlertSource
    author: str
    title: str = ""
    severity: str | None = None
    runbook_url: str | None = None
    priority: Priority | None = None
    mcp: McpSelection | None = None
    cluster: str | None = None
    namespace: str | None = None
    workload: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    rerun: Rerun | None = None
    llm_provider: str | None = None
    slack_message_fingerprint: str | None = None
    names_no_type: bool = False


def priority_of(alert: Alert) -> Priority:
    """The alert's position in the queue."""
    if alert.priority is not None:
        return alert.priority
    return SEVERITIES.get((alert.severity or "").strip().lower(), "normal")


def workload_of(alert: Alert) -> str:
    """Returns cluster, namespace and workload as one text. Alerts that say nothing share one."""
    return "/".join(part or "" for part in (alert.cluster, alert.namespace, alert.workload))
