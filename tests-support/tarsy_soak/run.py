"""One soak from its start to its verdict."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_cli.api import ApiError, get
from tarsy_contracts.wire.topics import Topics
from tarsy_lab.incidents import Incident
from tarsy_local.own_kafka import own_kafka_security
from tarsy_soak.adversary import Adversary, Doors, Injected
from tarsy_soak.alert_load import AlertLoad
from tarsy_soak.approving import Approver
from tarsy_soak.environment import SoakEnvironment, SoakError
from tarsy_soak.kafka_faults import KafkaFaults
from tarsy_soak.leaks import SecretSearch, planted_secrets
from tarsy_soak.memory import LOOKED_AT_SECONDS, RETURNED_AFTER_SECONDS, highest, kept_memory, memory_faults
from tarsy_soak.observation import Observation
from tarsy_soak.progress import gaps, progress_faults
from tarsy_soak.question_load import QuestionLoad
from tarsy_soak.schedule import Planned
from tarsy_soak.torments import Torments
from tarsy_soak.verdict import Findings
from tarsy_verification.session_log import LogReading
from tarsy_verification.tool_runs import runs_of

log = structlog.get_logger(__name__)

ACT_SECONDS = 90.0
END_SECONDS = 420.0
"""Every session must end this long after the last fault: longer than a queue of them needs."""
SETTLE_SECONDS = 120.0
LOOK_SECONDS = 2.0
STOP_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Soak:
    """`say` is given a line for the person at the terminal. `pause_seconds`: between two alerts."""

    running: SoakEnvironment
    incidents: Sequence[Incident]
    planned: Sequence[Planned]
    random: Random
    pause_seconds: float
    topic_prefix: str
    say: Callable[[str], None]


def run_soak(soak: Soak) -> Findings:
    """Must run on the main thread. Raises SoakError."""
    server, password = soak.running.kafka, soak.running.kafka_password
    bus = Bus(server.bootstrap, Topics(soak.topic_prefix), client="tarsy-soak", security=own_kafka_security(password))
    kafka = KafkaFaults(bus, soak.random)
    load = AlertLoad(
        soak.incidents,
        api=lambda: soak.running.instance().api,
        bus=bus,
        random=soak.random,
        pause_seconds=soak.pause_seconds,
    )
    questions = QuestionLoad(
        load.accepted.incidents,
        api=lambda: soak.running.instance().api,
        random=Random(soak.random.random()),
        pause_seconds=soak.pause_seconds,
    )
    person = Approver(lambda: soak.running.instance().api)
    observation, torments = Observation(soak.running.home), Torments(lambda: soak.running.instance().api)
    with event_loop() as loop:
        stopping = asyncio.Event()
        sending = loop.submit(load.run(stopping))
        asking = loop.submit(questions.run(stopping))
        observing = asyncio.Event()
        watching = loop.submit(observation.run(observing))
        approving = loop.submit(person.run(observing))

        def plant(topic: str) -> None:
            kafka.session = load.accepted.sessions[-1] if load.accepted.sessions else "nobody"
            loop.wait_for(kafka.plant(topic), ACT_SECONDS)

        doors = Doors(
            plant=plant,
            grow=lambda topic: loop.wait_for(kafka.grow(topic), ACT_SECONDS),
            misplace=lambda fault: loop.wait_for(kafka.misplace(fault), ACT_SECONDS),
            torment=torments.send,
        )
        adversary = Adversary(soak.running, doors, report=lambda at, what: soak.say(f"{at:7.1f} s  {what}"))
        adversary.play(soak.planned, failed=lambda: any(one.done() for one in (sending, asking, watching, approving)))
        loop.call(stopping.set)
        sending.result(STOP_SECONDS)
        asking.result(STOP_SECONDS)
        counts = f"{len(load.accepted.sessions)} alerts and {len(questions.accepted.sent)} questions"
        soak.say(f"The faults are over; {counts} were accepted. Waiting for their ends.")
        _wait_until_all_ended(loop, kafka, [*load.accepted.sessions, *torments.sessions])
        ended_at = time.time()
        unready = _wait_until_ready(soak.running)
        _wait_until_returned(adversary.injected)
        loop.call(observing.set)
        watching.result(STOP_SECONDS)
        approving.result(STOP_SECONDS)
        secrets = SecretSearch(planted_secrets(soak.incidents))
        loop.wait_for(kafka.search(secrets), END_SECONDS)
        secrets.look_into(soak.running.home.logs)
    return _findings(
        soak,
        load,
        questions,
        torments,
        person,
        kafka.reading,
        observation,
        adversary.injected,
        secrets,
        unready,
        ended_at,
    )


class LoopThread:
    """An event loop on a thread of its own: the main thread starts servers, and must not wait for anything else."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def submit[T](self, work: Coroutine[object, object, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait_for[T](self, work: Coroutine[object, object, T], seconds: float) -> T:
        """Raises SoakError when it takes too long."""
        future = self.submit(work)
        try:
            return future.result(seconds)
        except TimeoutError as problem:
            future.cancel()
            raise SoakError(f"{work} did not end within {seconds:g} seconds") from problem

    def call(self, function: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(function)


@contextmanager
def event_loop() -> Iterator[LoopThread]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="soak", daemon=True)
    thread.start()
    try:
        yield LoopThread(loop)
    finally:
        asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result(STOP_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS)


