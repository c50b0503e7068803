"""Public events of the session itself, and of its alert."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from tarsy_contracts.public.model import PublicEvent, PublicValue, PublicWebSource


class InvestigatedAlert(PublicValue):
    """The alert of a session, masked. `source`: the door that it came through. `data`: its text, as agents read it.

    `labels`: what its sender labelled it with besides, as `team`; the names are in lower case.
    `slack_message_fingerprint`: text of the Slack message that told of the alert, where its sender knew one.
    """

    alert_type: str
    title: str
    data: str
    source: str
    author: str
    severity: str | None = None
    priority: Annotated[str, Field(examples=["urgent", "high", "normal", "low"])] = "normal"
    runbook_url: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    workload: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    slack_message_fingerprint: str | None = None


class PublicSessionStarted(PublicEvent):
    """An alert is investigated. `chain` is the name of the plan, `stages` its steps.

    `rerun_of`: the session whose alert is investigated again. `session_labels`: `weekday`, `weekend` or `holiday`, and
    `staffed` or `unstaffed`, where a calendar is configured.
    """

    type: ClassVar[str] = "tarsy.session.started"
    alert: InvestigatedAlert
    chain: str
    stages: tuple[str, ...] = ()
    rerun_of: str | None = None
    session_labels: tuple[str, ...] = ()


class PublicSessionCompleted(PublicEvent):
    """The investigation has ended with an analysis. The error says why there is no executive summary, if there is one.

    `partial_reason`: why the analysis is less than whole; empty where each agent concluded itself. `evidence_limits`:
    which agents had no tools of which servers, a sentence each. `sources`: the web pages that the analysis cites.
    `session_labels`: those of its beginning, and those that its executive summary gave it.
    """

    type: ClassVar[str] = "tarsy.session.completed"
    analysis: str
    executive_summary: str = ""
    executive_summary_error: str = ""
    partial_reason: str = ""
    evidence_limits: tuple[str, ...] = ()
    sources: tuple[PublicWebSource, ...] = ()
    session_labels: tuple[str, ...] = ()


class PublicSessionFailed(PublicEvent):
    """The investigation could not go on."""

    type: ClassVar[str] = "tarsy.session.failed"
    error: str


class PublicSessionCancelled(PublicEvent):
    """A person ended the investigation. `reason`: why, as that person said; or why it ended, where no person did."""

    type: ClassVar[str] = "tarsy.session.cancelled"
    author: str
    reason: str = ""


class PublicSessionTimedOut(PublicEvent):
    """The investigation took longer than it may."""

    type: ClassVar[str] = "tarsy.session.timed_out"
    error: str


class PublicSessionReopened(PublicEvent):
    """A question opens the finished investigation again. Its own status and analysis stay."""

    type: ClassVar[str] = "tarsy.session.reopened"


class PublicSessionDeleted(PublicEvent):
    """A person deleted the session: consumers should delete their copies, too.

    The same alert, sent again later, starts it anew, and its sequence goes on.
    """

    type: ClassVar[str] = "tarsy.session.deleted"
    author: str


class PublicAlertRepeated(PublicEvent):
    """The same alert arrived again: `count` times, `total` times so far. `news`: what agents read of new members."""

    type: ClassVar[str] = "tarsy.alert.repeated"
    source: str
    count: int
    total: int
    news: str = ""


class PublicAlertResolved(PublicEvent):
    """The alert no longer fires, as its sender says; since `ends_at`, if it says so."""

    type: ClassVar[str] = "tarsy.alert.resolved"
    source: str
    ends_at: datetime | None = None
