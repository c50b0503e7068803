"""Kafka's data folder, formatted without a JVM, and its configuration."""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tarsy_embedded.errors import DamagedDataError

LOG_FOLDER = "data"

# Output of `StorageTool format` of 4.3.1; the same for every cluster of one version. Without it the broker runs,
# but with the oldest features only.
_CHECKPOINT = files("tarsy_embedded") / "bootstrap.checkpoint"

# Our records are at most 4 MiB; this leaves room for a batch's and a request's own bytes.
_LARGEST_BATCH = 5 * 1024 * 1024
_MOST_COPIES = 3


@dataclass(frozen=True, slots=True)
class KafkaNode:
    """One of a cluster's brokers, each of which is a controller, too.

    `controllers` are the ports of all their controllers, by the numbers of the nodes, and the same for all of them.
    """

    number: int
    cluster_id: str
    controllers: Mapping[int, int]

    def format_once(self, folder: Path) -> None:
        """Raises DamagedDataError."""
        folder.mkdir(exist_ok=True)
        meta = folder / "meta.properties"
        if meta.exists():
            return
        # A broken-off format leaves files only; folders are partitions, which somebody wrote to.
        if any(entry.is_dir() for entry in folder.iterdir()):
            raise DamagedDataError(folder, meta.name)
        _write_file(folder / "bootstrap.checkpoint", _CHECKPOINT.read_bytes())
        identity = f"cluster.id={self.cluster_id}\nnode.id={self.number}\ndirectory.id={new_id()}"
        # Last, and all at once: its presence says that the folder is formatted.
        _write_file(meta, f"version=1\n{identity}\n".encode())

    def properties(self) -> Mapping[str, object]:
        voters = ",".join(f"{number}@127.0.0.1:{port}" for number, port in self.controllers.items())
        copies = min(len(self.controllers), _MOST_COPIES)
        in_sync = max(copies - 1, 1)
        return {
            "node.id": self.number,
            "controller.quorum.voters": voters,
            "offsets.topic.replication.factor": copies,
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.min.isr": in_sync,
            "share.coordinator.state.topic.replication.factor": copies,
            "share.coordinator.state.topic.min.isr": in_sync,
        }


def properties(node: KafkaNode, *, port: int, more: Mapping[str, str]) -> str:
    controller_port = node.controllers[node.number]
    settings: dict[str, object] = {
        "process.roles": "broker,controller",
        **node.properties(),
        "listeners": f"BROKER://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"BROKER://127.0.0.1:{port}",
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "BROKER",
        "controller.listener.names": "CONTROLLER",
        # Relative to the broker's working directory. An absolute path could have a comma, which separates folders here,
        # or letters outside of Latin-1, which this format lacks.
        "log.dirs": LOG_FOLDER,
        **_FIXED,
    }
    return "".join(f"{name}={value}\n" for name, value in {**settings, **more}.items())


# The partition counts of the internal topics cannot be lowered later.
_FIXED = {
    "auto.create.topics.enable": "false",
    "log.message.timestamp.type": "LogAppendTime",
    "message.max.bytes": _LARGEST_BATCH,
    "replica.fetch.max.bytes": _LARGEST_BATCH,
    "socket.request.max.bytes": 4 * _LARGEST_BATCH,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.num.partitions": 4,
    "share.coordinator.state.topic.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1000,
    # Kafka's default; with 1.5 s a broker on a busy machine fenced itself, and all services waited for it. After a
    # kill -9 the session of the old one is not waited for (see stale_registration).
    "broker.session.timeout.ms": 9000,
    "broker.heartbeat.interval.ms": 300,
    # The controller writes so often that nothing happened: with the default, 500, a third of what an idle broker costs.
    "metadata.max.idle.interval.ms": 5000,
    "num.network.threads": 2,
    "num.io.threads": 4,
    "background.threads": 2,
    "num.recovery.threads.per.data.dir": 2,
    "log.cleaner.dedupe.buffer.size": 8388608,
    "log.cleaner.threads": 1,
    "group.coordinator.threads": 1,
}


def _write_file(path: Path, content: bytes) -> None:
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    new.replace(path)


def new_id() -> str:
    """For a cluster, or for a folder of one."""
    while True:
        identity = base64.urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode()
        # Kafka's own tools take one that begins like this for an option.
        if not identity.startswith("-"):
            return identity
