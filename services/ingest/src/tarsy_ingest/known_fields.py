"""Well-known names of senders that have no door of their own: where their JSON says what.

The first name that is there counts. One table for all senders; each case in tests/field names where it is documented.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tarsy_config.sections.alert_doors import AlertDoor

STRIPPED_TITLE = "title without its state"
"""Stands for a pointer in IDENTITIES: what is left of a title such as `[Triggered] Checkout 5xx`."""

TITLES = (
    "/data/essentials/alertRule",  # Azure Monitor
    "/data/context/name",  # its older schemas
    "/data/context/activityLog/properties/title",
    "/context/name",
    "/incident/policy_name",  # Google Cloud Monitoring
    "/data/event/title",  # Sentry
    "/data/issue/title",
    "/data/description_title",
    "/data/error/title",
    "/alert/message",  # Opsgenie
    "/alert_group/title",  # Grafana OnCall
    "/alert/title",
    "/alert/name",
    "/annotations/summary",  # alerts of Prometheus, one by one
    "/commonAnnotations/summary",
    "/labels/alertname",
    "/monitor/name",  # Uptime Kuma
    "/monitor/label",  # Spectate
    "/monitor_name",
    "/MONITORNAME",  # Site24x7
    "/ProblemTitle",  # Dynatrace
    "/AlarmName",  # CloudWatch
    "/search_name",  # Splunk
    "/workflow_run/name",  # GitHub
    "/title",
    "/summary",
    "/alert_title",
    "/alertname",
    "/alert_name",
    "/alertName",
    "/condition_name",  # New Relic
    "/rule/name",  # Kibana
    "/ruleName",
    "/rule",  # Falco
    "/event/title",
    "/subject",
    "/name",
    "/message",
    "/msg",
    "/text",
    "/note",  # events.k8s.io
    "/description",
)
SEVERITIES = (
    "/data/essentials/severity",
    "/data/context/severity",
    "/context/severity",
    "/incident/severity",
    "/data/event/level",
    "/data/issue/level",
    "/alert/priority",
    "/alert/severity",
    "/labels/severity",
    "/commonLabels/severity",
    "/severity",
    "/Severity",
    "/ProblemSeverity",
    "/priority",
    "/level",
)
IDENTITIES: tuple[tuple[str, ...], ...] = (
    ("/data/essentials/alertId",),
    ("/data/context/id", "/data/context/resourceId"),
    ("/data/context/id",),
    ("/data/context/activityLog/correlationId",),
    ("/context/id", "/context/resourceId"),
    ("/incident/incident_id",),
    ("/alert/alertId",),
    ("/alert_cycle_key",),
    ("/data/issue/id",),
    ("/data/event/issue_id",),
    ("/data/metric_alert/id",),
    ("/alert_group/id",),
    ("/monitor/id",),
    ("/monitor_id",),
    ("/event/monitorID",),
    ("/MONITOR_ID",),
    ("/MONITORURL", "/MONITORNAME"),
    ("/ProblemID",),
    ("/AlarmArn",),
    ("/AlarmName",),
    ("/workflow_run/id",),
    ("/fingerprint",),
    ("/labels",),
    ("/issueId",),
    ("/id", "/issueUrl"),
    ("/dedup_key",),
    ("/dedupKey",),
    ("/aggreg_key",),
    ("/involvedObject/kind", "/involvedObject/namespace", "/involvedObject/name", "/reason"),
    ("/regarding/kind", "/regarding/namespace", "/regarding/name", "/reason"),
    ("/rule", "/output_fields/k8s.ns.name", "/output_fields/k8s.pod.name"),
    ("/rule", "/hostname"),
    ("/rule/id", "/alert/id"),
    ("/org/id", "/event_type", STRIPPED_TITLE),
    ("/alert_id",),
    ("/alertId",),
    ("/incident_id",),
    ("/incidentId",),
    ("/alias",),
    ("/deduplication_key",),
    ("/event_id",),
    ("/incident/id",),
    ("/alert/id",),
)
STARTS = (
    "/data/essentials/firedDateTime",
    "/incident/started_at",
    "/startsAt",
    "/starts_at",
    "/started_at",
    "/alert/createdAt",
    "/createdAt",
)
ENDS = (
    "/data/essentials/resolvedDateTime",
    "/incident/ended_at",
    "/endsAt",
    "/ends_at",
    "/ended_at",
    "/updatedAt",
    "/last_updated",
    "/date",
    "/heartbeat/time",
    "/timestamp",
)
RUNBOOKS = ("/runbook_url", "/runbookUrl", "/annotations/runbook_url", "/labels/runbook_url")

OVER = frozenset(
    {
        "resolved",
        "resolve",
        "recovered",
        "recovery",
        "ok",
        "closed",
        "close",
        "deleted",
        "delete",
        "up",
        "normal",
        "cleared",
        "clear",
        "deactivated",
        "back to normal",
    }
)
STATES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "/data/essentials/monitorCondition",
            "/incident/state",
            "/data/status",
            "/data/context/activityLog/status",
            "/alert_transition",
            "/current_state",
            "/NewStateValue",
            "/State",
            "/STATUS",
            "/action",
            "/alert/status",
            "/alert_group/state",
            "/monitor_state",
            "/period/state",
            "/state",
            "/status",
            "/alertState",
            "/alert_status",
            "/trigger",
            "/notificationType",
        ),
        OVER,
    ),
    "/heartbeat/status": frozenset({"1"}),
    "/workflow_run/conclusion": frozenset({"success", "neutral", "skipped"}),
}
"""The words with which each says that the alert is over."""
EVENTS = ("/event", "/event/type", "/event_type", "/eventType", "/notification_event")
"""Names of events, such as `alert.resolved` and `monitor_up`: their last word counts."""
OVER_EVENTS = frozenset({"resolved", "resolve", "recovered", "recovery", "ok", "closed", "up", "cleared"})
NO_NEWS: Mapping[str, frozenset[str]] = {
    "/action": frozenset(
        {
            *("acknowledge", "unacknowledge", "addnote", "addtags", "removetags", "addteam", "addrecipient"),
            *("addresponder", "assignownership", "takeownership", "snooze", "snoozeended", "updatepriority"),
            *("updatedescription", "updatemessage", "escalate", "escalatenext", "assigned", "ignored", "archived"),
        }
    ),
    "/Type": frozenset({"subscriptionconfirmation", "unsubscribeconfirmation"}),
    "/state": frozenset({"acknowledged"}),
    "/status": frozenset({"acknowledged"}),
    "/current_state": frozenset({"acknowledged"}),
}
"""Words of news that change nothing for us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """JSON pointers (RFC 6901) to the fields of a sender's JSON. The first that exists counts.

    `identities`: each is what names an alert, all of it together. `over` and `no_news`: the words that say so; of
    `events` the last word.
    `door`: whose it is, where the configuration has it. `alert_type`: that of its alerts.
    """

    titles: tuple[str, ...]
    severities: tuple[str, ...]
    identities: tuple[tuple[str, ...], ...]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    runbooks: tuple[str, ...]
    over: Mapping[str, frozenset[str]]
    no_news: Mapping[str, frozenset[str]]
    events: tuple[str, ...] = EVENTS
    door: str = ""
    alert_type: str | None = None


WELL_KNOWN = FieldTable(
    titles=TITLES,
    severities=SEVERITIES,
    identities=IDENTITIES,
    starts=STARTS,
    ends=ENDS,
    runbooks=RUNBOOKS,
    over=STATES,
    no_news=NO_NEWS,
)


def table_of(name: str, door: AlertDoor) -> FieldTable:
    """Pointers of the configuration come first; well-known names are looked for besides."""
    return replace(
        WELL_KNOWN,
        door=name,
        alert_type=door.alert_type,
        titles=(*door.name, *TITLES),
        severities=(*door.severity, *SEVERITIES),
        identities=(door.identity, *IDENTITIES) if door.identity else IDENTITIES,
        starts=(*door.starts_at, *STARTS),
        ends=(*door.ends_at, *ENDS),
        runbooks=(*door.runbook, *RUNBOOKS),
        over={**STATES, **{pointer: frozenset(words) for pointer, words in door.resolved_when.items()}},
    )
