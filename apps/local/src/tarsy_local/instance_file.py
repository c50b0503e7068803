"""The file of a running instance: `tarsy up` keeps it true and prints it once, `tarsy status` reads it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import structlog

from tarsy_config.sections.providers import LlmProvider
from tarsy_local.addresses import Addresses
from tarsy_local.instance import Home, Instance, Process
from tarsy_local.supervisor.process_group import ProcessGroup
from tarsy_local.supervisor.supervised_process import SupervisedProcess
from tarsy_timeline.database.url import without_password

if TYPE_CHECKING:
    from tarsy_embedded.server import EmbeddedServer

log = structlog.get_logger(__name__)


class InstanceFile:
    def __init__(
        self,
        home: Home,
        addresses: Addresses,
        own: "Sequence[EmbeddedServer]",
        log_file: Path,
        *,
        models: Mapping[str, LlmProvider],
        say: Callable[[str], None],
    ) -> None:
        self.say = say
        self._home = home
        self._own = own
        self._restarts: Mapping[str, int] = {}
        self._services: list[Process] = []
        self._has_said_all = False
        self._now = Instance(
            state="starting",
            pid=os.getpid(),
            kafka=addresses.kafka,
            kafka_password_file=str(addresses.kafka_password_file or ""),
            database=addresses.database if addresses.own_database else without_password(addresses.database),
            api=f"{addresses.http_url}/api/v1",
            websocket=f"{addresses.websocket_url}/api/v1/ws",
            metrics=f"{addresses.http_url}/metrics",
            log=str(log_file),
            topic_prefix=addresses.topic_prefix,
            config_dir=str(addresses.config_dir.absolute()),
            scripted=all(model.type == "scripted" for model in models.values()),
            models=[f"{model.model} ({name})" for name, model in models.items() if model.type != "scripted"],
            processes=self._list_server_processes(),
        )

    def ready(self, services: Sequence[str]) -> None:
        """All of them in this process."""
        self._write_state("ready", [Process(service=service, pid=os.getpid()) for service in services])
        if self._has_said_all:
            self.say("The services are ready again")
        else:
            self._write_all()

    def died(self, sentence: str) -> None:
        """The services of this process; they are started again."""
        self.say(sentence)
        self._write_state("starting", [])

    def note_servers(self, restarts: Mapping[str, int]) -> None:
        """One of our own has ended, or runs again."""
        self._restarts = dict(restarts)
        try:
            self._write_state(self._now.state, self._services)
        except OSError as problem:
            log.error("status.not_written", reason=repr(problem))

    def note_processes(self, processes: ProcessGroup) -> None:
        """A process was started, became ready, or died."""
        try:
            state = "stopping" if processes.stopping else self._now.state
            self._write_state(state, [_process_of_member(member) for member in processes.members])
        except OSError as problem:
            log.error("status.not_written", reason=repr(problem))

    def processes_ready(self, processes: ProcessGroup) -> None:
        self._write_state("ready", [_process_of_member(member) for member in processes.members])
        self._write_all()

    def note_stop(self) -> None:
        self._write_state("stopping", [])

    def _write_all(self) -> None:
        self._has_said_all = True
        for line in self._now.lines():
            self.say(line)

    def _list_server_processes(self) -> list[Process]:
        return [_process_of_server(server, self._restarts.get(server.name, 0)) for server in self._own]

    def _write_state(
        self, state: Literal["stopped", "starting", "ready", "stopping"], services: Sequence[Process]
    ) -> None:
        self._services = list(services)
        self._now = self._now.model_copy(
            update={"state": state, "processes": [*self._list_server_processes(), *services]}
        )
        self._home.write(self._now)


def _process_of_server(server: "EmbeddedServer", restarts: int) -> Process:
    state: Literal["ready", "waiting"] = "ready" if server.has_process else "waiting"
    pid = server.pid if server.has_process else None
    return Process(service=server.name.lower(), pid=pid, state=state, restarts=restarts)


def _process_of_member(member: SupervisedProcess) -> Process:
    return Process(
        service=member.service,
        instance=member.number,
        pid=member.pid,
        http=member.url,
        state=member.state,
        restarts=member.restarts,
        log=str(member.log_file),
    )
