"""A session told in the words of the orchestrator's tests: given events, when an input, then events.

The log is a list here, with the chain and the stamps as the real one has them; nothing is mocked.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import Controller, ResolvedAgent, ResolvedChain, ResolvedServer, ResolvedStage, SuccessPolicy
from tarsy_contracts.conversation import ToolCall, ToolDefinition, Usage
from tarsy_contracts.events.heads import Span
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.skills import Skill
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.ids import tool_call_id
from tarsy_llm.protocol import FINAL
from tarsy_session.decide import decide
from tarsy_session.decision_input import NO_SPENDINGS, OPEN_GATE, ActionGate, DecisionInput, Spendings
from tarsy_session.downtime import NO_DOWNTIME, Downtime
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, Execution, Investigating, SessionState

SESSION = "11111111-1111-5111-8111-111111111111"
UNREACHED = "ConnectError: All connection attempts failed"
BEGINNING = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)

READ = e.OfferedTool(
    server="kubernetes",
    tool="pods_list",
    repeatable=True,
    read_only=True,
    definition=ToolDefinition(name="kubernetes__pods_list", description="lists", input_schema={}),
)
DELETE = e.OfferedTool(
    server="kubernetes",
    tool="pods_delete",
    repeatable=False,
    definition=ToolDefinition(name="kubernetes__pods_delete", description="deletes", input_schema={}),
)

KUBERNETES = ResolvedServer(server="kubernetes", allow=("*",))
ALERT = Alert(alert_type="kubernetes", data="it burns", source="api", author="ann", title="It burns")


def agent(
    name: str = "KubernetesAgent",
    *,
    max_iterations: int = 3,
    controller: Controller = "function_calling",
    fallbacks: tuple[str, ...] = (),
    server: ResolvedServer = KUBERNETES,
) -> ResolvedAgent:
    """One that has the tools of the cluster, unless it is only asked once. `server`: what the operator allows."""
    return ResolvedAgent(
        name=name,
        llm_provider="scripted",
        max_iterations=max_iterations,
        servers=() if controller == "single_shot" else (server,),
        controller=controller,
        fallback_providers=fallbacks,
    )


def stage(*agents: ResolvedAgent, name: str = "investigation", policy: SuccessPolicy = "any") -> ResolvedStage:
    """With a synthesis when there are several agents."""
    synthesis = agent("SynthesisAgent", controller="single_shot") if len(agents) > 1 else None
    return ResolvedStage(name=name, agents=agents, success_policy=policy, synthesis=synthesis)


def chain(*stages: ResolvedStage, max_iterations: int = 3, executive_summary: bool = False) -> ResolvedChain:
    """One stage with one agent, if nothing else is said."""
    return ResolvedChain(
        chain_id="kubernetes",
        stages=stages or (stage(agent(max_iterations=max_iterations)),),
        summary_llm_provider="scripted",
        executive_summary=agent("ExecSummaryAgent", controller="single_shot") if executive_summary else None,
    )


@dataclass
class Story:
    """One session: its log, its state, and the inbox offset and time of the next input."""

    state: SessionState = NOT_STARTED
    log: list[RecordedEvent] = field(default_factory=list)
    offset: int = 0
    now: datetime = BEGINNING
    max_iterations: int = 3
    plan: ResolvedChain | None = None
    alert: Alert = ALERT
    downtime: Downtime = NO_DOWNTIME
    skills: tuple[Skill, ...] = ()
    gate: ActionGate = OPEN_GATE
    spendings: Spendings = NO_SPENDINGS

    def given(self, taken: i.Input, *, input_id: str | None = None, offset: int | None = None) -> DecisionInput:
        """DecisionInput that the owner would make of the input. The owner's own inputs have no place in the inbox."""
        own = isinstance(taken, i.LlmCallReported | i.ToolsOffered | i.SessionAdmitted)
        place = None if own else self.offset if offset is None else offset
        return DecisionInput(
            input=taken,
            input_id=input_id or f"input-{self.offset}",
            at=self.now,
            offset=place,
            chain=self.chain if isinstance(taken, i.AlertReceived) else None,
            spans=(Span(first=1, last=len(self.log)),) if isinstance(taken, i.ChatRequested) else (),
            downtime=self.downtime,
            skills=self.skills if isinstance(taken, i.AlertReceived) else (),
            actions=self.gate,
            spendings=self.spendings,
        )

    @property
    def chain(self) -> ResolvedChain:
        return self.plan or chain(max_iterations=self.max_iterations)

    def when(self, taken: i.Input, *, input_id: str | None = None) -> list[e.Event]:
        """Decides the input, appends what follows, reads it back, and returns it."""
        given = self.given(taken, input_id=input_id)
        self.offset += 1
        self.now += SECOND
        events = decide(SESSION, self.state, given)
        for event in events:
            self.append(event, given)
        return events

    def append(self, event: e.Event, given: DecisionInput) -> None:
        previous = self.log[-1].envelope.id if self.log else None
        number = len(self.log) + 1
        id = event_id(
            previous=previous,
            type=event.type,
            subject=SESSION,
            sequence=number,
            time=given.at,
            value=event.to_bytes(),
        )
        envelope = Envelope(
            id=id,
            type=event.type,
            version=1,
            source="test",
            subject=SESSION,
            time=given.at,
            sequence=number,
            previous=previous,
            decided=given.offset,
        )
        record = RecordedEvent(envelope=envelope, event=event, partition=0, offset=number, appended_at=self.now)
        self.log.append(record)
        self.state = evolve(self.state, record)

    # The usual ways to somewhere

    def waiting(self) -> "Story":
        """The session is in the queue."""
        self.when(i.AlertReceived(alert=self.alert), input_id="alert")
        return self

    def started(self) -> "Story":
        """The first stage has begun."""
        self.waiting()
        self.when(i.SessionAdmitted())
        return self

    def asking(self) -> "Story":
        """The first LLM calls are owed."""
        self.started()
        self.offered()
        return self

    def offered(self, *tools: e.OfferedTool, unavailable: tuple[str, ...] = ()) -> list[e.Event]:
        """The tools of the present stage are known."""
        stage = self.investigating.stage
        assert stage is not None
        missing = tuple(i.UnavailableServer(server=server, reason=UNREACHED) for server in unavailable)
        offer = i.ToolsOffered(
            stage_id=stage.started.stage_id, tools=tools or (READ, DELETE), unavailable_servers=missing
        )
        return self.when(offer)

    def calling(self, *tools: e.OfferedTool) -> "Story":
        """The model has asked for these tools."""
        self.asking()
        self.when(self.answer(tools=tools))
        return self

    def ended(self) -> "Story":
        """The investigation has looked at one thing, and has completed."""
        self.calling(READ)
        self.when(self.result(self.call_ids[-1], "api-7 was killed: out of memory"))
        self.when(self.answer("The cause is a leak."))
        return self

    def questioned(self, content: str = "Since when?", *, author: str = "ann") -> "Story":
        """A person has asked, and the model is asked for the reply."""
        self.when(self.question(content, author=author))
        self.offered()
        return self

    # Inputs

    def resolution(self) -> i.AlertResolutionReported:
        """The alert ended a while ago."""
        return i.AlertResolutionReported(source=self.alert.source, ends_at=self.now - 15 * SECOND)

    def question(self, content: str = "Since when?", *, author: str = "ann", id: str = "") -> i.ChatRequested:
        return i.ChatRequested(request_id=id or f"question-{self.offset}", author=author, content=content)

    @property
    def investigating(self) -> Investigating:
        assert isinstance(self.state, Investigating)
        return self.state

    def execution(self, agent: str = "") -> Execution:
        """The last one of this name, or of all."""
        found = [one for one in self.investigating.executions.values() if agent in ("", one.agent.name)]
        return found[-1]

    def asked(self, agent: str = "") -> e.LlmCallRequested:
        """The LLM call that is owed, by this agent or by any."""
        executions = self.investigating.executions.values()
        waiting = [one.waiting_for for one in executions if agent in ("", one.agent.name)]
        return next(one.requested for one in waiting if one is not None)

    @property
    def llm_call_id(self) -> str:
        return self.asked().llm_call_id

    @property
    def call_ids(self) -> list[str]:
        return list(self.investigating.calls)

    def answer(
        self,
        text: str = "",
        *,
        tools: tuple[e.OfferedTool, ...] = (),
        error: str = "",
        kind: str = "provider_error",
        retry_after: float | None = None,
        agent: str = "",
    ) -> i.LlmCallReported:
        id = self.asked(agent).llm_call_id
        calls = tuple(
            ToolCall(id=tool_call_id(id, index), name=tool.definition.name, arguments={"namespace": "shop"})
            for index, tool in enumerate(tools)
        )
        return i.LlmCallReported(
            llm_call_id=id,
            error=error,
            retryable=bool(error) and kind not in FINAL,
            kind=kind if error else "",
            retry_after_seconds=retry_after,
            thinking="" if error else "hm",
            text=text,
            tool_calls=calls,
            usage=Usage(),
            model="scripted",
            duration_ms=5,
        )

    def claim(self, call_id: str, claim_id: str = "claim-1", worker_id: str = "worker-1") -> i.CallClaimed:
        return i.CallClaimed(call_id=call_id, claim_id=claim_id, worker_id=worker_id)

    def decision(
        self, call_id: str, decision: Literal["approve", "deny"] = "approve", *, author: str = "ann", comment: str = ""
    ) -> i.CallDecisionRequested:
        """A decision of a person about a call that waits for one."""
        return i.CallDecisionRequested(
            request_id=f"decision-{self.offset}", author=author, call_id=call_id, decision=decision, comment=comment
        )

    def result(
        self, call_id: str, content: str = "fine", *, claim_id: str = "claim-1", size: int | None = None
    ) -> i.ToolCallReported:
        return i.ToolCallReported(
            call_id=call_id,
            claim_id=claim_id,
            worker_id="worker-1",
            outcome="ok",
            content=content,
            cut=False,
            size=len(content) if size is None else size,
            lines=1,
            stored=None,
            duration_ms=5,
        )

    def summary(self, summary_id: str, content: str = "short", *, error: str = "") -> i.SummaryReported:
        return i.SummaryReported(
            call_id=summary_id,
            claim_id="claim-s",
            worker_id="worker-2",
            content=content,
            error=error,
            usage=Usage(),
            model="scripted",
            duration_ms=5,
        )


def types(events: list[e.Event]) -> list[str]:
    return [event.type for event in events]
