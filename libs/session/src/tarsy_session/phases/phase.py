"""The interface of a phase: what a session does in one of its lives, from the first stage to the end. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, StageType
from tarsy_session.state import AtRest, Investigating, Stage

type Instruct = Callable[[ResolvedAgent, Sequence[e.OfferedTool], Sequence[str]], Iterator[str]]
type Task = Callable[[Investigating, Stage, datetime, Sequence[e.OfferedTool]], str]
type Due = Callable[[AtRest], bool]
type Admission = Literal["investigation", "background"]


def _never_begins(state: AtRest) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class StageKind:
    """Stages of one type. `agents`: who works in one, by the plan and its place in it, which some have none of.

    `instruct`: the parts of an agent's system prompt, from its tools and from what it is to say of those that it lacks.
    `task`: the first message to its agents, who begin at this time with these tools.
    """

    agents: Callable[[ResolvedChain, int | None], tuple[ResolvedAgent, ...]]
    instruct: Instruct
    task: Task


@dataclass(frozen=True, slots=True)
class Phase:
    """One line of the table. `kinds`: those of its stages, by type. `seconds`: its limit, from its first stage.

    `start`: what begins it. `follow`: what comes after a stage that has ended. `end`: its last event, where it ends
    with this status and error. `question_refusal`: HTTP status and reason for the person who asks meanwhile; with None
    the question goes first, and ends the phase. `admission`: the queue for its turn; with None it begins at once.
    `cancels`: what a person cancels meanwhile, by the request `cancel_request`, and is answered with `cancel_answer`;
    all are empty where nothing can be cancelled. `due`: the rule by which a session at rest begins it by itself. After
    a question has ended it, it begins again without one.
    """

    name: str
    kinds: Mapping[StageType, StageKind]
    seconds: Callable[[CallLimits], float]
    start: Callable[[Investigating], Sequence[e.Event]]
    follow: Callable[[Investigating, Stage, e.StageCompleted], Sequence[e.Event]]
    end: Callable[[Investigating, e.EndStatus, str], e.Event]
    question_refusal: tuple[int, str] | None
    admission: Admission | None
    cancels: str = ""
    cancel_request: str = ""
    cancel_answer: str = ""
    due: Due = _never_begins
