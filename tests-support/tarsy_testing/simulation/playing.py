"""Playing the investigation once: with nobody dying, or with somebody dying at an event of its log."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Literal

from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError
from structlog.testing import capture_logs

from tarsy_bus.client.publisher import Publisher
from tarsy_bus.log.head_replay import HeadReplay, is_same
from tarsy_bus.log.heads import newest
from tarsy_bus.readers.day_spendings import DaySpendings
from tarsy_contracts.alert import Alert
from tarsy_contracts.budgets import Amounts, Spending
from tarsy_contracts.events import (
    ENDINGS,
    BudgetReached,
    ReplyCompleted,
    RequestRefused,
    SessionCompleted,
    ToolCallApprovalRequested,
    ToolCallCompleted,
)
from tarsy_contracts.events.heads import SessionHead, session_of_head_key
from tarsy_contracts.messages.inputs import (
    AlertReceived,
    BudgetDecisionRequested,
    CallDecisionRequested,
    CancelRequested,
    ChatRequested,
    InboxInput,
    ReviewRequested,
    SessionReleaseRequested,
)
from tarsy_contracts.wire.ids import report_id, session_of_cloudevent
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS, Topics
from tarsy_testing.simulation.action_pause import pause_actions
from tarsy_testing.simulation.broker import Broker, Entry, OutageKind
from tarsy_testing.simulation.investigation import (
    ACTING_ALERT,
    ALERT,
    CALLS_PER_DAY,
    DAILY_ALERT,
    GUARDED_ALERT,
    JUDGED_ALERT,
    MEMORY,
    NO_DRY_RUN,
    NO_MEMORY,
    QUESTION,
    REMEMBERING_ALERT,
    SCRIPTS,
    SERVERS,
    SESSION,
    THRIFTY_ALERT,
    TRIED_OUT,
    WHOLE_ALERT,
    config,
    config_later,
)
from tarsy_testing.simulation.outside import HeardRequest, Start, ToolServer, models
from tarsy_testing.simulation.poison import SET_ASIDE, Poison
from tarsy_testing.simulation.services import Gateway, Orchestrator, Summarizer, bus_of, in_memory
from tarsy_testing.simulation.strange_records import NO_RECORD, StrangeRecords
from tarsy_testing.simulation.virtual_time import PROCESS, Process, VirtualLoop
from tarsy_verification.invariants import ToolRun
from tarsy_verification.session_log import LogReading, SessionLog

type Service = Literal["orchestrator", "tool-gateway", "summarizer"]
type Struck = Service | Literal["kafka"]
"""Kafka does not die: before, it refuses the event; after, it took it and nobody hears so. Or it is away for long."""
type Moment = Literal["before", "after", "soon-after"]
"""When the event was sent, when it was appended, and when something may have been made of it."""
type Way = Literal["forgotten", "remembered", "delayed", "frozen", "doubled", "alone"] | OutageKind
"""Orchestrator. forgotten: it never committed its inbox, nor wrote a head. remembered: it has just committed. delayed:
what it sent last arrives all the same, just before the next owner's first batch. frozen: it is replaced, and goes on
afterwards as if nothing had happened. alone: it is frozen for `seconds`, and nobody takes its place.

Workers remember nothing: they are simply gone. Tool gateway. doubled: there is another one meanwhile, and every request
lies in the queue twice, for each of them. frozen: it is replaced, and 15 seconds later reads what it was told.

