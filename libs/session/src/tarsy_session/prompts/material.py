"""Material of prompts: plain values, taken from the state of a session."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from tarsy_contracts.events import EndStatus, Outcome


@dataclass(frozen=True, slots=True)
class Runbook:
    """`source` says where the text is from; `missing` why the alert's own runbook is not there, if it should be.

    Its text comes from outside, unless it is the configured default. `cut`: it was longer.
    """

    source: Literal["alert", "default", "none"]
    text: str = ""
    url: str = ""
    missing: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class StageFinding:
    """The analysis of an earlier stage."""

    stage: str
    analysis: str


@dataclass(frozen=True, slots=True)
class Statement:
    """The thinking and the text of an agent's turn."""

    thinking: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call, and the part of its result that the agent read. `note` says that it was summarised, or cut.

    `outcome`: a call that has not ended has none; `waits_for_person` says that nobody may run it yet.
    `at`: when the result came. `result`: the id by which it can be read again. `number`: that of the call, by which it
    is cited; 0 where it has none.
    """

    server: str
    tool: str
    arguments: Mapping[str, JsonValue]
    outcome: Outcome | None
    content: str
    note: str = ""
    at: datetime | None = None
    result: str = ""
    number: int = 0
    waits_for_person: bool = False


@dataclass(frozen=True, slots=True)
class NativeUse:
    """Use of a tool of the provider, in words."""

    text: str


type HistoryStep = Statement | ToolUse | NativeUse


@dataclass(frozen=True, slots=True)
class AgentHistory:
    """An agent's whole investigation, for the one who joins several of them."""

    agent: str
    status: EndStatus
    analysis: str
    error: str
    steps: tuple[HistoryStep, ...]


@dataclass(frozen=True, slots=True)
class StageHistory:
    """A stage of the investigation, with the histories of its agents."""

    name: str
    status: str
    agents: tuple[AgentHistory, ...]


@dataclass(frozen=True, slots=True)
class ReplyHistory:
    """A question, and how it was answered."""

    author: str
    at: datetime
    question: str
    answer: AgentHistory | None


@dataclass(frozen=True, slots=True)
class Investigated:
    """A finished investigation, for the one who answers questions about it. `ended` says how it ended."""

    ended: str
    stages: tuple[StageHistory, ...]
    replies: tuple[ReplyHistory, ...]


@dataclass(frozen=True, slots=True)
class AskedNow:
    """The question that is to be answered. `firing`: whether the alert still fires, where somebody knows."""

    author: str
    at: datetime
    question: str
    firing: str = ""
