"""A real Apache Kafka broker as a child process."""

import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from tarsy_embedded.errors import ExitedEarlyError, NotReadyError
from tarsy_embedded.jars import kafka_jars
from tarsy_embedded.java import Java, find_java
from tarsy_embedded.kafka_command import archive_path, broker_command, flags_to_record, flags_to_use
from tarsy_embedded.kafka_folder import LOG_FOLDER, KafkaNode, new_id, properties
from tarsy_embedded.kafka_protocol import answers_api_versions
from tarsy_embedded.kafka_sasl import kcat_configuration, sasl_properties
from tarsy_embedded.password_file import make_password_once, password_file, read_password, write_private
from tarsy_embedded.progress import Progress
from tarsy_embedded.server import EmbeddedServer
from tarsy_embedded.stale_registration import StaleRegistration
from tarsy_processes.child import ChildProcess
from tarsy_processes.ports import free_port

# A machine whose cores are all taken needed more than 20 s.
_READY_SECONDS = 120.0


class EmbeddedKafka(EmbeddedServer):
    """One broker that is its own controller, on 127.0.0.1 only; with `node`, one of a cluster of such brokers.

    With `password`, clients need it (see kafka_sasl). It is stored in the data folder. `users` are further users, by
    name, with theirs. `record_classes` writes the class archive there when
    the broker stops (see class_archive), instead of using one. `settings` are further properties of the broker, and
    `java_options` of its JVM.
    """

    name: ClassVar[str] = "Kafka"
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int,
        cache_dir: Path,
        progress: Progress,
        password: bool = False,
        users: Mapping[str, str] | None = None,
        record_classes: Path | None = None,
        settings: Mapping[str, str] | None = None,
        java_options: Sequence[str] = (),
        node: KafkaNode | None = None,
    ) -> None:
        super().__init__(data_dir, port=port, progress=progress)
        self._cache_dir = cache_dir
        self._has_password = password
        self._users = users or {}
        self._record_classes = record_classes
        self._settings = settings or {}
        self._java_options = java_options
        self._node = node

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def password_file(self) -> Path | None:
        """The file with the password of USER; None for a broker without one."""
        return password_file(self.data_dir) if self._has_password else None

    @property
    def kcat_file(self) -> Path:
        """Settings for `kcat -F`, of a broker with a password."""
        return self.data_dir / "kcat.conf"

    def _starting(self) -> Iterator[float]:
        java = find_java()
        jars = kafka_jars(self._cache_dir, self._progress)
        node = self._node or self._make_only_node()
        node.format_once(self.data_dir / LOG_FOLDER)
        self._progress("Starting Kafka")
        archive = archive_path(java, jars, self._cache_dir)
        if self._record_classes is not None:
            yield from self._run_broker(node, java, jars, flags_to_record(java, self._record_classes))
        elif not archive.is_file():
            yield from self._run_broker(node, java, jars, [])
        else:
            try:
                yield from self._run_broker(node, java, jars, flags_to_use(java, archive))
            except ExitedEarlyError:
                # Java passes over an archive that does not fit; one that crashes it must not be met again.
                archive.unlink(missing_ok=True)
                yield from self._run_broker(node, java, jars, [])
        self._progress(f"Kafka is ready on {self.bootstrap}")

    def _run_broker(
        self, node: KafkaNode, java: Java, jars: Sequence[Path], archive_flags: Sequence[str]
    ) -> Iterator[float]:
        self._stop_child()
        file = self._write_properties(node)
        self._child = ChildProcess(
            broker_command(java, jars, [*archive_flags, *self._java_options], file),
            log=self.data_dir / "kafka.log",
            death_signal=self.stop_signal,
            lock=self._lock.descriptor,
            folder=self.data_dir,
            # Nothing of ours: JAVA_TOOL_OPTIONS and the like are meant for other programs.
            environment={"LC_ALL": "C.UTF-8"},
        )
        yield from self._wait_until_ready(node, self._child)

    def _write_properties(self, node: KafkaNode) -> Path:
        file = self.data_dir / "server.properties"
        more = {**self._sasl_settings(), **self._settings}
        content = properties(node, port=self.port, more=more)
        write_private(file, content)
        return file

    def _sasl_settings(self) -> Mapping[str, str]:
        if not self._has_password:
            return {}
        password = make_password_once(self.data_dir)
        write_private(self.kcat_file, kcat_configuration(self.bootstrap, password))
        return sasl_properties(password, self._users)

    def _make_only_node(self) -> KafkaNode:
        """On a folder that is formatted, its cluster's id stays."""
        while (port := free_port()) == self.port:
            pass
        return KafkaNode(1, new_id(), {1: port})

    def _wait_until_ready(self, node: KafkaNode, child: ChildProcess) -> Iterator[float]:
        stale = None if len(node.controllers) > 1 else self._find_stale_registration(node, child)
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            if (failure := self.failure()) is not None:
                raise failure
            if answers_api_versions(self.port):
                return
            if stale is not None:
                stale.remove_if_refused()
            yield 0.03
        raise NotReadyError(self.name, _READY_SECONDS, child.log)

    def _find_stale_registration(self, node: KafkaNode, child: ChildProcess) -> StaleRegistration:
        password = read_password(self.data_dir) if self._has_password else None
        return StaleRegistration(node.controllers[node.number], node.number, password, child.output)