async def _cancel_all() -> None:
    """Cancels the tasks that still run when the soak failed."""
    running = asyncio.all_tasks() - {asyncio.current_task()}
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=STOP_SECONDS / 2)


def _wait_until_all_ended(loop: LoopThread, kafka: KafkaFaults, sessions: Sequence[str]) -> None:
    """Reads the log until every session has ended, or the time for it is over."""
    limit = time.monotonic() + END_SECONDS
    while time.monotonic() < limit:
        try:
            loop.wait_for(kafka.read_on(), END_SECONDS)
        except KafkaError as problem:
            log.warning("soak.log_unreadable", reason=repr(problem))
        read = kafka.reading.sessions
        if all(one in read and read[one].ended for one in sessions):
            return
        time.sleep(LOOK_SECONDS)


def _wait_until_ready(running: SoakEnvironment) -> list[str]:
    """The processes that are not ready in time."""
    limit = time.monotonic() + SETTLE_SECONDS
    while late := [one for one in running.instance().processes if one.http and one.state != "ready"]:
        if time.monotonic() > limit:
            return [f"{one.service} {one.instance} is {one.state}" for one in late]
        time.sleep(LOOK_SECONDS)
    return []


def _wait_until_returned(injected: Injected) -> None:
    """Until the memory of the tool gateways can be compared with that before the last hostile servers."""
    if injected.hostile:
        looked_at = injected.hostile[-1].end + RETURNED_AFTER_SECONDS + LOOKED_AT_SECONDS
        time.sleep(max(0.0, looked_at - time.time()))


def _findings(
    soak: Soak,
    load: AlertLoad,
    questions: QuestionLoad,
    torments: Torments,
    person: Approver,
    reading: LogReading,
    observation: Observation,
    injected: Injected,
    secrets: SecretSearch,
    unready: Sequence[str],
    ended_at: float,
) -> Findings:
    """`ended_at`: until when sessions were waited for, in seconds since 1970."""
    sessions = list(dict.fromkeys(load.accepted.sessions))
    every = [*sessions, *torments.sessions]
    found = gaps(reading.sessions, sessions, injected.outages, ended_at)
    return Findings(
        accepted=sessions,
        refused=load.accepted.refused,
        questions=questions.accepted.sent,
        questions_refused=questions.accepted.refused,
        approved=person.approved,
        logs={one: reading.sessions[one] for one in every if one in reading.sessions},
        runs={one: runs_of(soak.running.calls, one) for one in sessions},
        shown={one: _shown(soak.running, one, reading) for one in every},
        unready=unready,
        memory=[*memory_faults(observation.memory), *kept_memory(observation.memory, injected.hostile)],
        held=observation.faults(),
        tormented=torments.sessions,
        gaps=found,
        progress=list(progress_faults(found, observation.ready)),
        leaks=list(secrets.faults()),
        killed=injected.killed,
        restarts=observation.restarts,
        outages=injected.outages,
        highest_mb=highest(observation.memory),
    )


def _shown(running: SoakEnvironment, session_id: str, reading: LogReading) -> str:
    """The status on the API, once the projection has come as far as the log."""
    last = len(reading.sessions[session_id].accepted) if session_id in reading.sessions else 0
    limit = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            row = get(f"{running.instance().api}/sessions/{session_id}")
            if row.get("last_number") == last or time.monotonic() > limit:
                return str(row.get("status"))
        except ApiError as problem:
            if time.monotonic() > limit:
                return f"nothing ({problem})"
        time.sleep(LOOK_SECONDS / 10)
