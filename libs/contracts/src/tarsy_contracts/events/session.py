"""Events of the session itself: it starts, it ends, its alert comes again, people ask for something."""

from datetime import datetime
from typing import ClassVar

from tarsy_contracts.alert import Alert, AlertSource
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.native_calls import WebSource
from tarsy_contracts.skills import Skill
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Count, Index


class SessionStarted(Message):
    """The first event of a session. The plan is fixed here: an old session is explained by the rules it ran under.

    `follows`: the session was deleted before, by this request or event; no id of the life before is used again.
    `deduplication_key`: alerts with the same key join this session for a while. `members`: the ids of the alerts of a
    group. `starts_at`: when the alert began to fire, as its sender says, if it does. `labels`: those that the session
    has from its beginning, by the calendar of its plan.
    """

    type: ClassVar[str] = "session.started"
    version: ClassVar[int] = 2
    input_id: str
    alert: Alert
    chain: ResolvedChain
    follows: str = ""
    deduplication_key: str = ""
    members: tuple[str, ...] = ()
    starts_at: datetime | None = None
    labels: tuple[str, ...] = ()


class SessionSkillsRecorded(Message):
    """The skills that the plan names, as they were when the session began. Masked.

    Agents read these, however the configuration changes meanwhile. Those for other types of alerts are left out.
    """

    type: ClassVar[str] = "session.skills_recorded"
    skills: tuple[Skill, ...]


class AlertRepeated(Message):
    """The same alert arrived again, and met its session: `count` times, `total` times so far in the session.

    `input_id` is that of the last. `joined`: the ids that senders were given for it, where they are not this session's.
    `members`: the ids of alerts of a group that are new to the session, and `news` what agents read of them.
    `starts_at`: when the last one began to fire, as its sender says, if it does.
    """

    type: ClassVar[str] = "alert.repeated"
    input_id: str
    source: AlertSource
    count: Count = 1
    total: Count = 0
    joined: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    news: str = ""
    starts_at: datetime | None = None


class AlertResolved(Message):
    """The alert no longer fires, as its sender says; since `ends_at`, if it says so.

    A session notes it once, and again when the alert has come back in between.
    """

    type: ClassVar[str] = "alert.resolved"
    input_id: str
    source: AlertSource
    ends_at: datetime | None = None


CANCEL = "cancel"
"""The value of `request` when a person wants the session to end."""


class RequestAccepted(Message):
    """A person's request was granted; what follows from it stands in the same batch.

    `comment`: why, in masked words of that person.
    """

    type: ClassVar[str] = "request.accepted"
    request_id: str
    request: str
    author: str
    comment: str = ""


class RequestRefused(Message):
    """A person's request was refused. `code` is the HTTP status that says so."""

    type: ClassVar[str] = "request.refused"
    request_id: str
    request: str
    author: str
    code: Index
    reason: str


class SessionReleased(Message):
    """An operator brought the session back that was set aside. `request`: the word he used (release, retry, fail).

    After `fail` the session ends, if it had not, and the inputs that waited are not decided.
    """

    type: ClassVar[str] = "session.released"
    request_id: str
    request: str
    author: str


DELETE = "delete"
"""The value of `request` when a person wants the session to be deleted."""


class SessionDeleted(Message):
    """All that the session held may go: views drop it, and its records may be deleted from the log.

    Its number stays: the same alert, sent again later, opens a session that goes on with the next number.
    """

    type: ClassVar[str] = "session.deleted"
    request_id: str
    author: str


class SessionCompleted(Message):
    """The investigation has ended with an analysis, and the session is at rest.

    The executive summary is nice to have: without it, `executive_summary_error` says why. `partial_reason`: why the
    analysis is less than whole; empty where each agent of the investigation concluded itself. `evidence_limits`: which
    agents had no tools of which servers, a sentence each. `sources`: the web pages that analysis and summary cite.
    `labels`: all that the session has now, those of its beginning first. `labels_error`: why its summary gave it fewer
    than the model named, or none.
    """

    type: ClassVar[str] = "session.completed"
    final_analysis: str
    executive_summary: str = ""
    executive_summary_error: str = ""
    partial_reason: str = ""
    evidence_limits: tuple[str, ...] = ()
    sources: tuple[WebSource, ...] = ()
    labels: tuple[str, ...] = ()
    labels_error: str = ""


class SessionFailed(Message):
    """The investigation could not go on, and the session is at rest.

    `request_id`: of the operator who ended a session that was set aside, whatever lay before it on the log.
    """

    type: ClassVar[str] = "session.failed"
    error: str
    request_id: str = ""


class SessionCancelled(Message):
    """A person ended the investigation, and the session is at rest. `reason`: why it ended, where no person did.

    `comment`: why a person ended it, in masked words of that person.
    """

    type: ClassVar[str] = "session.cancelled"
    author: str
    reason: str = ""
    comment: str = ""


def describe_cancel(author: str, comment: str) -> str:
    """Returns who ended a session or a reply, and why, for people and models."""
    return f"cancelled by {author}: {comment}" if comment else f"cancelled by {author}"


class SessionTimedOut(Message):
    """The investigation took longer than it may, and the session is at rest."""

    type: ClassVar[str] = "session.timed_out"
    error: str
