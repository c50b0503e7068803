"""Channels: senders, messages and readers of each topic, for the AsyncAPI document and the catalogue."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tarsy_contracts.events import EVENTS, ToolCallCompleted
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.messages import control as c
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.messages.actions import ActionsGranted, ActionsSwitched
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.messages.chunks import LlmChunk, Progress, SummaryChunk, TextSoFar
from tarsy_contracts.messages.dead_letters import DeadLetterRedriven
from tarsy_contracts.messages.held import SessionSetAside
from tarsy_contracts.messages.layout import ClusterLayout
from tarsy_contracts.messages.mcp_tokens import McpRefreshClaimed, McpTokenSealed
from tarsy_contracts.messages.requests import SummaryRequest, ToolCallRequest
from tarsy_contracts.messages.spending import DaySpent
from tarsy_contracts.messages.workers import ServerCatalogued, WorkerAnnounced
from tarsy_contracts.public.events import PUBLIC_EVENTS
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import Topic, Topics
from tarsy_docgen.messages import PIECE, PUBLIC_HEADERS_SCHEMA

type Service = Literal[
    "ingest",
    "orchestrator",
    "tool-gateway",
    "summarizer",
    "timeline",
    "websocket-gateway",
    "notifier",
    "topics-apply",
    "servers-login",
]
type Parties = tuple[Service, ...]

INGEST: Parties = ("ingest",)
OWNER: Parties = ("orchestrator",)
GATEWAY: Parties = ("tool-gateway",)
SUMMARIZER: Parties = ("summarizer",)
TIMELINE: Parties = ("timeline",)
PEOPLE: Parties = ("websocket-gateway",)
NOTIFIER: Parties = ("notifier",)
WORKERS: Parties = (*GATEWAY, *SUMMARIZER)
OPERATOR: Parties = ("topics-apply",)
LOGIN: Parties = ("servers-login",)
ALL: Parties = (*INGEST, *OWNER, *WORKERS, *TIMELINE, *PEOPLE, *NOTIFIER)


@dataclass(frozen=True, slots=True)
class Sent:
    """`schema` is a name in `schemas/`. Without a format, the records are those of other systems, unchanged. `by` may
    be nobody yet.

    `headers`: instead of those of the channel.
    """

    name: str
    schema: str | None
    by: Parties
    to: Parties
    headers: str | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """`topic` is what Topics calls it. `headers` is a name in `schemas/`."""

    topic: str
    title: str
    about: str
    key: str
    messages: tuple[Sent, ...]
    headers: str | None = "headers/message.1"

    def find_topic(self, topics: Topics) -> Topic:
        name = getattr(topics, self.topic)
        return next(topic for topic in topics.all() if topic.name == name)


def _sent(kind: str, message: type[Message], by: Parties, to: Parties) -> Sent:
    return Sent(message.type, f"{kind}/{message.type}.{message.version}", by, to)


def _of_the_log() -> Iterator[Sent]:
    for event in EVENTS.values():
        # A summary goes by reference: the summarizer reads the one result that it shortens where it lies.
        also = SUMMARIZER if event is ToolCallCompleted else ()
        yield _sent("events", event, OWNER, (*OWNER, *TIMELINE, *PEOPLE, *also))


EVENTS_CHANNEL = Channel(
    topic="events",
    title="Public events",
    about="The timeline for other teams: what was accepted, in order within a session, each event at least once. A"
    " consumer drops what is not above the last `ce_sequence` of its session.",
    key="the session's id",
    messages=tuple(
        Sent(event.type, f"public/{event.type}.{event.version}", TIMELINE, NOTIFIER) for event in PUBLIC_EVENTS.values()
    ),
    headers=PUBLIC_HEADERS_SCHEMA,
)
CHANNELS: tuple[Channel, ...] = (
    Channel(
        topic="alerts",
        title="Alerts of other systems",
        about="Alerts that other systems want investigated, in any form: every client may write here. Unmasked.",
        key="free",
        messages=(Sent("alert", None, (), INGEST),),
        headers=None,
    ),
    Channel(
        topic="inbox",
        title="The inbox",
        about="Inputs: reports and wishes. The owner of the partition decides each of them once.",
        key="the session's id",
        messages=(
            _sent("inputs", i.AlertReceived, (*INGEST, *TIMELINE), OWNER),
            _sent("inputs", i.AlertResolutionReported, INGEST, OWNER),
            _sent("inputs", i.CallClaimed, WORKERS, OWNER),
            _sent("inputs", i.CallNotStarted, WORKERS, OWNER),
            _sent("inputs", i.ToolCallReported, GATEWAY, OWNER),
            _sent("inputs", i.SummaryReported, SUMMARIZER, OWNER),
            _sent("inputs", i.WorkerDied, OWNER, OWNER),
            _sent("inputs", i.DeadlinePassed, OWNER, OWNER),
            _sent("inputs", i.CancelRequested, TIMELINE, OWNER),
            _sent("inputs", i.CallDecisionRequested, TIMELINE, OWNER),
            _sent("inputs", i.BudgetDecisionRequested, TIMELINE, OWNER),
            _sent("inputs", i.ReviewRequested, TIMELINE, OWNER),
            _sent("inputs", i.ScoreRequested, TIMELINE, OWNER),
            _sent("inputs", i.MemoryChangeRequested, TIMELINE, OWNER),
            _sent("inputs", i.ChatRequested, TIMELINE, OWNER),
            _sent("inputs", i.SessionDeleteRequested, TIMELINE, OWNER),
            _sent("inputs", i.SessionReleaseRequested, TIMELINE, OWNER),
            _sent("inputs", i.SessionFailRequested, TIMELINE, OWNER),
        ),
    ),
    Channel(
        topic="sessions",
        title="The session log",
        about="Events, in order. An event counts only if it names the last one that counted.",
        key="the session's id",
        messages=tuple(_of_the_log()),
        headers="headers/event.1",
    ),
    Channel(
        topic="heads",
        title="Heads",
        about="Where sessions open and come to rest, for owners that take a partition over and answers of ingest.",
        key="the session's id, a slash, and the event's number",
        messages=(_sent("heads", SessionHead, OWNER, (*INGEST, *OWNER)),),
    ),
    Channel(
        topic="layout",
        title="The cluster's layout",
        about="How many partitions inbox, log and heads have for good. The first record counts, and no other.",
        key="`log`",
        messages=(_sent("layout", ClusterLayout, OPERATOR, ALL),),
    ),
    Channel(
        topic="held",
        title="Held sessions",
        about="Sessions that are set aside, and beside each its inputs as they lay in the inbox, with the headers"
        " `held-offset` and `held-time`. A tombstone: it waits no longer.",
        key="`session/` and the session's id; of an input `input/`, its offset in the inbox, a slash and that id",
        messages=(_sent("held", SessionSetAside, OWNER, (*OWNER, *TIMELINE)),),
    ),
    Channel(
        topic="tool_calls",
        title="Calls of tools",
        about="Tool calls that a session owes. One lost or doubled does no harm.",
        key="the call's id",
        messages=(_sent("requests", ToolCallRequest, OWNER, GATEWAY),),
    ),
    Channel(
        topic="summaries",
        title="Summaries",
        about="Summaries that a session owes. One lost or doubled does no harm.",
        key="the summary's id",
        messages=(_sent("requests", SummaryRequest, OWNER, SUMMARIZER),),
    ),
    Channel(
        topic="results",
        title="Large results",
        about="Masked results that are too large for the log, in pieces.",
        key="the call's id",
        messages=(Sent("result.piece", PIECE, GATEWAY, SUMMARIZER),),
    ),
    Channel(
        topic="stream",
        title="The stream",
        about="Chunks of a call that runs. They are no part of the log, and the final event replaces them.",
        key="the session's id",
        messages=(
            _sent("chunks", LlmChunk, OWNER, PEOPLE),
            _sent("chunks", SummaryChunk, SUMMARIZER, PEOPLE),
            _sent("chunks", TextSoFar, (*OWNER, *SUMMARIZER), PEOPLE),
            _sent("chunks", Progress, (), PEOPLE),
        ),
    ),
    Channel(
        topic="control",
        title="Control",
        about="Messages of owners to workers and APIs. Each reader reads all of them, and takes those that concern it.",
        key="the id of the call or of the request",
        messages=(
            _sent("control", c.ClaimGranted, OWNER, WORKERS),
            _sent("control", c.ClaimRefused, OWNER, WORKERS),
            _sent("control", c.CallCancelled, OWNER, WORKERS),
            _sent("control", c.RequestAnswered, OWNER, TIMELINE),
        ),
    ),
    Channel(
        topic="catalog",
        title="The catalog",
        about="Each MCP server's tools and health, as each worker sees them. A tombstone: it sees it no longer."
        " Beside them, the switch that holds all calls of tools that change something, and how many were granted.",
        key="the server, a slash, and the worker's id; of the switch `.actions`, of grants "
        "`.actions/PARTITION`; of spendings `.spending/DAY/PARTITION`",
        messages=(
            _sent("workers", ServerCatalogued, GATEWAY, OWNER),
            _sent("actions", ActionsSwitched, TIMELINE, OWNER),
            _sent("actions", ActionsGranted, OWNER, OWNER),
            _sent("spending", DaySpent, OWNER, OWNER),
        ),
    ),
    Channel(
        topic="mcp_tokens",
        title="Tokens of MCP servers",
        about="Logins of people at MCP servers, encrypted, and claims of gateways that renew them. The first record of"
        " the highest number of a server counts. A tombstone: a newer one counts.",
        key="the server; of a login a slash, its number, a slash, and an id of its own; of a claim `/claim`",
        messages=(
            _sent("mcp-tokens", McpTokenSealed, (*LOGIN, *GATEWAY), (*LOGIN, *GATEWAY)),
            _sent("mcp-tokens", McpRefreshClaimed, GATEWAY, GATEWAY),
        ),
    ),
    Channel(
        topic="workers",
        title="Workers",
        about="Signs of life. A worker that is silent for too long counts as dead.",
        key="the worker's id",
        messages=(_sent("workers", WorkerAnnounced, (*WORKERS, *OWNER), OWNER),),
    ),
    Channel(
        topic="dead_letters",
        title="Dead letters",
        about="Records that could not be read, byte for byte, with their place and the reason. Unmasked. A marker, with"
        " the headers of a message of ours, says that one was re-driven.",
        key="as it was; of a marker, the letter's id",
        messages=(
            Sent("dead letter", None, (*INGEST, *OWNER, *WORKERS), TIMELINE),
            replace(_sent("dead-letters", DeadLetterRedriven, TIMELINE, TIMELINE), headers="headers/message.1"),
        ),
        headers="headers/dead-letter.1",
    ),
    Channel(
        topic="audit",
        title="Audit",
        about="Acts of people, each before it is done: who asked for it, by which key, and from where.",
        key="the session, or the name of whoever asked",
        messages=(_sent("audit", ActRequested, (*INGEST, *TIMELINE), ()),),
    ),
    EVENTS_CHANNEL,
)