Kafka: the kinds of broker.py, for `seconds`."""

type Decision = Literal["approve", "deny"]

SERVICES: tuple[Service, ...] = ("orchestrator", "tool-gateway", "summarizer")
APPROVED_TYPES = tuple(one.alert_type for one in (GUARDED_ALERT, ACTING_ALERT, WHOLE_ALERT))
"""Alerts whose investigation asks a person."""
LONGEST_SECONDS = 300.0
AFTERWARDS_SECONDS = 6.0
"""Long enough for whatever would happen again by mistake."""
FROZEN_SECONDS = 1.7
FROZEN_WORKER_SECONDS = 15.0
"""Long after its death was decided, and before its claims run out by themselves."""
SOON_SECONDS = 0.008
"""About two messages to Kafka."""
NEW_WORKER_SECONDS = 0.3
CLOSING_SECONDS = 60.0
THINKING_SECONDS = 5.0
"""A person takes so long to decide about a call."""
MENDED_SECONDS = 0.7


@dataclass(frozen=True, slots=True)
class Death:
    """Death of the process that does the service's work at this event (its number).

    `dies_meanwhile`: during the outage of Kafka.
    """

    service: Struck
    moment: Moment
    event: int
    way: Way = "remembered"
    seconds: float = 0.0
    dies_meanwhile: Service | None = None

    def __str__(self) -> str:
        way = "" if self.service != "orchestrator" and self.way == "remembered" else f"-{self.way}"
        lasts = f"-{self.seconds:g}s" if self.seconds else ""
        who = f"-without-{self.dies_meanwhile}" if self.dies_meanwhile else ""
        return f"{self.service}-{self.moment}-{self.event}{way}{lasts}{who}"


@dataclass
class Played:
    """`batches`: the numbers of the events that were appended together. `complaints`: what must not happen, as text.

    `struck`: the deaths that came to pass. `starts`: of tools. `heard`: what the models were asked. `beside`: other
    sessions, for the same alert. `spent`: by day and scope, as owners have published it.
    """

    log: SessionLog
    runs: list[ToolRun]
    starts: list[Start]
    heard: list[HeardRequest]
    batches: list[tuple[int, ...]]
    struck: list[Death]
    complaints: list[str]
    seconds: float
    beside: list[SessionLog]
    spent: Mapping[tuple[str, str], Spending]


class NotEndedError(Exception):
    """The investigation hangs."""


@contextmanager
def drawing(seed: int) -> Iterator[None]:
    """Retries of the services draw their pauses from the global generator: those belong to the run.

    Afterwards it goes on as before: others draw from it what has to differ from process to process.
    """
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def play(
    *deaths: Death,
    seed: int = 1,
    cancelled_at: int | None = None,
    poisoned_from: int | None = None,
    alert: Alert = ALERT,
    questions: int = 0,
    reconfigured: bool = False,
    decision: Decision = "approve",
    strange: bool = False,
    asked_at: int | None = None,
    beside: int = 0,
    paused_at: int | None = None,
) -> Played:
    """The same deaths and seed play the same run. `cancelled_at`: when this event is there, somebody cancels.

    `poisoned_from`: once this event is there no input can be decided, until an operator has mended that. `questions`:
    so often somebody asks, each time the session has come to rest. `reconfigured`: all orchestrators but the first
    run by another configuration, in which the chain, its agents and limits are others. `decision`: about each call that
    waits for a person. `strange`: others write to the topics that a new reader begins with. `asked_at`: when this event
    is there, somebody asks a question. `beside`: so many other sessions for the same alert begin at the same time;
    the events of all of them count. `paused_at`: when this event is there, somebody pauses all actions, for a while;
    whoever was refused an approval meanwhile asks again.
    """
    with capture_logs() as lines, drawing(seed), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        stage = _Stage(deaths, seed, cancelled_at, poison=Poison(poisoned_from), alert=alert, questions=questions)
        stage.reconfigured, stage.decision, stage.strange, stage.asked_at = reconfigured, decision, strange, asked_at
        stage.paused_at = paused_at
        stage.beside = [session_of_cloudevent(source="simulation", id=f"beside-{number}") for number in range(beside)]
        played = runner.run(stage.play())
    expected = SET_ASIDE if poisoned_from is not None else ()
    errors = [line for line in lines if line["log_level"] in ("error", "critical") and line["event"] not in expected]
    played.complaints += [f"a service logged an error: {line}" for line in errors]
    return played


@dataclass
class _Running:
    process: Process
    service: Orchestrator | Gateway | Summarizer
    task: "asyncio.Task[None]"


@dataclass
class _Stage:
    deaths: Sequence[Death]
    seed: int
    cancelled_at: int | None
    struck: list[Death] = field(default_factory=list)
    heard: list[HeardRequest] = field(default_factory=list)
    batches: list[tuple[int, ...]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    all: list[_Running] = field(default_factory=list)
    serving: dict[Service, _Running] = field(default_factory=dict)
    ended: bool = False
    quiet_at: float = 0.0
    in_flight: Sequence[Entry] = ()
    poison: Poison = field(default_factory=Poison)
    releasing: "asyncio.Task[None] | None" = None
    cancelling: "asyncio.Task[None] | None" = None
    alert: Alert = ALERT
    questions: int = 0
    reconfigured: bool = False
    decision: Decision = "approve"
    decided: set[str] = field(default_factory=set)
    strange: bool = False
    asked_at: int | None = None
    asking: "asyncio.Task[None] | None" = None
    beside: list[str] = field(default_factory=list)
    paused_at: int | None = None
    pausing: "asyncio.Task[None] | None" = None
    reviewing: "asyncio.Task[None] | None" = None

    async def play(self) -> Played:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self.loop = loop
        self.broker = Broker(Topics("t"), Random(self.seed), self.loop.time)
        self.broker.before, self.broker.after = self._before, self._after
        self.strange_records = StrangeRecords(self.broker)
        acts = self.alert.alert_type in (ACTING_ALERT.alert_type, WHOLE_ALERT.alert_type)
        calls = CALLS_PER_DAY if self.alert.alert_type == DAILY_ALERT.alert_type else 0
        remembers = self.alert.alert_type == REMEMBERING_ALERT.alert_type
        memory = MEMORY if remembers else NO_MEMORY
        self.config = config(TRIED_OUT if acts else NO_DRY_RUN, memory, calls_per_day=calls)
        self.llms = models(SCRIPTS, self.heard)
        self.servers = {name: ToolServer(tools) for name, tools in SERVERS.items()}
        self.loop.set_exception_handler(self._complain)
        with in_memory(self.broker), self.poison.planted():
            for service in SERVICES:
                self._start(service)
            if self._doubled:
                self._start("tool-gateway")
            for session in (SESSION, *self.beside):
                await self._say(AlertReceived(alert=self.alert), session)
            try:
                await self._until_ended(questions=int(self.asked_at is not None))
                for number in range(self.questions):
                    await self._say(_question(f"q{number}"))
                    await self._until_ended(questions=number + 1)
                seconds = self.loop.time()
                await asyncio.sleep(max(0.0, self.quiet_at - seconds) + AFTERWARDS_SECONDS)
                log = self._log()
                self._look_back(log)
            finally:
                await self._close()
        runs = [run for server in self.servers.values() for run in server.runs]
        starts = [start for server in self.servers.values() for start in server.starts]
        struck, complaints = self.struck, self.complaints
        return Played(
            log, runs, starts, self.heard, self.batches, struck, complaints, seconds, self._beside(), self._spent()
        )

    # Processes

    def _start(self, service: Service) -> None:
        number = sum(one.process.service == service for one in self.all) + 1
        process = Process(f"{service}-{number}", service)
        # This process must never have written what it will forget.
        mine = next((death for death in self.deaths if death not in self.struck), None)
        process.forgetful = mine is not None and mine.service == service and mine.way == "forgotten"
        context = Context()
        context.run(PROCESS.set, process)
        made = context.run(self._make, service, process.name)
        task = self.loop.create_task(made.run(), context=context, name=process.name)
        self.serving[service] = _Running(process, made, task)
        self.all.append(self.serving[service])

    @property
    def _doubled(self) -> bool:
        return any(death.way == "doubled" for death in self.deaths)

    def _make(self, service: Service, name: str) -> Orchestrator | Gateway | Summarizer:
        match service:
            case "orchestrator":
                later = self.reconfigured and any(one.process.service == service for one in self.all)
                return Orchestrator(name, self.broker, config_later() if later else self.config, self.llms)
            case "tool-gateway":
                return Gateway(name, self.broker, self.servers)
            case "summarizer":
                return Summarizer(name, self.broker, self.llms)

    # Deaths

    def _before(self, topic: str, entries: Sequence[Entry]) -> None:
        if topic != self.broker.topics.sessions:
            return
        late, self.in_flight = self.in_flight, ()
        if late:
            self.broker.append(topic, 0, late)
        due = self._due("before", _numbers(entries))
        if due is not None:
            self.in_flight = entries if due.way == "delayed" else ()
            self._strike(due)

    def _after(self, topic: str, partition: int, entries: Sequence[Entry]) -> None:
        if self.strange:
            self.strange_records.follow(topic, partition, entries)
        if topic == self.broker.topics.tool_calls and self._doubled:
            self.broker.append(topic, (partition + 1) % QUEUE_PARTITIONS, entries)
        if topic == self.broker.topics.held and self.poison.works and self.releasing is None:
            self.releasing = self.loop.create_task(self._release(), context=Context())
        if topic == self.broker.topics.sessions:
            self.batches.append(_numbers(entries))
            self.ended = self.ended or not _types(entries).isdisjoint(ENDINGS)
            self._act(entries)
            soon = self._due("soon-after", _numbers(entries))
            if soon is not None:
                self.loop.call_later(SOON_SECONDS, self._strike, soon, context=Context())
            now = self._due("after", _numbers(entries))
            if now is not None:
                self._strike(now)

    def _due(self, moment: Moment, numbers: Sequence[int]) -> Death | None:
        """The next death, if this is its time."""
        due = self.deaths[len(self.struck)] if len(self.struck) < len(self.deaths) else None
        if due is None or due.moment != moment or due.event not in numbers:
            return None
        self.struck.append(due)
        return due

    def _strike(self, death: Death) -> None:
        """Raises KafkaConnectionError where it is Kafka's turn."""
        if death.service == "kafka":
            self._strike_kafka(death)
            return
        struck = self.serving[death.service]
        if death.way == "alone":
            struck.process.halt()
            self._later(death.seconds, struck.process.go_on, self.loop)
            return
        struck.process.halt()
        if death.way == "remembered" and isinstance(struck.service, Orchestrator):
            group = self.broker.group("orchestrators", self.broker.topics.inbox)
            for number, offset in struck.service.committable().items():
                group.committed[TopicPartition(self.broker.topics.inbox, number)] = offset
        self.broker.expel(struck.process)
        if death.service == "orchestrator":
            self._start(death.service)
        else:
            self.loop.call_later(NEW_WORKER_SECONDS, self._start, death.service, context=Context())
        if death.way == "frozen":
            seconds = FROZEN_SECONDS if death.service == "orchestrator" else FROZEN_WORKER_SECONDS
            self._later(seconds, struck.process.go_on, self.loop)

    def _strike_kafka(self, death: Death) -> None:
        """Raises KafkaConnectionError where only one write fails, and where the outage begins with it."""
        if death.way in ("refusing", "silent", "unacknowledged"):
            self.broker.goes(death.way)
            self._later(death.seconds, self.broker.comes_back)
            if death.dies_meanwhile is not None:
                self._later(death.seconds / 2, self._kill, death.dies_meanwhile)
                self._later(death.seconds + NEW_WORKER_SECONDS, self._start, death.dies_meanwhile)
        if death.way in ("remembered", "refusing"):
            raise KafkaConnectionError("it was its turn")

    def _kill(self, service: Service) -> None:
        self.serving[service].process.halt()
        self.broker.expel(self.serving[service].process)

    def _later[*Ts](self, seconds: float, do: Callable[[*Ts], object], *what: *Ts) -> None:
        """Calls `do` outside of any process, so that halting one does not stop it. The run lasts at least as long."""
        self.quiet_at = max(self.quiet_at, self.loop.time() + seconds)
        self.loop.call_later(seconds, do, *what, context=Context())

    # The investigation

    async def _say(self, said: InboxInput, session: str = SESSION) -> None:
        publisher = Publisher(bus_of(self.broker, "people"), source="people", now=self.broker.now)
        async with publisher.running():
            id = report_id(said.type, getattr(said, "request_id", session))
            await publisher.publish(self.broker.topics.inbox, said, key=session, id=id, subject=session)

    async def _decide(self) -> None:
        """A person looks at the log now and then, and decides about each call once, after its dry run."""
        log = self._log()
        ended = {"", *(event.call_id for event in log.events(ToolCallCompleted))}
        refused = {event.request_id for event in log.events(RequestRefused)} if self.paused_at is not None else set()
        for record in log.accepted:
            event = record.event
            if not isinstance(event, ToolCallApprovalRequested) or event.dry_run not in ended:
                continue
            if (self.broker.now() - record.appended_at).total_seconds() < THINKING_SECONDS:
                continue
            id = next(id for number in count() if (id := f"d-{event.call_id}-{number}") not in refused)
            if id in self.decided or event.call_id in ended:
                continue
            self.decided.add(id)
            await self._say(
                CallDecisionRequested(request_id=id, author="ann", call_id=event.call_id, decision=self.decision)
            )

    def _act(self, entries: Sequence[Entry]) -> None:
        """People do what they do once these events are there."""
        if self.cancelled_at in _numbers(entries) and self.cancelling is None:
            cancel = self._say(CancelRequested(request_id="r", author="ann"))
            self.cancelling = self.loop.create_task(cancel, context=Context())
        if self.reviewing is None and self.alert == JUDGED_ALERT and SessionCompleted.type in _types(entries):
            self.reviewing = self.loop.create_task(self._review(), context=Context())
        if self.asked_at in _numbers(entries) and self.asking is None:
            self.asking = self.loop.create_task(self._say(_question("meanwhile")), context=Context())
        if self.paused_at in _numbers(entries) and self.pausing is None:
            self.pausing = self.loop.create_task(pause_actions(self.broker), context=Context())

    async def _review(self) -> None:
        """Two people claim the review at the same time, and one of them says it twice."""
        for author in ("ann", "ben", "ann"):
            await self._say(ReviewRequested(request_id=f"review-{author}", author=author, action="claim"))

    async def _extend(self) -> None:
        """A person first extends the budget by enough for one question, and wants a conclusion the next time."""
        log = self._log()
        for number, event in enumerate(log.events(BudgetReached)):
            id = f"b-{number}"
            if id in self.decided:
                continue
            self.decided.add(id)
            extends = number == 0
            await self._say(
                BudgetDecisionRequested(
                    request_id=id,
                    author="ann",
                    budget_id=event.budget_id,
                    decision="extend" if extends else "conclude",
                    extension=Amounts(calls=int(event.spent - event.limit) + 1 if extends else 0),
                )
            )

    async def _release(self) -> None:
        """The operator sees that the session is set aside, mends the cause, and brings it back."""
        await asyncio.sleep(MENDED_SECONDS)
        self.poison.works = False
        await self._say(SessionReleaseRequested(request_id="o", author="olga", request="release"))

    async def _until_ended(self, questions: int = 0) -> None:
        """`questions`: so many replies came. Raises NotEndedError."""
        while not (self.ended and _has_ended(self._log(), questions) and all(one.ended for one in self._beside())):
            if self.loop.time() > LONGEST_SECONDS:
                raise NotEndedError(f"not in {LONGEST_SECONDS:g} seconds; its last events: {self._log().types[-5:]}")
            gone = [one.process.name for one in self.all if one.task.done()]
            if gone:
                raise NotEndedError(f"{gone[0]} ended by itself: {self._why(gone[0])!r}")
            if self.alert.alert_type == THRIFTY_ALERT.alert_type:
                await self._extend()
            if self.alert.alert_type in APPROVED_TYPES:
                await self._decide()
            await asyncio.sleep(0.5)

    def _why(self, name: str) -> BaseException | None:
        task = next(one.task for one in self.all if one.process.name == name)
        return None if task.cancelled() else task.exception()

    def _log(self) -> SessionLog:
        return self._logs([SESSION])[0]

    def _beside(self) -> list[SessionLog]:
        return self._logs(self.beside) if self.beside else []

    def _spent(self) -> Mapping[tuple[str, str], Spending]:
        days = DaySpendings()
        for record in self.broker.everything(self.broker.topics.catalog):
            days.take(record)
        return days.sum_scopes()

    def _logs(self, sessions: Sequence[str]) -> list[SessionLog]:
        reading = LogReading()
        for record in self.broker.everything(self.broker.topics.sessions):
            reading.take(record)
        return [reading.sessions.get(id, SessionLog()) for id in sessions]

    def _look_back(self, log: SessionLog) -> None:
        """Everything is decided and committed, the head lies at the end of the log, and nobody has fallen over."""
        topics = self.broker.topics
        inbox = TopicPartition(topics.inbox, 0)
        committed = self.broker.group("orchestrators", topics.inbox).committed.get(inbox, 0)
        forgotten = self.serving["orchestrator"].process.forgetful
        if committed != self.broker.end(inbox) and not forgotten:
            self.complaints.append(f"the inbox is committed up to {committed} of {self.broker.end(inbox)}")
        everything = self.broker.everything(topics.heads)
        written = [record for record in everything if record.value not in (None, NO_RECORD[1])]
        heads = newest(
            (session_of_head_key((record.key or b"").decode()), SessionHead.model_validate_json(record.value or b""))
            for record in written
        )
        last = len(log.accepted)
        head = heads.get(SESSION)
        if (head is None or head.phase != "rest" or head.number != last) and not forgotten:
            self.complaints.append(f"the head of a session that rests at event {last} is {head}")
        if head is not None and not forgotten and not is_same(head, self._replayed()):
            self.complaints.append(f"the head {head} is not the one that a rebuild would make of the log")
        serving = self.serving["orchestrator"].service
        if isinstance(serving, Orchestrator) and serving.admitted:
            self.complaints.append(f"sessions at rest keep their places: {serving.admitted}")
        for one in self.all:
            if one.task.done():
                self.complaints.append(f"{one.process.name} ended by itself: {self._why(one.process.name)!r}")

    def _replayed(self) -> SessionHead | None:
        replay = HeadReplay(first=0)
        with closing(replay.heads) as heads:
            for record in self.broker.everything(self.broker.topics.sessions):
                replay.take(record)
            return heads.get(SESSION)

    def _complain(self, loop: asyncio.AbstractEventLoop, about: dict[str, object]) -> None:
        self.complaints.append(f"{about.get('message')}: {about.get('exception')!r}")

    async def _close(self) -> None:
        """Nobody is left: what they do at their end reaches nobody."""
        self.loop.set_exception_handler(lambda loop, about: None)
        for one in self.all:
            one.process.severed = True
        for one in self.all:
            if one.process.halted:
                one.process.go_on(self.loop)
        present = asyncio.current_task()
        while tasks := [task for task in asyncio.all_tasks() if task is not present]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=CLOSING_SECONDS)


def _question(id: str) -> ChatRequested:
    return ChatRequested(request_id=id, author="ann", content=QUESTION)


def _has_ended(log: SessionLog, questions: int) -> bool:
    return log.ended and log.types.count(ReplyCompleted.type) >= questions


def _types(entries: Sequence[Entry]) -> set[str]:
    return {dict(headers)["ce_type"].decode() for _, _, headers in entries}


def _numbers(entries: Sequence[Entry]) -> tuple[int, ...]:
    """Numbers of the events in the session."""
    found = [dict(headers)["ce_sequence"] for _, _, headers in entries]
    return tuple(int(number) for number in found)
