"""Supervised process: one instance of a service, which is started again when it dies."""

import asyncio
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import httpx2
import structlog
from pydantic import ValidationError

from tarsy_bus.retries import Draw, draw_growing_pauses
from tarsy_local.addresses import HOST
from tarsy_local.errors import LocalError
from tarsy_local.ready_answer import ReadyAnswer, unready_answer
from tarsy_local.ready_probe import ask_ready
from tarsy_local.supervisor.service_start import ServiceChild, StartService, module_of, spawn
from tarsy_processes.output_log import LOG_BYTES
from tarsy_processes.ports import free_port, is_taken

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
LIVED_SECONDS = 10.0
"""A process that lived this long did not die of its start: its next pause is the first one again."""
LOOK_SECONDS = 0.1
READY_LOOK_SECONDS = 0.4
"""How often one that works is looked at: each look wakes an idle supervisor."""
PROBE_SECONDS = 1.0
ASK_SECONDS = 3.0
"""Shorter than probes of the whole wait (tarsy_service.probe)."""
UNREADY_LOOK_SECONDS = 1.0
SETTLED_SECONDS = 5.0
"""A reason that has been given for this long will not pass by itself."""
REFUSED = 2
"""The exit code of a service that tells the operator what is wrong."""
LAST_LINES = 20

type State = Literal["starting", "ready", "waiting", "stopping", "stopped"]


class ServiceRefusedError(LocalError):
    """A service could not do its work from the beginning; the message is its own. The operator acts on it."""


class RestartPauses:
    """Pauses before a process is started again: they grow while it dies at once."""

    def __init__(self, draw: Draw = random.random) -> None:
        self._draw = draw
        self._left = self._draw_pauses()

    def after(self, lived: float) -> float:
        """The pause (seconds) after it lived for so long."""
        if lived >= LIVED_SECONDS:
            self._left = self._draw_pauses()
        return next(self._left)

    def _draw_pauses(self) -> Iterator[float]:
        return draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, draw=self._draw)


class SupervisedProcess:
    """Must be run on the main thread: on Linux the process dies with the thread that started it."""

    def __init__(
        self,
        service: str,
        number: int,
        *,
        log_file: Path,
        log_bytes: int = LOG_BYTES,
        environment: Mapping[str, str],
        client: httpx2.AsyncClient,
        changed: Callable[[], None],
        start: StartService = spawn,
    ) -> None:
        self.service = service
        self.number = number
        self.log_file = log_file
        self._log_bytes = log_bytes
        self.port = free_port()
        self.state: State = "starting"
        self.restarts = 0
        self.unready_reasons: list[str] = []
        """Why it does not count as ready though it works, in its own sentences."""
        self._unready_since = 0.0
        self.ended = asyncio.Event()
        self._environment = environment
        self._client = client
        self._changed = changed
        self._start_child = start
        self._child: ServiceChild | None = None
        self._was_ready = False
        self._must_stop = asyncio.Event()

    @property
    def name(self) -> str:
        return f"{self.service}-{self.number}"

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def is_unready(self) -> bool:
        """It works, and will not be ready before somebody mends something."""
        return bool(self.unready_reasons) and time.monotonic() - self._unready_since >= SETTLED_SECONDS

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    async def run(self) -> None:
        """Returns when it was stopped and has ended. Raises ServiceRefusedError. Leaves no process behind."""
        pauses = RestartPauses()
        try:
            while not self._must_stop.is_set():
                began = time.monotonic()
                code = await self._watch_until_exit(self._start_process())
                if self._must_stop.is_set():
                    break
                await self._wait_for_restart(pauses.after(time.monotonic() - began), code)
                self.restarts += not self._must_stop.is_set()
        finally:
            self._end_child()
            self._set_state("stopped")
            self.ended.set()

    async def ask_ready(self) -> ReadyAnswer:
        """Asks it what it says now. A process that starts is not asked, as `run` looks at it all the while."""
        if self.state != "ready":
            return unready_answer(self.service, *(self.unready_reasons or [f"its process is {self.state}"]))
        return await ask_ready(self._client, self.service, self.url, ASK_SECONDS)

    def stop(self) -> None:
        """Tells it to end, in order, and not to come back."""
        self._must_stop.set()
        if self._child is not None:
            self._set_state("stopping")
            self._send_signal(signal.SIGTERM)

    def was_asked_to_stop(self) -> bool:
        return self._must_stop.is_set()

    def kill(self) -> None:
        self._must_stop.set()
        self._send_signal(signal.SIGKILL)

    def _start_process(self) -> ServiceChild:
        if is_taken(self.port):
            self.port = free_port()
        child = self._child = self._start_child(
            module_of(self.service),
            log=self.log_file,
            log_bytes=self._log_bytes,
            environment={**self._environment, "TARSY_CLIENT": self.name, "TARSY_HTTP_PORT": str(self.port)},
        )
        self.unready_reasons = []
        log.info("process.started", name=self.name, process=child.pid, port=self.port)
        self._set_state("starting")
        return child

    async def _watch_until_exit(self, child: ServiceChild) -> int:
        """Returns the exit code. Raises ServiceRefusedError when it refused its settings before it was ever ready."""
        asked_at = 0.0
        while (code := child.poll_exit()) is None:
            pause = UNREADY_LOOK_SECONDS if self.is_unready else 0.0
            if self.state == "starting" and child.pid is not None and time.monotonic() >= asked_at + pause:
                asked_at = time.monotonic()
                if await self._answers_ready():
                    self._was_ready = True
                    self._set_state("ready")
            await asyncio.sleep(READY_LOOK_SECONDS if self.state == "ready" else LOOK_SECONDS)
        if code == REFUSED and not self._was_ready and not self._must_stop.is_set():
            raise ServiceRefusedError(
                _last_plain_lines(child) or f"{self.name} refused to start: {self.log_file} says why."
            )
        self._end_child()
        return code

    async def _answers_ready(self) -> bool:
        try:
            answer = await self._client.get(f"{self.url}/ready", timeout=PROBE_SECONDS)
        except httpx2.HTTPError:
            return False
        self._note_unready(_unready_reasons(answer))
        return answer.status_code == 200 and self.state == "starting"

    def _note_unready(self, reasons: list[str]) -> None:
        if reasons != self.unready_reasons:
            self.unready_reasons, self._unready_since = reasons, time.monotonic()

    async def _wait_for_restart(self, pause: float, code: int) -> None:
        log.error("process.died", name=self.name, exit_code=code, again_in_seconds=pause, log=str(self.log_file))
        self._set_state("waiting")
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._must_stop.wait()

    def _send_signal(self, number: signal.Signals) -> None:
        if self._child is not None:
            self._child.send_signal(number)

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.stop(signal.SIGKILL)
            self._child = None

    def _set_state(self, state: State) -> None:
        self.state = state
        self._changed()


def _unready_reasons(answer: httpx2.Response) -> list[str]:
    """Nothing of one that is ready, nor of one that only starts."""
    if answer.status_code == 200:
        return []
    try:
        ready = ReadyAnswer.model_validate_json(answer.content)
    except ValidationError:
        return []
    return [] if ready.starting else [reason for reasons in ready.reasons.values() for reason in reasons]


def _last_plain_lines(child: ServiceChild) -> str:
    """The lines that it wrote for people: its log lines are JSON."""
    lines = [line for line in child.output().splitlines() if line.strip() and not line.startswith("{")]
    return "\n".join(lines[-LAST_LINES:])
