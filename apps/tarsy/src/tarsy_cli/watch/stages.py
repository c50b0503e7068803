"""Progress of stages and their agents: what is to be shown of them, and when."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tarsy_cli.lists.nested_agents import shorten_task
from tarsy_cli.watch.rendering import NOTICE, Payload, metadata, text_of
from tarsy_contracts.actions import ActionOutcome, describe_action
from tarsy_contracts.timeline.model import ENDED
from tarsy_local.terminal_text import one_line

STARTED = "started"
MUST_COMPLETE = {"all": ", each must complete", "any": ", one must complete"}

type Line = tuple[str, str]


@dataclass(slots=True)
class AgentProgress:
    """`sender`: the name of the agent that sent it with this `task`, if any did."""

    name: str
    sender: str = ""
    task: str = ""
    status: str = ""
    error: str = ""
    partial: str = ""
    shown: str = ""

    def learn(self, payload: Payload) -> None:
        self.status, self.error = text_of(payload, "status"), text_of(payload, "error_message")
        self.partial = text_of(payload, "partial_reason")
        self.task = self.task or text_of(payload, "task")

    def news(self) -> Iterator[Line]:
        """That it was sent, and how it ended."""
        if self.sender and not self.shown:
            self.shown = STARTED
            yield f"■ {one_line(self.sender)} sends {one_line(self.name)}: {shorten_task(self.task)}", "bold"
        if self.status in ENDED and self.shown != self.status:
            self.shown = self.status
            yield f"■ {one_line(self.name)}: {_words(self.status)}", "bold"
            yield from _reason(self.error)
            if self.partial:
                yield f"(partial analysis: {one_line(self.partial)})", NOTICE


@dataclass(slots=True)
class StageProgress:
    """`told` is the status that was shown last."""

    name: str = ""
    kind: str = ""
    index: int = 0
    status: str = STARTED
    error: str = ""
    shown: str = ""
    expected: int = 1
    policy: str = ""
    replicas: bool = False
    action: str = ""
    agents: dict[str, AgentProgress] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of its own agents. An older timeline does not tell how many are expected."""
        return max(self.expected, sum(not agent.sender for agent in self.agents.values()))

    @property
    def several(self) -> bool:
        """Whether a line has to say whose it is."""
        return self.size > 1 or len(self.agents) > 1

    def learn(self, payload: Payload) -> None:
        """A message that lacks a field leaves it as it was. A history may be older than what was seen."""
        self.name = text_of(payload, "stage_name") or self.name
        if self.status not in ENDED:
            self.status, self.error = text_of(payload, "status"), text_of(payload, "error_message")
        self.kind = text_of(payload, "stage_type") or self.kind
        self.policy = text_of(payload, "success_policy") or self.policy
        self.replicas = self.replicas or payload.get("parallel_type") == "replica"
        if isinstance(action := payload.get("action"), dict):
            self.action = describe_action(ActionOutcome.model_validate(action))
        index, expected = payload.get("stage_index"), payload.get("expected_agent_count")
        self.index = index if isinstance(index, int) else self.index
        self.expected = expected if isinstance(expected, int) else self.expected

    def begin(self) -> Iterator[Line]:
        if not self.shown:
            self.shown = STARTED
            yield self._line(f"{STARTED}{self._size()}")

    def news(self) -> Iterator[Line]:
        """All that was not shown yet."""
        yield from self.begin()
        for agent in self.agents.values() if self.several else ():
            yield from agent.news()
        if self.shown != self.status:
            self.shown = self.status
            yield self._line(_words(self.status))
            yield from _reason(self.error)
            if self.action:
                yield f"! {one_line(self.action)}", NOTICE

    def _line(self, status: str) -> Line:
        return f"■ stage {one_line(self.name)}: {status}", "bold"

    def _size(self) -> str:
        if self.size == 1:
            return ""
        size = f", {self.size} {'replicas' if self.replicas else 'agents'} in parallel"
        return f"{size}{MUST_COMPLETE.get(self.policy, '')}"


class Stages:
    """A history names all stages before what happened in them: then each is told when its first event comes."""

    def __init__(self) -> None:
        self._stages: dict[str, StageProgress] = {}
        self._of_execution: dict[str, StageProgress] = {}
        self.catching_up = True

    def stage(self, payload: Payload) -> StageProgress:
        stage = self._stages.setdefault(text_of(payload, "stage_id"), StageProgress())
        stage.learn(payload)
        return stage

    def agent(self, payload: Payload) -> StageProgress:
        stage = self._stages.setdefault(text_of(payload, "stage_id"), StageProgress())
        id = text_of(payload, "execution_id")
        self._of_execution[id] = stage
        sender = stage.agents.get(text_of(payload, "parent_execution_id"))
        agent = AgentProgress(text_of(payload, "agent_name"), "" if sender is None else sender.name)
        stage.agents.setdefault(id, agent).learn(payload)
        return stage

    def of(self, execution_id: str) -> StageProgress | None:
        return self._of_execution.get(execution_id)

    def find_reply_stage(self, question: Payload) -> StageProgress | None:
        """The stage of the reply to a question."""
        return self._stages.get(text_of(metadata(question), "stage_id"))

    def speaker_among_several(self, execution_id: str) -> str:
        """The agent's name; empty where only one could be meant."""
        stage = self.of(execution_id)
        return one_line(stage.agents[execution_id].name) if stage is not None and stage.several else ""

    def concludes_stage(self, execution_id: str) -> bool:
        """Whether the agent's analysis is that of its stage: it is alone in it, but for those that it has sent."""
        stage = self.of(execution_id)
        return stage is None or (stage.size == 1 and not stage.agents[execution_id].sender)

    def up_to(self, stage: StageProgress) -> Iterator[Line]:
        """That the stages before are over, and that this one has begun."""
        for other in self._in_order():
            if other.index < stage.index:
                yield from other.news()
        yield from stage.begin()

    def news(self) -> Iterator[Line]:
        for stage in self._in_order():
            yield from stage.news()

    def _in_order(self) -> list[StageProgress]:
        return sorted(self._stages.values(), key=lambda stage: stage.index)


def _words(status: str) -> str:
    return one_line(status).replace("_", " ")


def _reason(error: str) -> Iterator[Line]:
    if error:
        yield one_line(error), "red"
